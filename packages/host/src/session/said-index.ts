import { namesOf, type SaidMessage } from '@rostra/kernel/projection/said-message';
import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import { limits } from '@rostra/protocol/wire/limits';

/** FNV-1a: two names may share a number, and then the store is asked. */
function numberOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return hash;
}

/** The newest messages of a session by the ids under which clients send them back. */
export class SaidIndex {
  readonly #messages = new Map<string, SaidMessage>();
  #isComplete: boolean;
  /** What older messages were called, as numbers; null where that is not known either. */
  #forgotten: Set<number> | null;

  /** `isWhole`: nothing was said before. */
  constructor(isWhole: boolean) {
    this.#isComplete = isWhole;
    this.#forgotten = isWhole ? new Set() : null;
  }

  /** What is not here was never said, or was taken back. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether a message that is not here may have had this name; a new name costs no look into the store. */
  mayHold(id: string): boolean {
    return !this.#isComplete && (this.#forgotten === null || this.#forgotten.has(numberOf(id)));
  }

  get isEmpty(): boolean {
    return this.#messages.size === 0;
  }

  find(role: SaidMessage['role'], id: string): SaidMessage | null {
    return this.#messages.get(`${role} ${id}`) ?? null;
  }

  add(rows: readonly TranscriptRow[]): void {
    for (const row of rows) {
      if (row.supersedes !== null) this.#takeBack(row.supersedes);
      for (const said of namesOf(row)) this.#set(said);
    }
  }

  /** The oldest half goes at once: to forget one at a time would cost a look for the oldest with each message. */
  #set(said: SaidMessage): void {
    const key = `${said.role} ${said.id}`;
    // Back to the end: what is forgotten first is what was said first.
    this.#messages.delete(key);
    this.#messages.set(key, said);
    if (this.#messages.size < limits.known_said * 2) return;
    this.#isComplete = false;
    let left: number = limits.known_said;
    for (const [old, { id }] of this.#messages) {
      if (left === 0) break;
      this.#messages.delete(old);
      this.#forgotten?.add(numberOf(id));
      left -= 1;
    }
    if (this.#forgotten !== null && this.#forgotten.size > limits.known_names) this.#forgotten = null;
  }

  #takeBack(from_seq: number): void {
    for (const [key, { seq }] of this.#messages) if (seq >= from_seq) this.#messages.delete(key);
  }
}
