/** FNV-1a over the text, then mixed: nearby keys give unrelated numbers. */
export function hashText(seed: number, text: string): number {
  let h = (0x811c9dc5 ^ seed) >>> 0;
  for (let i = 0; i < text.length; i += 1) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return mix(h);
}

export function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  return (h ^ (h >>> 15)) >>> 0;
}

/** splitmix32: small, fast, and the same on every machine. */
export class Prng {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** 32 bits. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    return mix(this.#state);
  }

  /** In [0, 1). */
  unit(): number {
    return this.next() / 4_294_967_296;
  }

  below(n: number): number {
    return Math.floor(this.unit() * n);
  }

  /** Both ends included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  /** A key, by weight. */
  weighted<K extends string>(weights: Readonly<Partial<Record<K, number>>>): K {
    const entries = Object.entries<number | undefined>(weights);
    let total = 0;
    for (const [, weight] of entries) total += weight ?? 0;
    let left = this.unit() * total;
    for (const [key, weight] of entries) {
      left -= weight ?? 0;
      if (left < 0) return key as K;
    }
    throw new Error('no weight is positive');
  }
}
