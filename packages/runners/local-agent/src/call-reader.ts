import { isJsonObject, type Json, type ModelToolCall } from '@rostra/runner-sdk';

export const CALL_OPENS = '<tool_call>';
export const CALL_CLOSES = '</tool_call>';

/**
 * Reads the text of a model as it comes. Where calls of tools are written in words, they are taken out of it: nobody is
 * shown a call, nor the beginning of what may become one.
 */
export class CallReader {
  readonly calls: ModelToolCall[] = [];
  readonly #inWords: boolean;
  #shown = '';
  #held = '';
  #isInCall = false;

  constructor(inWords: boolean) {
    this.#inWords = inWords;
  }

  /** Everything that was shown. */
  get text(): string {
    return this.#shown;
  }

  /** What of the text so far can be shown now. */
  read(piece: string): string {
    if (!this.#inWords) return this.#show(piece);
    this.#held += piece;
    let shown = '';
    for (;;) {
      const mark = this.#isInCall ? CALL_CLOSES : CALL_OPENS;
      const at = this.#held.indexOf(mark);
      if (at < 0) break;
      const before = this.#held.slice(0, at);
      if (this.#isInCall) this.#add(before);
      else shown += before;
      this.#held = this.#held.slice(at + mark.length);
      this.#isInCall = !this.#isInCall;
    }
    if (!this.#isInCall) {
      const safe = this.#held.length - possibleStart(this.#held);
      shown += this.#held.slice(0, safe);
      this.#held = this.#held.slice(safe);
    }
    return this.#show(shown);
  }

  /** The rest: models forget to close their last call. */
  end(): string {
    const rest = this.#held;
    this.#held = '';
    if (!this.#isInCall) return this.#show(rest);
    this.#isInCall = false;
    this.#add(rest);
    return '';
  }

  #show(text: string): string {
    this.#shown += text;
    return text;
  }

  #add(written: string): void {
    const text = written.trim();
    if (text === '') return;
    const id = `call-${this.calls.length + 1}`;
    const value = jsonIn(text);
    if (isJsonObject(value) && typeof value.name === 'string') {
      this.calls.push({ id, name: value.name, arguments: value.arguments ?? {} });
    } else this.calls.push({ id, name: '', arguments: text });
  }
}

/** How many characters at the end may be the beginning of a call. */
function possibleStart(text: string): number {
  for (let length = Math.min(CALL_OPENS.length - 1, text.length); length > 0; length -= 1) {
    if (CALL_OPENS.startsWith(text.slice(-length))) return length;
  }
  return 0;
}

function jsonIn(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
