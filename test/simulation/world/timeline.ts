import { hashText, mix } from './prng.ts';

interface Event {
  at: number;
  /** Orders the lanes within one millisecond. */
  rank: number;
  order: number;
  run: (() => void) | null;
}

/** Virtual time: what happens next, and in which order within one millisecond, follows from the seed. */
export class Timeline {
  now = 0;
  events = 0;
  readonly #seed: number;
  readonly #heap: Event[] = [];
  #soon: (() => void)[] = [];
  #order = 0;
  readonly #ranks = new Map<string, number>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Things of one lane happen in the order they were set; lanes of one millisecond in an order of the seed's choice. */
  at(at: number, lane: string, run: () => void): () => void {
    const time = Math.max(at, this.now);
    const event: Event = { at: time, rank: this.#rank(lane, time), order: this.#order, run };
    this.#order += 1;
    this.#push(event);
    return () => {
      event.run = null;
    };
  }

  #rank(lane: string, at: number): number {
    let h = this.#ranks.get(lane);
    if (h === undefined) {
      h = hashText(this.#seed, lane);
      this.#ranks.set(lane, h);
    }
    return mix(h + at);
  }

  /** Before anything else of the timeline. */
  soon(task: () => void): void {
    this.#soon.push(task);
  }

  /** Runs what comes next; false when nothing is left before `until`. */
  advance(until: number): boolean {
    this.settle();
    let event = this.#heap[0];
    while (event !== undefined && event.run === null) {
      this.#pop();
      event = this.#heap[0];
    }
    if (event === undefined || event.at > until) return false;
    this.#pop();
    this.now = event.at;
    this.events += 1;
    event.run?.();
    this.settle();
    return true;
  }

  settle(): void {
    while (this.#soon.length > 0) {
      const tasks = this.#soon;
      this.#soon = [];
      for (const task of tasks) task();
    }
  }

  #before(a: Event, b: Event): boolean {
    if (a.at !== b.at) return a.at < b.at;
    return a.rank === b.rank ? a.order < b.order : a.rank < b.rank;
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !this.#before(event, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      let below = heap[child];
      const right = heap[child + 1];
      if (below !== undefined && right !== undefined && this.#before(right, below)) {
        child += 1;
        below = right;
      }
      if (below === undefined || !this.#before(below, last)) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
  }
}
