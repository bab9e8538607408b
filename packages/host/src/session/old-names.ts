import { limits } from '@rostra/protocol/wire/limits';
import { nameNumber } from '../store/session-names.ts';

/** Names that are put in order together. */
const UNORDERED = 1024;

/**
 * What those are called that nobody here remembers, as numbers: enough to know that a name is new without a look into the
 * store. A name that shares its number with an old one costs that look and nothing else.
 */
export class OldNames {
  /** In order; null where they are not known, or too many. */
  #ordered: Int32Array | null;
  /** The last ones. */
  readonly #newest = new Set<number>();

  constructor(numbers: Int32Array | null) {
    this.#ordered = numbers?.toSorted() ?? null;
  }

  /** There is none. */
  get isEmpty(): boolean {
    return this.#ordered?.length === 0 && this.#newest.size === 0;
  }

  mayHold(name: string): boolean {
    if (this.#ordered === null) return true;
    if (this.isEmpty) return false;
    const number = nameNumber(name);
    return this.#newest.has(number) || holds(this.#ordered, number);
  }

  add(name: string): void {
    if (this.#ordered === null) return;
    this.#newest.add(nameNumber(name));
    const count = this.#ordered.length + this.#newest.size;
    if (count > limits.known_names) this.#ordered = null;
    else if (this.#newest.size >= UNORDERED) this.#ordered = joined(this.#ordered, this.#newest);
    else return;
    this.#newest.clear();
  }
}

function joined(ordered: Int32Array, others: ReadonlySet<number>): Int32Array {
  const all = new Int32Array(ordered.length + others.size);
  all.set(ordered);
  all.set([...others], ordered.length);
  return all.sort();
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
