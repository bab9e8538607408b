import {
  completed,
  failed,
  isJsonObject,
  type ModelMessage,
  type ModelTool,
  type ModelToolCall,
  type RunResult,
} from '@rostra/runner-sdk';
import { Citations } from './citations.ts';
import { Compaction } from './compaction.ts';
import { pastOf } from './history.ts';
import { type ModelAnswer, ModelCaller, type ModelRequest } from './model-caller.ts';
import { type ChosenModel, chosenModels } from './model-choice.ts';
import { isOverflow } from './model-failure.ts';
import { Progress } from './progress.ts';
import { type Prompt, promptOf } from './prompt.ts';
import { retrieved } from './retrieval.ts';
import { Speech } from './speech.ts';
import { type Heard, steered } from './steering.ts';
import { charsOf, requestTokens, tokensOf } from './tokens.ts';
import { toolBatch } from './tool-batch.ts';
import { type ToolSet, toolSetOf } from './tool-set.ts';
import { inWords, toolsInWords } from './tool-words.ts';
import { triggerMessage } from './trigger.ts';
import type { TurnRun } from './turn-run.ts';
import { unfinished } from './unfinished.ts';
import { WorkingContext } from './working-context.ts';

interface TurnParts {
  readonly run: TurnRun;
  readonly caller: ModelCaller;
  readonly context: WorkingContext;
  readonly prompt: Prompt;
  readonly set: ToolSet;
  readonly citations: Citations;
  readonly progress: Progress;
  readonly fileChars: number;
}

/** What of the room the text of files, and of what was found, may take. */
const FILES = 0.3;
/** Below this share of the room an estimate is good enough, above that one, too. */
const COUNTED = { from: 0.75, to: 1.3 };
/** How much of what was refused may be told instead. */
const REFUSED = 0.6;

const unsearched = 'The knowledge could not be searched completely just now.';
const lastStep =
  'No tool can be called any more in this turn. Answer now with what you have, and say what is still missing.';

/**
 * One turn: the model is asked, its tools are called, until it answers without calling any.
 *
 * T1. It ends after so many steps, by an answer in which no tool can be called.
 * T2. What was said meanwhile is taken up after each batch of tools, and before the turn would end.
 * T3. What does not fit into the model is summed up before; where the model itself refuses, once more and harder.
 */
export class Turn {
  readonly #parts: TurnParts;
  readonly #speech: Speech;
  readonly #compaction: Compaction;
  #calls = 0;
  /** A tool has ended the turn: nothing is left but to say so. */
  #hasEnded = false;
  /** What a model has refused is more than it can read, whatever it says of itself. */
  #ceiling = Number.POSITIVE_INFINITY;

  private constructor(parts: TurnParts) {
    this.#parts = parts;
    this.#speech = new Speech(parts.run, parts.progress.open);
    this.#compaction = new Compaction(parts.run, parts.caller, parts.context);
  }

  static async prepare(run: TurnRun): Promise<Turn> {
    const models = chosenModels(run.context.resources.models, run.settings);
    const [{ room }] = models;
    const fileChars = charsOf(room * FILES);
    const [prompt, past, found, set, trigger, progress] = await Promise.all([
      promptOf(run),
      pastOf(run, room),
      retrieved(run, fileChars),
      toolSetOf(run),
      triggerMessage(run, fileChars),
      Progress.of(run),
    ]);
    const citations = new Citations(found.entries);
    const knowledge = [citations.passages ?? [], found.isPartial ? unsearched : []].flat().join('\n');
    const parts = { examples: prompt.examples, past, knowledge: knowledge === '' ? null : knowledge };
    const context = new WorkingContext(parts);
    context.add(trigger, ...progress.messages);
    const caller = new ModelCaller(run, models);
    return new Turn({ run, caller, context, prompt, set, citations, progress, fileChars });
  }

  async *results(): AsyncGenerator<RunResult> {
    const { run, progress } = this.#parts;
    this.#calls = progress.calls;
    const finish_reason = yield* this.#loop();
    await progress.forget();
    if (this.#speech.said === '') {
      const { type, data } = failed('model.empty', 'The model gave no answer.', true);
      yield { type, data: { ...data, ...run.usage.told } };
    } else yield completed({ ...(finish_reason === null ? {} : { finish_reason }), ...run.usage.told });
  }

  async *#loop(): AsyncGenerator<RunResult, string | null> {
    const { run, context, progress } = this.#parts;
    const { max_iterations } = run.settings;
    if (progress.begun.length > 0) yield* this.#takeUp(progress.begun);
    let isLast = false;
    for (let step = progress.count; ; step += 1) {
      isLast ||= step >= max_iterations;
      const answer: ModelAnswer = yield* this.#answer(isLast);
      if (answer.calls.length > 0 && !isLast) {
        yield* this.#speech.say(answer);
        this.#speech.closed();
        const ends: boolean = yield* this.#call(answer);
        if (ends && answer.text !== '') return answer.finish_reason;
        if (!ends) await this.#hear((heard) => progress.hear(heard));
        isLast = ends;
        this.#hasEnded = ends;
        continue;
      }
      yield* this.#speech.say(answer, this.#behind(answer, isLast));
      // What comes now would find nobody who could act on it: it becomes a turn of its own.
      if (isLast) return answer.finish_reason;
      if (answer.text !== '') context.add({ role: 'assistant', content: answer.text });
      const over = { text: answer.text, said: this.#speech.said.length };
      const more = await this.#hear((heard) => progress.close(over, heard));
      if (more === 0) return answer.finish_reason;
      yield* this.#speech.close();
    }
  }

