import type { Clock } from '../session/clock.ts';

export type CredentialListener = (credential_id: string) => void;

/** Tells whoever serves somebody for long, as streams do, that the credential or login behind it is not valid any more. */
export class CredentialWatch {
  readonly #clock: Pick<Clock, 'now' | 'at'>;
  readonly #listeners = new Set<CredentialListener>();
  readonly #ends = new Map<string, number>();
  #armed: { at: number; callOff: () => void } | null = null;

  constructor(clock: Pick<Clock, 'now' | 'at'>) {
    this.#clock = clock;
  }

  /** Returns how to stop listening. */
  watch(listener: CredentialListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(credential_id: string): void {
    this.#ends.delete(credential_id);
    for (const listener of this.#listeners) listener(credential_id);
  }

  /** It ends by itself, then; a later word counts. */
  expectEnd(credential_id: string, at: number): void {
    this.#ends.set(credential_id, at);
    if (this.#armed === null || at < this.#armed.at) this.#arm(at);
  }

  close(): void {
    this.#armed?.callOff();
    this.#armed = null;
    this.#ends.clear();
  }

  #arm(at: number): void {
    this.#armed?.callOff();
    this.#armed = { at, callOff: this.#clock.at(at, () => this.#wake()) };
  }

  #wake(): void {
    this.#armed = null;
    const now = this.#clock.now();
    const ended = [...this.#ends].filter(([, at]) => at <= now);
    for (const [id] of ended) this.tell(id);
    let next = Number.POSITIVE_INFINITY;
    for (const at of this.#ends.values()) next = Math.min(next, at);
    if (Number.isFinite(next)) this.#arm(next);
  }
}
