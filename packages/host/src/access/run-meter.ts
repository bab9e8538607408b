import { ApiError } from '@rostra/protocol/wire/api-error';
import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Credential, Principal } from '../session/session-gateway.ts';

const MINUTE_SECONDS = 60;

function isSpent(thrown: unknown): thrown is RateLimiterRes {
  return typeof thrown === 'object' && thrown !== null && 'msBeforeNext' in thrown;
}

/** Runs a minute, by credential. What counts is loaded when somebody first shows a credential that has such a limit. */
export class RunMeter {
  readonly #limiters = new Map<number, RateLimiterMemory>();

  /** Counts one run; refuses it with 429 beyond the credential's rate. The owner's is not counted, and not waited for. */
  check({ credential }: Principal): void | Promise<void> {
    if (credential === undefined || credential.runs_minute === null) return;
    return this.#count(credential.id, credential.runs_minute);
  }

  async #count(id: Credential['id'], runs_minute: number): Promise<void> {
    const limiter = await this.#limiter(runs_minute);
    try {
      await limiter.consume(id);
    } catch (thrown) {
      if (!isSpent(thrown)) throw thrown;
      throw new ApiError('rate_limited', `this key may start ${runs_minute} runs a minute`, {
        retryable: true,
        details: {
          retry_after: Math.max(1, Math.ceil(thrown.msBeforeNext / 1000)),
          hint: 'Wait for the seconds of Retry-After, or ask for a key with more runs a minute.',
        },
      });
    }
  }

  async #limiter(points: number): Promise<RateLimiterMemory> {
    const known = this.#limiters.get(points);
    if (known !== undefined) return known;
    const { RateLimiterMemory } = await import('rate-limiter-flexible');
    // Two first runs may have come here at once: they must count on the same one.
    const limiter = this.#limiters.get(points) ?? new RateLimiterMemory({ points, duration: MINUTE_SECONDS });
    this.#limiters.set(points, limiter);
    return limiter;
  }
}
