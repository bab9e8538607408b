import type { ContentElement, ModelMessage } from '@rostra/runner-sdk';
import { cut } from './cut.ts';
import type { Past, PastMessage } from './history.ts';
import { material } from './material.ts';
import { messageTokens, requestTokens } from './tokens.ts';

export interface ContextParts {
  /** What the owner wants to have been said at the beginning. */
  readonly examples: readonly ModelMessage[];
  readonly past: Past;
  /** What was found for the message of this turn. */
  readonly knowledge: string | null;
}

const GAP = 'Older messages of this conversation are left out.';

/** Everything that the model is told, from which each of its calls is made up. Messages are replaced, never changed. */
export class WorkingContext {
  summary: string | null;
  readonly #examples: readonly ModelMessage[];
  #past: PastMessage[];
  #knowledge: string | null;
  #turn: ModelMessage[] = [];
  #hasGap = false;

  constructor({ examples, past, knowledge }: ContextParts) {
    this.#examples = examples;
    this.#past = past.messages;
    this.summary = past.summary;
    this.#knowledge = knowledge;
  }

  add(...messages: readonly ModelMessage[]): void {
    this.#turn.push(...messages);
  }

  messages(system: string): ModelMessage[] {
    const summary = this.summary === null ? [] : [toldAs(material('summary', {}, this.summary))];
    const gap = this.#hasGap ? [toldAs(GAP)] : [];
    const said = [...gap, ...summary, ...this.#past.map(({ message }) => message), ...this.#thisTurn()];
    return [{ role: 'system', content: system }, ...this.#examples, ...joined(said)];
  }

  #thisTurn(): ModelMessage[] {
    return this.#knowledge === null ? this.#turn : [toldAs(this.#knowledge), ...this.#turn];
  }

  /** What no summary makes smaller. */
  get fixedTokens(): number {
    return requestTokens([...this.#examples, ...this.#thisTurn()], []);
  }

  /** Takes out the oldest messages of earlier turns, so that the rest comes to at most so many tokens. */
  takeOldest(keep: number): PastMessage[] {
    let left = keep;
    let from = this.#past.length;
    while (from > 0) {
      const message = this.#past[from - 1]?.message;
      left -= message === undefined ? 0 : messageTokens(message);
      if (left < 0) break;
      from -= 1;
    }
    const taken = this.#past.slice(0, from);
    this.#past = this.#past.slice(from);
    this.#hasGap ||= taken.length > 0;
    return taken;
  }

  /** A summary stands for everything that was taken out. */
  sumUp(summary: string): void {
    this.summary = summary;
    this.#hasGap = false;
  }

  /** All results of tools of this turn together get at most so many characters. */
  shortenResults(chars: number, least: number): void {
    const results = this.#turn.filter(({ role }) => role === 'tool').length;
    if (results === 0) return;
    const each = Math.max(least, Math.floor(chars / results));
    this.#turn = this.#turn.map((message) => {
      const { role, content } = message;
      if (role !== 'tool' || typeof content !== 'string' || content.length <= each) return message;
      return { ...message, content: cut(content, each) };
    });
  }

  dropKnowledge(): void {
    this.#knowledge = null;
  }
}

function toldAs(content: string): ModelMessage {
  return { role: 'user', content };
}

/** Many models want their sides to take turns: what one side says in a row is one message. */
function joined(messages: readonly ModelMessage[]): ModelMessage[] {
  const result: ModelMessage[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    if (last !== undefined && isPlain(last) && isPlain(message) && last.role === message.role) {
      result[result.length - 1] = { role: message.role, content: both(last.content, message.content) };
    } else result.push(message);
  }
  return result;
}

function isPlain({ role, tool_calls }: ModelMessage): boolean {
  return (role === 'user' || role === 'assistant') && tool_calls === undefined;
}

function both(one: ModelMessage['content'], other: ModelMessage['content']): string | ContentElement[] {
  if (typeof one === 'string' && typeof other === 'string') return `${one}\n\n${other}`;
  return [...elements(one), ...elements(other)];
}

function elements(content: ModelMessage['content']): ContentElement[] {
  if (content === null) return [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
