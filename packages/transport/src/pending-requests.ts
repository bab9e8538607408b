import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Json } from '@rostra/protocol/wire/json';
import type { FrameId } from './frame.ts';
import { LiveMap } from './live-map.ts';
import type { Timers } from './timers.ts';

export interface RequestOptions {
  /** Milliseconds after which the caller stops waiting. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  /** Learns, before the request leaves, by which id what belongs to it will be recognised. */
  readonly onId?: (id: number) => void;
}

interface Pending {
  resolve(result: Json): void;
  reject(error: unknown): void;
}

/** The requests that this side has sent and that are not answered yet. */
export class PendingRequests {
  readonly #timers: Timers;
  readonly #open = new LiveMap<FrameId, Pending>();
  #last = 0;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** `send` gets the id under which the answer will be recognised; if it throws, the request was never made. */
  open(method: string, options: RequestOptions, send: (id: number) => void): Promise<Json> {
    const { timeout, signal, onId } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      onId?.(id);
      send(id);
      const fail = (error: unknown) => this.#take(id)?.reject(error);
      const abort = () => fail(signal?.reason);
      const stopTimer =
        timeout === undefined ? undefined : this.#timers.after(timeout, () => fail(late(method, timeout)));
      signal?.addEventListener('abort', abort, { once: true });
      const release = () => {
        stopTimer?.();
        signal?.removeEventListener('abort', abort);
      };
      this.#open.add(id, {
        resolve(result) {
          release();
          resolve(result);
        },
        reject(error) {
          release();
          reject(error);
        },
      });
    });
  }

  /** An answer nobody waits for any more is normal: it lost against a timeout or an abort. */
  resolve(id: FrameId, result: Json): void {
    this.#take(id)?.resolve(result);
  }

  reject(id: FrameId, error: Error): void {
    this.#take(id)?.reject(error);
  }

  rejectAll(error: Error): void {
    for (const id of [...this.#open.keys()]) this.reject(id, error);
  }

  #take(id: FrameId): Pending | undefined {
    const pending = this.#open.get(id);
    this.#open.delete(id);
    return pending;
  }
}

function late(method: string, timeout: number): ApiError {
  return new ApiError('deadline_exceeded', `${method} was not answered within ${timeout} ms.`, { retryable: true });
}
