/**
 * At least the last `most` entries, at most twice as many, the older half forgotten at once. Forgetting one at a time
 * would leave holes that every look for the oldest walks over: that costs fifty times as much.
 */
export class RecentMap<V> {
  readonly #most: number;
  readonly #forgotten: ((keys: Iterable<string>) => void) | null;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  /** `forgotten` hears of what is let go. */
  constructor(most: number, forgotten: ((keys: Iterable<string>) => void) | null = null) {
    this.#most = most;
    this.#forgotten = forgotten;
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
    this.#forgotten?.(this.#old.keys());
    this.#old = this.#young;
    this.#young = new Map();
  }
}
