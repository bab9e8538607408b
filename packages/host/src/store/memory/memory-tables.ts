import type { EventRow } from '@rostra/kernel/projection/event-row';
import type { InteractionChange, InteractionRow } from '@rostra/kernel/projection/interaction-rows';
import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import type { TurnRow } from '../port.ts';
import type { RunRow } from '../ports/run.ts';
import type { Tombstone } from '../ports/session-care.ts';
import { type ChainHead, genesis, type HashedSegment } from '../segment-hash.ts';

export interface SessionRow {
  /** Rises with every session. */
  key: number;
  id: string;
  workspace_id: string;
  owner_id: string;
  epoch: number;
  last_seq: number;
  hash: string;
  created_at: number;
  updated_at: number;
  active_at: number;
  title: string | null;
  context: string | null;
  context_seq: number;
  context_hash: string | null;
}

type NewSessionRow = Omit<SessionRow, 'key' | 'title' | 'context' | 'context_seq' | 'context_hash'>;

export class MemorySession {
  row: SessionRow;
  readonly segments: HashedSegment[] = [];
  /** Ids of client messages: the turn they made, or true without one. */
  readonly messages = new Map<string, string | true>();
  readonly outbox = new Set<number>();
  /** Turns that have not ended. */
  readonly live = new Set<string>();
  readonly transcript: TranscriptRow[] = [];
  readonly events: EventRow[] = [];

  constructor(row: SessionRow) {
    this.row = row;
  }

  /** Looked up from the end: readers want what is new. */
  segmentsAfter(seq: number): HashedSegment[] {
    let first = this.segments.length;
    while (first > 0 && (this.segments[first - 1]?.last_seq ?? 0) > seq) first -= 1;
    return this.segments.slice(first);
  }

  /** Where the log stood before the segment at this index. */
  before(index: number): ChainHead {
    const segment = this.segments[index - 1];
    return segment === undefined ? genesis : { seq: segment.last_seq, hash: segment.hash };
  }
}

/** Rows that remember how to take back what was done to them: the undo log is what a power cut would lose. */
export class MemoryTables {
  readonly sessions = new Map<string, MemorySession>();
  readonly turns = new Map<string, TurnRow>();
  readonly runs = new Map<string, RunRow>();
  readonly interactions = new Map<string, InteractionRow>();
  readonly tombstones = new Map<string, Tombstone>();
  readonly #undo: (() => void)[] = [];
  #keys = 0;

  /** Where a commit begins in the undo log. */
  mark(): number {
    return this.#undo.length;
  }

  undo(mark: number): void {
    while (this.#undo.length > mark) this.#undo.pop()?.();
  }

  /** Everything so far is on disk. */
  forget(): void {
    this.#undo.length = 0;
  }

  create(row: NewSessionRow): MemorySession {
    this.#keys += 1;
    const session = new MemorySession({
      key: this.#keys,
      id: row.id,
      workspace_id: row.workspace_id,
      owner_id: row.owner_id,
      epoch: row.epoch,
      last_seq: row.last_seq,
      hash: row.hash,
      created_at: row.created_at,
      updated_at: row.updated_at,
      active_at: row.active_at,
      title: null,
      context: null,
      context_seq: 0,
      context_hash: null,
    });
    this.sessions.set(row.id, session);
    this.#undo.push(() => this.sessions.delete(row.id));
    return session;
  }

  /** On disk at once, with everything before it. */
  remove(session: MemorySession, tombstone: Tombstone): void {
    this.forget();
    const { id } = session.row;
    this.sessions.delete(id);
    for (const [turn_id, turn] of this.turns) if (turn.session_id === id) this.turns.delete(turn_id);
    for (const [run_id, run] of this.runs) if (run.session_id === id) this.runs.delete(run_id);
    for (const [each, row] of this.interactions) if (row.session_id === id) this.interactions.delete(each);
    this.tombstones.set(id, tombstone);
  }

  setRow(session: MemorySession, row: SessionRow): void {
    const old = session.row;
    session.row = row;
    this.#undo.push(() => {
      session.row = old;
    });
  }

  append(session: MemorySession, segment: HashedSegment): void {
    session.segments.push(segment);
    this.#undo.push(() => session.segments.pop());
  }

  /** A turn that something else in these tables names. */
  turn(turn_id: string): TurnRow {
    const turn = this.turns.get(turn_id);
    if (turn === undefined) throw new Error(`there is no row of turn ${turn_id}`);
    return turn;
  }

  setTurn(session: MemorySession, turn: TurnRow): void {
    const old = this.turns.get(turn.turn_id);
    this.#putTurn(session, turn);
    this.#undo.push(() => {
      if (old !== undefined) return this.#putTurn(session, old);
      this.turns.delete(turn.turn_id);
      session.live.delete(turn.turn_id);
    });
  }

  #putTurn(session: MemorySession, turn: TurnRow): void {
    this.turns.set(turn.turn_id, turn);
    if (turn.ended_at === null) session.live.add(turn.turn_id);
    else session.live.delete(turn.turn_id);
  }

  setRun(run: RunRow): void {
    const old = this.runs.get(run.run_id);
    this.runs.set(run.run_id, run);
    this.#undo.push(() => {
      if (old === undefined) this.runs.delete(run.run_id);
      else this.runs.set(run.run_id, old);
    });
  }

  /** A row that has ended stays as it is. */
  setInteraction(change: InteractionChange): void {
    const { interaction_id: id } = change.opened ?? change.resolved;
    const old = this.interactions.get(id);
    if (change.opened !== undefined) {
      if (old !== undefined) return;
      this.interactions.set(id, change.opened);
    } else {
      if (old?.status !== 'pending') return;
      this.interactions.set(id, { ...old, ...change.resolved });
    }
    this.#undo.push(() => {
      if (old === undefined) this.interactions.delete(id);
      else this.interactions.set(id, old);
    });
  }

  addTranscript(session: MemorySession, row: TranscriptRow): void {
    session.transcript.push(row);
    this.#undo.push(() => session.transcript.pop());
  }

  addEvent(session: MemorySession, row: EventRow): void {
    session.events.push(row);
    this.#undo.push(() => session.events.pop());
  }

  setMessage(session: MemorySession, id: string, known: string | true): void {
    session.messages.set(id, known);
    this.#undo.push(() => session.messages.delete(id));
  }

  addOutbox(session: MemorySession, seq: number): void {
    session.outbox.add(seq);
    this.#undo.push(() => session.outbox.delete(seq));
  }

  removeOutbox(session: MemorySession, seq: number): boolean {
    if (!session.outbox.delete(seq)) return false;
    this.#undo.push(() => session.outbox.add(seq));
    return true;
  }
}
