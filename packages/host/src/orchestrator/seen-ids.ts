import { RecentMap } from '../store/recent-map.ts';

/** The last so many ids: what a repeat is found by without growing for ever. */
export class SeenIds {
  readonly #ids: RecentMap<true>;

  constructor(most: number) {
    this.#ids = new RecentMap(most);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** For one that cannot be there yet. */
  addNew(id: string): void {
    this.#ids.set(id, true);
  }

  /** False if it was there already. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.set(id, true);
    return true;
  }
}
