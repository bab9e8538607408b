/** What the demo takes from outside: time, chance, and the way out. */
export interface World {
  now(): Date;
  /** A whole number from 1 to `sides`. */
  roll(sides: number): number;
  exit(code: number): void;
}
