import type { WorkerThread } from './worker-thread.ts';

/** The host's end of the journal: who reads past the writer sees what is in the tables, and waits until all of it is. */
export class Settled {
  readonly #writer: WorkerThread;
  #isSettled = true;

  constructor(writer: WorkerThread) {
    this.#writer = writer;
  }

  /** With each commit that was answered. */
  told(unsettled: boolean): void {
    this.#isSettled = !unsettled;
  }

  /** Calls `read` when every commit that was answered has its rows, now or soon; or `fail`. */
  before(read: () => void, fail: (error: Error) => void): void {
    if (this.#isSettled) {
      read();
      return;
    }
    this.#writer.call({ method: 'settle' }, (error) => {
      if (error !== null) {
        fail(error);
        return;
      }
      // Commits that were answered before this answer are settled by it, those after it have not been told yet.
      this.#isSettled = true;
      read();
    });
  }
}
