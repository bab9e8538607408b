import { limits } from '@rostra/protocol/wire/limits';

const SECOND = 1000;

/** Counts what a server says unasked: one that does nothing else would leave the host no time for anything else. */
export class NoticeMeter {
  readonly #now: () => number;
  #windowEnds = 0;
  #count = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether this message is one too many. Answers do not count: somebody asked for them. */
  isFlood(message: object): boolean {
    if (!('method' in message)) return false;
    if (this.#now() >= this.#windowEnds) {
      this.#windowEnds = this.#now() + SECOND;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count > limits.tool_server_notices;
  }
}
