import { limits } from '@rostra/protocol/wire/limits';

/**
 * How far a run may be ahead of what its host has committed. Results are counted one by one, bytes by the length of
 * the RESULTS lines; the result that uses the window up may reach over its edge.
 */
export class CreditWindow {
  #results = 0;
  #bytes = 0;

  get isOpen(): boolean {
    return this.#results < limits.credit_results && this.#bytes < limits.credit_bytes;
  }

  charge(results: number, bytes: number): void {
    this.#results += results;
    this.#bytes += bytes;
  }

  giveBack(results: number, bytes: number): void {
    this.#results = Math.max(0, this.#results - results);
    // Nothing outstanding weighs nothing: a host that counts bytes otherwise cannot starve the run.
    this.#bytes = this.#results === 0 ? 0 : Math.max(0, this.#bytes - bytes);
  }
}
