import { limits } from '@rostra/protocol/wire/limits';

const SECOND = 1000;

/** Counts what a server says unasked: one that does nothing else would leave the host no time for anything else. */
export class NoticeMeter {
  readonly #now: () => number;
  #windowEnds = 0;
  #count = 0;
  /** Requests to the server that it has not answered yet. */
  #open = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A message to the server: if it is a request, one answer will come. */
  sent(message: object): void {
    if ('method' in message && 'id' in message) this.#open += 1;
  }

  /** Whether this message is one too many. Answers do not count while somebody has asked for them. */
  isFlood(message: object): boolean {
    if (!('method' in message) && this.#open > 0) {
      this.#open -= 1;
      return false;
    }
    if (this.#now() >= this.#windowEnds) {
      this.#windowEnds = this.#now() + SECOND;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count > limits.tool_server_notices;
  }
}
