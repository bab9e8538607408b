import { limits } from '@rostra/protocol/wire/limits';
import { nameNumber } from '../store/session-names.ts';

const FREE = 0;
const SLOTS_MIN = 64;

/**
 * Names as numbers: enough to know that a name is new without a look at those who remember more of them. A name that
 * shares its number with another costs that look and nothing else.
 */
export class NameNumbers {
  /** Each number stands at its own place or, where others are, behind them; null where they are not known, or too many. */
  #slots: Int32Array | null;
  #count = 0;

  constructor(numbers: Int32Array | null) {
    this.#slots = numbers === null ? null : new Int32Array(SLOTS_MIN);
    for (const number of numbers ?? []) this.#put(taken(number));
  }

  mayHold(name: string): boolean {
    if (this.#slots === null) return true;
    return this.#count > 0 && this.#slots[placeOf(this.#slots, taken(nameNumber(name)))] !== FREE;
  }

  add(name: string): void {
    this.#put(taken(nameNumber(name)));
  }

  #put(number: number): void {
    if (this.#slots === null) return;
    const place = placeOf(this.#slots, number);
    if (this.#slots[place] !== FREE) return;
    this.#slots[place] = number;
    this.#count += 1;
    if (this.#count > limits.known_names) this.#slots = null;
    else if (this.#count * 2 > this.#slots.length) this.#slots = spread(this.#slots);
  }
}

/** One that could be taken for a free place shares the number of another. */
function taken(number: number): number {
  return number === FREE ? 1 : number;
}

/** Where a number stands, or the free place where it would. */
function placeOf(slots: Int32Array, number: number): number {
  const last = slots.length - 1;
  let place = (number ^ (number >>> 16)) & last;
  while (slots[place] !== FREE && slots[place] !== number) place = (place + 1) & last;
  return place;
}

function spread(slots: Int32Array): Int32Array {
  const wider = new Int32Array(slots.length * 2);
  for (const number of slots) if (number !== FREE) wider[placeOf(wider, number)] = number;
  return wider;
}
