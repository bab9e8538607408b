import { namesOf, type SaidMessage } from '@rostra/kernel/projection/said-message';
import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import { limits } from '@rostra/protocol/wire/limits';
import { NameNumbers } from './name-numbers.ts';

/** Messages by their ids, which are names among those of one role only. */
type Names = Readonly<Record<SaidMessage['role'], Map<string, SaidMessage>>>;

function noNames(): Names {
  return { user: new Map(), assistant: new Map(), tool: new Map() };
}

function sizeOf({ user, assistant, tool }: Names): number {
  return user.size + assistant.size + tool.size;
}

function isAmong({ user, assistant, tool }: Names, id: string): boolean {
  return user.has(id) || assistant.has(id) || tool.has(id);
}

/** The newest messages of a session by the ids under which clients send them back. */
export class SaidIndex {
  #young = noNames();
  #old = noNames();
  #isComplete: boolean;
  /** All that was said, here or not. */
  readonly #names: NameNumbers;

  /** `before`: what the messages from before were called, as numbers; null where that is not known. */
  constructor(before: Int32Array | null) {
    this.#isComplete = before?.length === 0;
    this.#names = new NameNumbers(before);
  }

  /** What is not here was never said, or was taken back. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether a message that is not here may have had this name; a new name costs no look into the store. */
  mayHold(id: string): boolean {
    return !this.#isComplete && this.#names.mayHold(id) && !isAmong(this.#young, id) && !isAmong(this.#old, id);
  }

  get isEmpty(): boolean {
    return sizeOf(this.#young) === 0 && sizeOf(this.#old) === 0;
  }

  find(role: SaidMessage['role'], id: string): SaidMessage | null {
    if (!this.#names.mayHold(id)) return null;
    return this.#young[role].get(id) ?? this.#old[role].get(id) ?? null;
  }

  add(rows: readonly TranscriptRow[]): void {
    for (const row of rows) {
      if (row.supersedes !== null) this.#takeBack(row.supersedes);
      for (const said of namesOf(row)) this.#set(said);
    }
  }

  /** The older half goes at once: to forget one at a time would cost a look for the oldest with each message. */
  #set(said: SaidMessage): void {
    this.#names.add(said.id);
    this.#young[said.role].set(said.id, said);
    if (sizeOf(this.#young) < limits.known_said) return;
    this.#isComplete &&= sizeOf(this.#old) === 0;
    this.#old = this.#young;
    this.#young = noNames();
  }

  #takeBack(from_seq: number): void {
    for (const names of [...Object.values(this.#young), ...Object.values(this.#old)]) {
      for (const [id, { seq }] of names) if (seq >= from_seq) names.delete(id);
    }
  }
}
