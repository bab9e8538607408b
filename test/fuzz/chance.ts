import { Prng } from '../simulation/world/prng.ts';

/** Text that programs trip over: controls, half characters, look-alikes, quotes, prototypes, numbers that are none. */
const odd = [
  '',
  ' ',
  '\u0000',
  '\r\n',
  '\u202e',
  '\ufeff',
  '\ud800',
  '\udfff\ud800',
  '👩‍👩‍👧',
  'ａｄｍｉｎ',
  '../../etc/passwd',
  '%2e%2e%2f',
  '%00',
  '%',
  '%ff',
  "' OR 1=1--",
  '<script>alert(1)</script>',
  '$(id)',
  '{{7*7}}',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'null',
  'undefined',
  'NaN',
  '1e309',
  '-1',
  '0',
  '9007199254740993',
  'true',
  'ß'.repeat(50),
  'a'.repeat(300),
  '['.repeat(40),
  '\\',
  '"',
  '`',
  ';',
  '\n\n',
  'data: x\n\n',
  'id: 1\n',
  '.',
  '..',
  '/',
  '//',
  '?',
  '#',
  '&=',
];

/** Without halves of characters, which no url can carry. */
export function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

/** Everything that a case is made of follows from a seed. */
export class Chance {
  readonly #prng: Prng;

  constructor(seed: number) {
    this.#prng = new Prng(seed);
  }

  below(bound: number): number {
    return this.#prng.below(bound);
  }

  is(percent: number): boolean {
    return this.below(100) < percent;
  }

  of<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error('nothing to choose from');
    return value;
  }

  word(): string {
    if (this.is(60)) return this.of(odd);
    return String.fromCodePoint(...Array.from({ length: 1 + this.below(12) }, () => 32 + this.below(0x2fff)));
  }

  /** A UUID, the same for the same seed: a case can be sent again. */
  id(): string {
    const hex = Array.from({ length: 4 }, () => this.#prng.next().toString(16).padStart(8, '0')).join('');
    return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-8$4-');
  }

  /** Mostly a UUID. */
  uuid(): string {
    const whole = this.id();
    if (this.is(70)) return whole;
    return this.of([
      whole.toUpperCase(),
      whole.slice(1),
      `${whole}0`,
      whole.replace('-', ''),
      `{${whole}}`,
      this.word(),
    ]);
  }

  /** Any JSON, not very deep. */
  json(depth = 3): unknown {
    const kind = this.below(depth > 0 ? 8 : 6);
    if (kind === 0) return null;
    if (kind === 1) return this.is(50);
    if (kind === 2) return this.of([0, -1, 1.5, 1e21, -1e-7, 2 ** 53, this.below(1000)]);
    if (kind < 6) return this.word();
    if (kind === 6) return Array.from({ length: this.below(4) }, () => this.json(depth - 1));
    return Object.fromEntries(Array.from({ length: this.below(4) }, () => [this.word(), this.json(depth - 1)]));
  }

  /** A value as it should be, or with something changed, taken away or put in somewhere. */
  flawed(value: unknown): unknown {
    if (this.is(12)) return this.json();
    if (Array.isArray(value)) {
      const items = value.map((item) => (this.is(40) ? this.flawed(item) : item));
      if (this.is(15)) items.push(this.json());
      if (this.is(10)) items.pop();
      if (this.is(5)) return Array.from({ length: 250 }, () => items[0] ?? null);
      return items;
    }
    if (typeof value !== 'object' || value === null) return this.is(40) ? this.json(1) : value;
    const entries = Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
      if (this.is(6)) return [];
      return [[key, this.is(35) ? this.flawed(item) : item]];
    });
    if (this.is(12)) entries.push([this.word(), this.json()]);
    return Object.fromEntries(entries);
  }

  /** JSON as text, sometimes with a byte of it spoiled. */
  text(value: unknown): Buffer {
    const bytes = Buffer.from(JSON.stringify(value) ?? 'null');
    if (this.is(80) || bytes.length === 0) return bytes;
    const place = this.below(bytes.length);
    if (this.is(30)) return bytes.subarray(0, place);
    if (this.is(30)) return Buffer.concat([bytes.subarray(0, place), Buffer.from(this.word()), bytes.subarray(place)]);
    bytes[place] = this.below(256);
    return bytes;
  }
}
