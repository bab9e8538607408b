import { addText, begunHash, hashText, mix, Prng } from './prng.ts';

/**
 * Every choice of a schedule has a name, and what it chooses follows from seed and name alone. So leaving one choice out
 * changes no other one, and a failing schedule can be shrunk by leaving choices out.
 */
export class Decisions {
  readonly seed: number;
  /** Names of the choices that were made, in order. */
  readonly made: string[] = [];
  /** Off when the schedule comes to rest. */
  enabled = true;
  readonly #allowed: ReadonlySet<string> | null;
  /** The hash that every question goes on from. */
  readonly #asked: number;

  constructor(seed: number, allowed: readonly string[] | null = null) {
    this.seed = seed;
    this.#asked = addText(begunHash(seed), '?');
    this.#allowed = allowed === null ? null : new Set(allowed);
  }

  /** Chance that is no decision: sizes, delays, which of several equal things. */
  prng(name: string): Prng {
    return new Prng(hashText(this.seed, name));
  }

  /** Whether something out of the ordinary happens here. */
  decide(name: string, probability: number): boolean {
    if (!this.enabled || probability <= 0) return false;
    if (mix(addText(this.#asked, name)) / 4_294_967_296 >= probability) return false;
    return this.allow(name);
  }

  /** Like `decide`, for what always happens unless it is left out of a replay. */
  allow(name: string): boolean {
    if (this.#allowed !== null && !this.#allowed.has(name)) return false;
    this.made.push(name);
    return true;
  }
}
