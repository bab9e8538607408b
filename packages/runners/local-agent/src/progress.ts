import {
  ContentElement,
  isJsonObject,
  type Json,
  type ModelMessage,
  type ModelToolCall,
  resumed,
} from '@rostra/runner-sdk';
import { cut } from './cut.ts';
import type { Heard } from './steering.ts';
import { TurnRecord } from './turn-record.ts';
import type { TurnRun } from './turn-run.ts';
import { unknownEnd } from './unfinished.ts';

/** One message of the model with the calls that it made; `results` is null until all of them have ended. */
interface Step {
  readonly text: string;
  readonly calls: readonly ModelToolCall[];
  readonly results: readonly string[] | null;
  /** Characters of the turn that had been said when it was over, or its calls began. */
  readonly said: number;
  /** What people said after it, and before the next one. */
  readonly heard: readonly Heard[];
}

type BegunStep = Pick<Step, 'text' | 'calls' | 'said'>;

const VALUE_CHARS = 250_000;

const goOn =
  'Your answer was cut off at the end of your last message. Go on exactly there, in the middle of a word if need be, ' +
  'and repeat nothing.';

/** What this turn has done so far, kept so that another attempt at it does not do it again. */
export class Progress {
  readonly #run: TurnRun;
  readonly #steps: Step[] = [];
  readonly #record: TurnRecord;
  #isRecorded = false;
  #messages: ModelMessage[] = [];
  #open = '';

  private constructor(run: TurnRun) {
    this.#run = run;
    this.#record = new TurnRecord(run);
  }

  /** In a further attempt with what the one before it did. */
  static async of(run: TurnRun): Promise<Progress> {
    const progress = new Progress(run);
    const earlier = resumed(run.context);
    if (earlier !== null) await progress.#takeUp(earlier.said);
    return progress;
  }

  get count(): number {
    return this.#steps.length;
  }

  /** Calls of tools so far. */
  get calls(): number {
    return this.#steps.reduce((sum, { calls }) => sum + calls.length, 0);
  }

  /** What was said of the message that an earlier attempt did not end. */
  get open(): string {
    return this.#open;
  }

  /** Calls that an earlier attempt has begun last, and of which it has no results. */
  get begun(): readonly ModelToolCall[] {
    const last = this.#steps.at(-1);
    return last?.results === null ? last.calls : [];
  }

  /** What the model is told of an earlier attempt; the results of `begun` come behind it. */
  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  async begin(step: BegunStep): Promise<void> {
    this.#steps.push({ ...step, results: null, heard: [] });
    await this.#keep();
  }

  async end(results: readonly string[]): Promise<void> {
    await this.#amend({ results });
  }

  /** A message without calls is over, and the turn goes on with what was said to it. */
  async close(step: Omit<BegunStep, 'calls'>, heard: readonly Heard[]): Promise<void> {
    this.#steps.push({ ...step, calls: [], results: [], heard });
    await this.#keep();
  }

  /** What was said after the calls: an attempt that goes on is handed it again, and must not answer it again. */
  async hear(heard: readonly Heard[]): Promise<void> {
    await this.#amend({ heard });
  }

  /** Those that no earlier attempt has heard. */
  unheard(heard: readonly Heard[]): Heard[] {
    const known = new Set(this.#steps.flatMap((step) => step.heard.map(({ event_id }) => event_id)));
    return heard.filter(({ event_id }) => !known.has(event_id));
  }

  async #amend(more: Partial<Step>): Promise<void> {
    const last = this.#steps.pop();
    if (last === undefined) throw new Error('no step has begun');
    this.#steps.push({ ...last, ...more });
    await this.#keep();
  }

  /** The turn is over: nobody goes on from here. */
  async forget(): Promise<void> {
    if (this.#isRecorded) await this.#record.remove();
  }

  async #keep(): Promise<void> {
    const { event_id } = this.#run.context.event;
    const whole = { event_id, steps: this.#steps };
    const isLarge = JSON.stringify(whole).length > VALUE_CHARS;
    const each = Math.floor(VALUE_CHARS / 2 / Math.max(1, this.#steps.flatMap(({ calls }) => calls).length));
    const steps = isLarge ? this.#steps.map((step) => shortened(step, each)) : this.#steps;
    this.#isRecorded = true;
    await this.#record.write({ event_id, steps: steps.map(jsonOf) });
  }

  async #takeUp(said: string): Promise<void> {
    const stored = await this.#record.read();
    const isOwn = isJsonObject(stored) && stored.event_id === this.#run.context.event.event_id;
    this.#steps.push(
      ...(isOwn && Array.isArray(stored.steps) ? stored.steps.flatMap((step) => stepIn(step) ?? []) : []),
    );
    this.#isRecorded = this.#steps.length > 0;
    // Nothing is said while tools are called.
    this.#open = this.begun.length > 0 ? '' : said.slice(this.#steps.at(-1)?.said ?? 0);
    this.#messages = this.#steps.flatMap(messagesOf);
    if (this.#open === '') return;
    this.#messages.push({ role: 'assistant', content: this.#open }, { role: 'user', content: goOn });
  }
}

function shortened(step: Step, chars: number): Step {
  return { ...step, results: step.results?.map((result) => cut(result, chars)) ?? null };
}

function jsonOf({ text, calls, results, said, heard }: Step): Json {
  return {
    text,
    calls: calls.map((call) => ({ ...call })),
    results: results === null ? null : [...results],
    said,
    heard: heard.map(({ event_id, message }) => ({ event_id, content: contentOf(message) })),
  };
}

function contentOf({ content }: ModelMessage): Json {
  return JSON.parse(JSON.stringify(content));
}

function messagesOf({ text, calls, results, heard }: Step): ModelMessage[] {
  const answers = calls.map(({ id, name }, index): ModelMessage => {
    return { role: 'tool', tool_call_id: id, name, content: results?.[index] ?? unknownEnd };
  });
  const content = text === '' ? null : text;
  const said: ModelMessage = { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: [...calls] }) };
  const isEmpty = content === null && calls.length === 0;
  return [...(isEmpty ? [] : [said]), ...(results === null ? [] : answers), ...heard.map(({ message }) => message)];
}

/** What is not one of ours is left alone. */
function stepIn(value: Json): Step | null {
  if (!isJsonObject(value) || typeof value.text !== 'string' || typeof value.said !== 'number') return null;
  if (!Array.isArray(value.calls)) return null;
  const calls = value.calls.flatMap((call) => {
    if (!isJsonObject(call) || typeof call.id !== 'string' || typeof call.name !== 'string') return [];
    return { id: call.id, name: call.name, arguments: call.arguments ?? {} };
  });
  const results = Array.isArray(value.results) ? value.results.map(String) : null;
  const heard = Array.isArray(value.heard) ? value.heard.flatMap((each) => heardIn(each) ?? []) : [];
  return { text: value.text, calls, results, said: value.said, heard };
}

function heardIn(value: Json): Heard | null {
  if (!isJsonObject(value) || typeof value.event_id !== 'string') return null;
  const { event_id, content } = value;
  if (typeof content === 'string') return { event_id, message: { role: 'user', content } };
  const parts = Array.isArray(content) ? content.flatMap((part) => ContentElement.safeParse(part).data ?? []) : [];
  return { event_id, message: { role: 'user', content: parts } };
}
