/** The last so many ids, oldest forgotten first: what a repeat is found by without growing for ever. */
export class SeenIds {
  readonly #most: number;
  readonly #ids = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** False if it was there already. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > this.#most) {
      const oldest = this.#ids.values().next();
      if (!oldest.done) this.#ids.delete(oldest.value);
    }
    return true;
  }
}
