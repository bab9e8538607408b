import type { ChunkFindings, ChunkSearch } from '../ports/knowledge.ts';
import type { WorkerOptions } from './worker-message.ts';
import type { WorkerThread } from './worker-thread.ts';

/**
 * Searches documents on a thread of its own, begun by the first search: comparing many vectors takes longer than those
 * who read history may wait, and who has no documents pays nothing.
 */
export class SearchThread {
  readonly #start: () => WorkerThread;
  readonly #options: WorkerOptions;
  #opened: Promise<WorkerThread> | null = null;

  constructor(start: () => WorkerThread, options: WorkerOptions) {
    this.#start = start;
    this.#options = options;
  }

  async find(search: ChunkSearch): Promise<ChunkFindings> {
    this.#opened ??= this.#open();
    const thread = await this.#opened;
    return thread.ask({ method: 'find', search });
  }

  async close(): Promise<void> {
    const thread = await this.#opened?.catch(() => null);
    await thread?.close();
  }

  async #open(): Promise<WorkerThread> {
    const thread = this.#start();
    try {
      await thread.ask({ method: 'open', options: this.#options });
      return thread;
    } catch (error) {
      this.#opened = null;
      await thread.terminate();
      throw error;
    }
  }
}
