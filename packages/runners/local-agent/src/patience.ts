import { ApiError, type RunFailure, type RunTools } from '@rostra/runner-sdk';

const PAUSE_MIN = 250;
const PAUSE_MAX = 15_000;

const budget: RunFailure = 'budget_exceeded';

/** Whether the host holds the run back for a while: a person is asked about its budget, or it calls too often. */
export function isHeldBack(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.code !== 'rate_limited') return false;
  const { reason, retry_after_ms } = error.details;
  // A provider or a tool that takes no more for now names a reason of its own: that is theirs to tell.
  return reason === undefined ? typeof retry_after_ms === 'number' : reason === budget;
}

/** Pauses that grow. The host ends a run whose budget nobody extends, so that nobody waits for ever. */
export class Pauses {
  readonly #tools: Pick<RunTools, 'sleep'>;
  #next = PAUSE_MIN;

  constructor(tools: Pick<RunTools, 'sleep'>) {
    this.#tools = tools;
  }

  async take(): Promise<void> {
    const ms = this.#next;
    this.#next = Math.min(ms * 2, PAUSE_MAX);
    await this.#tools.sleep(ms);
  }
}

/** Makes a call again for as long as the run is held back. */
export async function patiently<T>(tools: Pick<RunTools, 'sleep'>, call: () => Promise<T>): Promise<T> {
  const pauses = new Pauses(tools);
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isHeldBack(error)) throw error;
    }
    await pauses.take();
  }
}
