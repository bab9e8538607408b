interface Place<V> {
  value: V | undefined;
}

/**
 * A map that stays while its entries come and go, for what lives as long as a run or a request.
 *
 * A Map that has used up its table leaves it behind as it is, with a pointer to the next one. As soon as one such table is
 * old, the collector of young objects takes all that follow it for alive, with everything that lay in them, until the next
 * collection of the whole heap: each run would outlive itself by seconds and be copied twice on its way. So a place is
 * emptied before it is left, and an empty table is left without a pointer.
 */
export class LiveMap<K, V extends NonNullable<unknown>> {
  #places = new Map<K, Place<V>>();

  get size(): number {
    return this.#places.size;
  }

  get(key: K): V | undefined {
    return this.#places.get(key)?.value;
  }

  has(key: K): boolean {
    return this.#places.has(key);
  }

  set(key: K, value: V): void {
    const place = this.#places.get(key);
    if (place === undefined) this.#places.set(key, { value });
    else place.value = value;
  }

  /** The same for a key that is not there: it is not looked for first. */
  add(key: K, value: V): void {
    this.#places.set(key, { value });
  }

  delete(key: K): boolean {
    const place = this.#places.get(key);
    if (place === undefined) return false;
    place.value = undefined;
    this.#places.delete(key);
    if (this.#places.size === 0) this.#places = new Map();
    return true;
  }

  /** In the order in which they came; what is added or leaves meanwhile is met or missed as in a Map. */
  *values(): Generator<V> {
    for (const { value } of this.#places.values()) if (value !== undefined) yield value;
  }

  keys(): IterableIterator<K> {
    return this.#places.keys();
  }
}
