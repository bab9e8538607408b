import type { WorkerThread } from './worker-thread.ts';

/** The host's count of what is in the journal: who reads past the writer sees the tables, and waits until all is there. */
export class Unsettled {
  readonly #writer: Pick<WorkerThread, 'call'>;
  /** Units that were told and have no rows yet. */
  #waiting = 0;

  constructor(writer: Pick<WorkerThread, 'call'>) {
    this.#writer = writer;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Units are about to be told. */
  add(units: number): void {
    this.#waiting += units;
  }

  /** Units have their rows. */
  remove(units: number): void {
    this.#waiting -= units;
  }

  /** Calls `read` when every unit that was told has its rows, now or soon; or `fail`. */
  before(read: () => void, fail: (error: Error) => void): void {
    if (this.#waiting === 0) {
      read();
      return;
    }
    this.#writer.call({ method: 'settle' }, (error) => {
      if (error === null) read();
      else fail(error);
    });
  }
}
