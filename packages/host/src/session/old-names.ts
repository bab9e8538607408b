import { limits } from '@rostra/protocol/wire/limits';
import { nameNumber } from '../store/session-names.ts';

/**
 * What those are called that nobody here remembers, as numbers: enough to know that a name is new without a look into the
 * store. A name that shares its number with an old one costs that look and nothing else.
 */
export class OldNames {
  /** From before the session was loaded, in order; null where that is not known. */
  #loaded: Int32Array | null;
  readonly #since = new Set<number>();

  constructor(numbers: Int32Array | null) {
    this.#loaded = numbers?.toSorted() ?? null;
  }

  /** There is none. */
  get isEmpty(): boolean {
    return this.#loaded?.length === 0 && this.#since.size === 0;
  }

  mayHold(name: string): boolean {
    if (this.#loaded === null) return true;
    if (this.isEmpty) return false;
    const number = nameNumber(name);
    return this.#since.has(number) || holds(this.#loaded, number);
  }

  add(name: string): void {
    if (this.#loaded === null) return;
    this.#since.add(nameNumber(name));
    if (this.#loaded.length + this.#since.size <= limits.known_names) return;
    this.#loaded = null;
    this.#since.clear();
  }
}

function holds(ordered: Int32Array, number: number): boolean {
  let [from, to] = [0, ordered.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ordered[middle] ?? 0) < number) from = middle + 1;
    else to = middle;
  }
  return ordered[from] === number;
}
