const LONG = 200;
const encoder = new TextEncoder();
const bytes = new Uint8Array(65_536);

/** FNV-1a over the text, then mixed: nearby keys give unrelated numbers. */
export function hashText(seed: number, text: string): number {
  return mix(addText(begunHash(seed), text));
}

/** A hash to add texts to; `mix` ends it. */
export function begunHash(seed: number): number {
  return (0x811c9dc5 ^ seed) | 0;
}

export function addText(hash: number, text: string): number {
  return text.length > LONG ? addLong(hash, text) : addShort(hash, text);
}

function addShort(hash: number, text: string): number {
  let h = hash;
  for (let i = 0; i < text.length; i += 1) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h;
}

/** The same over bytes, which takes half the time; only where all characters are ASCII are they the same. */
function addLong(hash: number, text: string): number {
  if (text.length > bytes.length) return addShort(hash, text);
  const { written } = encoder.encodeInto(text, bytes);
  if (written !== text.length) return addShort(hash, text);
  let h = hash;
  for (let i = 0; i < written; i += 1) h = Math.imul(h ^ (bytes[i] ?? 0), 0x01000193);
  return h;
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
    let total = 0;
    for (const key in weights) total += weights[key] ?? 0;
    let left = this.unit() * total;
    for (const key in weights) {
      left -= weights[key] ?? 0;
      if (left < 0) return key;
    }
    throw new Error('no weight is positive');
  }
}
