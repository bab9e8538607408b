import type { StoreHealth } from '../host-store.ts';
import type { WorkerOptions } from './worker-message.ts';
import type { WorkerThread } from './worker-thread.ts';

const sound: StoreHealth = { state: 'sound', problems: [], damaged_sessions: [] };

/**
 * The look at a database that was not closed in order. It has a thread of its own while it lasts: a large file takes
 * seconds, and those who read history would wait for them.
 */
export class HealthCheck {
  readonly #start: () => WorkerThread;
  readonly #options: WorkerOptions;
  #thread: WorkerThread | null = null;
  #isStopped = false;
  health: StoreHealth = sound;

  constructor(start: () => WorkerThread, options: WorkerOptions) {
    this.#start = start;
    this.#options = options;
  }

  suspect(): void {
    this.health = { ...sound, state: 'unchecked' };
  }

  async run(): Promise<StoreHealth> {
    if (this.health.state !== 'unchecked') return this.health;
    this.health = { ...sound, state: 'checking' };
    const thread = this.#start();
    this.#thread = thread;
    try {
      await thread.ask({ method: 'open', options: this.#options });
      const findings = await thread.ask({ method: 'check' });
      const isSound = findings.problems.length === 0 && findings.damaged_sessions.length === 0;
      this.health = { state: isSound ? 'sound' : 'damaged', ...findings };
    } catch (error) {
      this.health = this.#isStopped ? { ...sound, state: 'unchecked' } : failed(error);
    }
    this.#thread = null;
    await thread.terminate();
    return this.health;
  }

  /** What is not finished is left: the next start, if it must, looks again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#thread?.terminate();
  }
}

function failed(error: unknown): StoreHealth {
  const why = error instanceof Error ? error.message : String(error);
  return { state: 'damaged', problems: [`The database could not be checked: ${why}`], damaged_sessions: [] };
}
