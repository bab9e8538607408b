import { limits } from '@rostra/protocol/wire/limits';

/** Who holds which session, by the clock of the store. */
export class MemoryLeases {
  readonly #now: () => number;
  readonly #holders = new Map<string, { until: number; lapsed: boolean }>();
  readonly #sessions = new Map<string, string>();

  constructor(now: () => number) {
    this.#now = now;
  }

  isHeld(session_id: string, except: string | null = null): boolean {
    const holder = this.#sessions.get(session_id);
    if (holder === undefined || holder === except) return false;
    return (this.#holders.get(holder)?.until ?? 0) > this.#now();
  }

  hold(session_id: string, holder: string): void {
    this.#sessions.set(session_id, holder);
    const known = this.#holders.get(holder);
    const now = this.#now();
    if (known !== undefined && known.until > now) return;
    this.#holders.set(holder, { until: now + limits.lease, lapsed: known !== undefined });
  }

  renew(holder: string): 'renewed' | 'lapsed' {
    const now = this.#now();
    const known = this.#holders.get(holder);
    const hasLapsed = known !== undefined && (known.lapsed || known.until <= now);
    this.#holders.set(holder, { until: now + limits.lease, lapsed: false });
    return hasLapsed ? 'lapsed' : 'renewed';
  }

  release(session_id: string, holder: string): void {
    if (this.#sessions.get(session_id) === holder) this.#sessions.delete(session_id);
  }

  forget(session_id: string): void {
    this.#sessions.delete(session_id);
  }
}
