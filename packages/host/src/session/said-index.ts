import { namesOf, type SaidMessage } from '@rostra/kernel/projection/said-message';
import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import { limits } from '@rostra/protocol/wire/limits';
import { OldNames } from './old-names.ts';

/** Messages by their ids, which are names among those of one role only. */
type Names = Readonly<Record<SaidMessage['role'], Map<string, SaidMessage>>>;

function noNames(): Names {
  return { user: new Map(), assistant: new Map(), tool: new Map() };
}

function sizeOf({ user, assistant, tool }: Names): number {
  return user.size + assistant.size + tool.size;
}

/** The newest messages of a session by the ids under which clients send them back. */
export class SaidIndex {
  #young = noNames();
  #old = noNames();
  readonly #forgotten: OldNames;

  /** `before`: what the messages from before were called, as numbers; null where that is not known. */
  constructor(before: Int32Array | null) {
    this.#forgotten = new OldNames(before);
  }

  /** What is not here was never said, or was taken back. */
  get isComplete(): boolean {
    return this.#forgotten.isEmpty;
  }

  /** Whether a message that is not here may have had this name; a new name costs no look into the store. */
  mayHold(id: string): boolean {
    return this.#forgotten.mayHold(id);
  }

  get isEmpty(): boolean {
    return sizeOf(this.#young) === 0 && sizeOf(this.#old) === 0;
  }

  find(role: SaidMessage['role'], id: string): SaidMessage | null {
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
    this.#young[said.role].set(said.id, said);
    if (sizeOf(this.#young) < limits.known_said) return;
    for (const names of Object.values(this.#old)) for (const name of names.keys()) this.#forgotten.add(name);
    this.#old = this.#young;
    this.#young = noNames();
  }

  #takeBack(from_seq: number): void {
    for (const names of [...Object.values(this.#young), ...Object.values(this.#old)]) {
      for (const [id, { seq }] of names) if (seq >= from_seq) names.delete(id);
    }
  }
}
