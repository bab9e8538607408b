import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Principal } from '../session/session-gateway.ts';

/** Gives the place of a stream back; more than once does nothing more. */
export type Release = () => void;

/** Streams that are open, by the credential that opened them. */
export class StreamCount {
  readonly #open = new Map<string, number>();

  of(credential_id: string): number {
    return this.#open.get(credential_id) ?? 0;
  }

  /** Refuses beyond what the credential may have open at a time. */
  open({ credential }: Principal): Release {
    if (credential === undefined || credential.streams === null) return () => undefined;
    const { id, streams } = credential;
    const count = this.of(id);
    if (count >= streams) {
      throw new ApiError('rate_limited', `this key may have ${streams} streams open`, {
        retryable: true,
        details: { hint: 'Close streams that nobody reads, or ask for a key with more of them.' },
      });
    }
    this.#open.set(id, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = this.of(id) - 1;
      if (left > 0) this.#open.set(id, left);
      else this.#open.delete(id);
    };
  }
}
