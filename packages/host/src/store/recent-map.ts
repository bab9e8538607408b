/**
 * At least the last `most` entries, at most twice as many, the older half forgotten at once. Forgetting one at a time
 * would leave holes that every look for the oldest walks over: that costs fifty times as much.
 */
export class RecentMap<V> {
  readonly #most: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  constructor(most: number) {
    this.#most = most;
  }

  has(key: string): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  get(key: string): V | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  /** Looks at all of them: for what is rare. */
  deleteWhere(isMeant: (value: V) => boolean): void {
    for (const part of [this.#young, this.#old]) {
      for (const [key, value] of part) if (isMeant(value)) part.delete(key);
    }
  }

  set(key: string, value: V): void {
    this.#young.set(key, value);
    if (this.#young.size < this.#most) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}
