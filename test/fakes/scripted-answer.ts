import { type Directive, readDirectives, stepsOf } from './script.ts';

/** A conversation in no provider's words. */
export interface Heard {
  readonly model: string;
  readonly said: readonly Said[];
  /** Names of the tools that the model may call. */
  readonly tools: readonly string[];
  readonly max_tokens: number | null;
  /** What the whole request costs to read, estimated. */
  readonly tokens: number;
}

export interface Said {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly images: number;
}

export interface AnsweredCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote them, which need not be JSON. */
  readonly arguments: string;
}

export interface Usage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

/** What a fake model does. */
export interface Scripted {
  readonly refusal: { status: number; retry_after: string | null } | null;
  readonly thoughts: readonly string[];
  readonly words: readonly string[];
  readonly calls: readonly AnsweredCall[];
  readonly finish: 'stop' | 'length' | 'tool_calls';
  readonly usage: Usage | null;
  /** Pieces after which the connection breaks, or falls silent. */
  readonly fail_after: number | null;
  readonly hang_after: number | null;
  readonly slow: number;
}

/** The fake models' memory: what they have counted. */
export class Scripts {
  readonly #refused = new Map<string, number>();
  #calls = 0;

  answer(heard: Heard): Scripted {
    if (heard.tools.length === 0 && asksForSummary(heard)) return this.#says(heard, [], summaryOf(heard));
    const { directives, key, rest } = this.#stepOf(heard);
    const told = (name: string) => directives.find((directive) => directive.name === name)?.value;
    const text = spoken(heard, directives);
    const quiet = directives.some(({ name }) => name === 'call' || name === 'bad-arguments');
    const said = text === '' && !quiet && told('silent') === undefined ? echoOf(rest) : text;
    return { ...this.#says(heard, directives, said), refusal: this.#refusal(told('status'), told('retry-after'), key) };
  }

  /** The last message with directives decides while its script goes on: fake models believe tools as well as people. */
  #stepOf({ said, model }: Heard): { directives: Directive[]; key: string; rest: string } {
    const last = said.findLastIndex(hasWeight);
    const scripted = said.findLastIndex((one) => hasWeight(one) && readDirectives(one.text).directives.length > 0);
    const steps = stepsOf(readDirectives(said[scripted]?.text ?? '').directives);
    const done = said.slice(scripted + 1).filter(({ role }) => role === 'assistant').length;
    const goesOn = scripted !== -1 && done < steps.length && (scripted === last || done >= 1);
    const rest = readDirectives(said[last]?.text ?? '').rest;
    if (!goesOn) return { directives: [], key: '', rest };
    const mine = (steps[done] ?? []).filter((directive) => directive.model === null || directive.model === model);
    return { directives: mine, key: `${said[scripted]?.text}#${done}`, rest };
  }

  #says(heard: Heard, directives: readonly Directive[], text: string): Scripted {
    const values = (name: string) =>
      directives.filter((directive) => directive.name === name).map(({ value }) => value);
    const number = (name: string) => (values(name)[0] === undefined ? null : Number(values(name)[0]));
    const calls = directives.flatMap(({ name, value }) =>
      name === 'call' || name === 'bad-arguments' ? [this.#callOf(value, name === 'bad-arguments')] : [],
    );
    const words = wordsOf(text);
    const kept = heard.max_tokens === null ? words : words.slice(0, heard.max_tokens);
    const cut = kept.length < words.length || values('length').length > 0;
    const thoughts = values('think').flatMap(wordsOf);
    const count = { input: heard.tokens, cached: number('cached') ?? 0, reasoning: thoughts.length };
    return {
      refusal: null,
      thoughts,
      words: kept,
      calls,
      finish: finishOf(cut, calls.length),
      usage:
        values('no-usage').length > 0 ? null : { ...count, output: kept.length + thoughts.length + calls.length * 8 },
      fail_after: number('fail-after'),
      hang_after: number('hang-after') ?? (values('hang').length > 0 ? -1 : null),
      slow: number('slow') ?? 0,
    };
  }

  #callOf(value: string, broken: boolean): AnsweredCall {
    this.#calls += 1;
    const name = value.split(/[\s{]/, 1)[0] ?? '';
    const given = value.slice(name.length).trim();
    return { id: `call_${this.#calls}`, name, arguments: broken ? '{"broken": ' : given || '{}' };
  }

  /** `503` refuses always, `503 x2` the first two times. */
  #refusal(told: string | undefined, retry_after: string | undefined, key: string): Scripted['refusal'] {
    if (told === undefined) return null;
    const [status, times] = told.split(/\s*x\s*/);
    const before = this.#refused.get(key) ?? 0;
    if (times !== undefined && before >= Number(times)) return null;
    this.#refused.set(key, before + 1);
    return { status: Number(status), retry_after: retry_after ?? null };
  }
}

function finishOf(cut: boolean, calls: number): Scripted['finish'] {
  if (cut) return 'length';
  return calls > 0 ? 'tool_calls' : 'stop';
}

function hasWeight({ role }: Said): boolean {
  return role === 'user' || role === 'tool';
}

function spoken({ said }: Heard, directives: readonly Directive[]): string {
  const parts = directives.map(({ name, value }) => {
    if (name === 'say') return value;
    if (name === 'quote') return quoteOf(said, value);
    if (name === 'see') return `I see ${said.reduce((sum, { images }) => sum + images, 0)} images.`;
    if (name === 'long') return Array.from({ length: Number(value) }, (_, index) => `word${index + 1}`).join(' ');
    return '';
  });
  return parts.filter((part) => part !== '').join(' ');
}

function quoteOf(said: readonly Said[], pattern: string): string {
  const all = said.map(({ text }) => readDirectives(text).rest).join('\n');
  return new RegExp(pattern, 'u').exec(all)?.[0] ?? 'nothing';
}

function echoOf(text: string): string {
  return `You said: ${text.slice(0, 400)}`;
}

function asksForSummary({ said }: Heard): boolean {
  return said.some(({ role, text }) => role !== 'assistant' && /(?<!<)\bsummar(y|ise|ize)/i.test(text.slice(0, 600)));
}

/** A summary keeps what looks like a mark (`ALPHA-42`), so that a test can ask for it later. */
function summaryOf({ said }: Heard): string {
  const all = said.map(({ text }) => readDirectives(text).rest).join('\n');
  const marks = [...new Set(all.match(/\b[A-Z]{2,}-\d+\b/g) ?? [])];
  return `A summary of ${said.length} messages. Marks: ${marks.join(', ') || 'none'}.`;
}

/** Words with the space before them: pieces as models give them. */
function wordsOf(text: string): string[] {
  return text.match(/\s*\S+/g) ?? [];
}
