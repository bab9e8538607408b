import type { StoreHealth } from '../host-store.ts';
import type { CheckProcess } from './check-process.ts';
import type { WorkerOptions } from './worker-message.ts';

const sound: StoreHealth = { state: 'sound', problems: [], damaged_sessions: [] };

/** The look at a database that was not closed in order; those who write and read go on meanwhile. */
export class HealthCheck {
  readonly #start: () => CheckProcess;
  readonly #options: WorkerOptions;
  #process: CheckProcess | null = null;
  #isStopped = false;
  health: StoreHealth = sound;

  constructor(start: () => CheckProcess, options: WorkerOptions) {
    this.#start = start;
    this.#options = options;
  }

  suspect(): void {
    this.health = { ...sound, state: 'unchecked' };
  }

  async run(): Promise<StoreHealth> {
    if (this.health.state !== 'unchecked') return this.health;
    this.health = { ...sound, state: 'checking' };
    const looking = this.#start();
    this.#process = looking;
    try {
      const findings = await looking.check(this.#options);
      const isSound = findings.problems.length === 0 && findings.damaged_sessions.length === 0;
      this.health = { state: isSound ? 'sound' : 'damaged', ...findings };
    } catch (error) {
      this.health = this.#isStopped ? { ...sound, state: 'unchecked' } : failed(error);
    }
    this.#process = null;
    await looking.kill();
    return this.health;
  }

  /** What is not finished is left: the next start, if it must, looks again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#process?.kill();
  }
}

function failed(error: unknown): StoreHealth {
  const why = error instanceof Error ? error.message : String(error);
  return { state: 'damaged', problems: [`The database could not be checked: ${why}`], damaged_sessions: [] };
}