  /** What the attempt before this one had begun to call. */
  async *#takeUp(calls: readonly ModelToolCall[]): AsyncGenerator<RunResult> {
    const { run, context, set, progress } = this.#parts;
    const messages = yield* unfinished(run, set, calls);
    context.add(...messages);
    await progress.end(messages.map((message) => String(message.content ?? '')));
  }

  /** Takes up what was said meanwhile, once it is on record; how much that was. */
  async #hear(keep: (heard: readonly Heard[]) => Promise<void>): Promise<number> {
    const { run, context, progress, fileChars } = this.#parts;
    const heard = progress.unheard(await steered(run, fileChars));
    if (heard.length > 0) await keep(heard);
    context.add(...heard.map(({ message }) => message));
    return heard.length;
  }

  /** What stands at the end of an answer: that it was cut off, and its sources; or a word where the model has none. */
  #behind(answer: ModelAnswer, isLast: boolean): string {
    const { run, citations } = this.#parts;
    const said = this.#speech.isStreamed ? this.#speech.said : this.#speech.said + answer.text;
    const { locale } = run.context.runtime;
    const isCut = answer.finish_reason === 'length' && said !== '';
    if (!isLast || said !== '') return (isCut ? cutOff(locale) : '') + citations.sourcesOf(said, locale);
    return this.#hasEnded ? passedOn(locale) : withoutAnswer(locale);
  }

  async *#call(answer: ModelAnswer): AsyncGenerator<RunResult, boolean> {
    const { run, context, set, progress } = this.#parts;
    const calls = answer.calls.map((call) => this.#numbered(call));
    const told = calls.map((call) => (isJsonObject(call.arguments) ? call : { ...call, arguments: {} }));
    const content = answer.text === '' ? null : answer.text;
    context.add({ role: 'assistant', content, tool_calls: told });
    await progress.begin({ text: answer.text, calls: told, said: this.#speech.said.length });
    const { messages, ends } = yield* toolBatch(run, set, calls);
    context.add(...messages);
    await progress.end(messages.map((message) => String(message.content ?? '')));
    return ends;
  }

  /** Providers repeat their ids, or give none. */
  #numbered(call: ModelToolCall): ModelToolCall {
    this.#calls += 1;
    return { ...call, id: `call_${this.#calls}` };
  }

  async *#answer(isLast: boolean): AsyncGenerator<RunResult, ModelAnswer> {
    const { caller } = this.#parts;
    await this.#fit(isLast);
    for (let isHarsh = false; ; isHarsh = true) {
      try {
        const results = caller.speak((model) => this.#request(model, isLast), this.#speech.isStreamed);
        return yield* this.#speech.through(results);
      } catch (error) {
        if (isHarsh || !isOverflow(error)) throw error;
        const { messages, tools } = this.#request(caller.current, isLast);
        this.#ceiling = Math.floor(requestTokens(messages, tools) * REFUSED);
        await this.#compaction.shrink(this.#room, this.#fixed(caller.current, isLast), true);
      }
    }
  }

  #request(model: ChosenModel, isLast: boolean): ModelRequest {
    const { context, prompt, set } = this.#parts;
    const tools = isLast ? [] : set.tools;
    if (model.native_tools && !isLast) return { messages: context.messages(prompt.system), tools, inWords: false };
    const messages = inWords(context.messages(systemWith(prompt, tools)));
    return { messages: isLast ? withNote(messages, lastStep) : messages, tools: [], inWords: true };
  }

  get #room(): number {
    return Math.min(this.#parts.caller.current.room, this.#ceiling);
  }

  #fixed(model: ChosenModel, isLast: boolean): number {
    const { prompt, set } = this.#parts;
    if (isLast || set.tools.length === 0) return tokensOf(prompt.system);
    if (!model.native_tools) return tokensOf(systemWith(prompt, set.tools));
    return tokensOf(prompt.system) + requestTokens([], set.tools);
  }

  async #fit(isLast: boolean): Promise<void> {
    const { caller } = this.#parts;
    const room = this.#room;
    const { messages, tools } = this.#request(caller.current, isLast);
    const estimate = requestTokens(messages, tools);
    if (estimate <= room * COUNTED.from) return;
    const tokens = estimate > room * COUNTED.to ? estimate : ((await caller.countTokens(messages, tools)) ?? estimate);
    if (tokens > room) await this.#compaction.shrink(room, this.#fixed(caller.current, isLast), false);
  }
}

function withoutAnswer(locale: string | null): string {
  return locale?.startsWith('zh')
    ? '我在这一轮能用的工具步骤已经用完，还没有得出答案。'
    : 'I have used all steps with tools that I have in one turn, and have no answer yet.';
}

function cutOff(locale: string | null): string {
  return locale?.startsWith('zh')
    ? '\n\n[回答到此中断：模型一次不能写得更多。]'
    : '\n\n[The answer is cut off here: the model may not write more at once.]';
}

function passedOn(locale: string | null): string {
  return locale?.startsWith('zh') ? '我请求把这次对话转交出去。' : 'I ask to pass this conversation on.';
}

function systemWith({ system }: Prompt, tools: readonly ModelTool[]): string {
  return tools.length === 0 ? system : `${system}\n\n${toolsInWords(tools)}`;
}

function withNote(messages: ModelMessage[], note: string): ModelMessage[] {
  const last = messages.at(-1);
  if (last?.role !== 'user' || typeof last.content !== 'string') return [...messages, { role: 'user', content: note }];
  return [...messages.slice(0, -1), { ...last, content: `${last.content}\n\n${note}` }];
}
