import { ApiError } from '@rostra/protocol/wire/api-error';
import type {
  ClaimCallback,
  ClaimedSession,
  CommitCallback,
  MessageCallback,
  Segment,
  SegmentsCallback,
  SessionStore,
  StoreStats,
  TurnRow,
  Unit,
  UnitResult,
} from '../port.ts';
import {
  chainUnit,
  cutSegments,
  genesis,
  hashContext,
  type SegmentHash,
  sha256Hash,
  verifyChain,
  verifyTail,
  withoutHash,
} from '../segment-hash.ts';
import { type MemorySession, MemoryTables } from './memory-tables.ts';

export interface MemoryStoreOptions {
  hash?: SegmentHash;
}

/**
 * The store without a disk, for tests and simulation. Callbacks run before the call returns. What was committed but not
 * flushed can be taken back, as a power cut would.
 */
export class MemoryStore implements SessionStore {
  /** Open to tests that damage what is stored. */
  readonly tables = new MemoryTables();
  readonly #hash: SegmentHash;
  readonly #stats: StoreStats = { commits: 0, flushes: 0, inserts: 0, updates: 0 };

  constructor(options: MemoryStoreOptions = {}) {
    this.#hash = options.hash ?? sha256Hash;
  }

  claim(session_id: string, done: ClaimCallback): void {
    const tried = attempt(() => this.#claim(session_id));
    if ('error' in tried) done(tried.error, null);
    else done(null, tried.value);
  }

  commit(units: Unit[], done: CommitCallback): void {
    const mark = this.tables.mark();
    const before = { ...this.#stats };
    const tried = attempt(() => units.map((unit) => this.#write(unit)));
    if ('error' in tried) {
      this.tables.undo(mark);
      Object.assign(this.#stats, before);
      done(tried.error, []);
      return;
    }
    if (tried.value.includes('committed')) this.#committed(units.some((unit) => unit.flush));
    done(null, tried.value);
  }

  readAt(session_id: string, seqs: number[], done: SegmentsCallback): void {
    const tried = attempt(() => this.#segmentsAt(session_id, new Set(seqs)));
    if ('error' in tried) done(tried.error, []);
    else done(null, tried.value);
  }

  findMessage(session_id: string, message_id: string, done: MessageCallback): void {
    const known = this.tables.sessions.get(session_id)?.messages.get(message_id) ?? null;
    done(null, typeof known === 'string' ? { ...this.tables.turn(known) } : known);
  }

  /** A crash of the process keeps what was committed; a power cut drops every commit after the last flushed one. */
  crash(cause: { power: boolean }): void {
    if (cause.power) this.tables.undo(0);
  }

  stats(): Promise<StoreStats> {
    return Promise.resolve({ ...this.#stats });
  }

  readSegments(session_id: string, after: number, bytes: number): Promise<Segment[]> {
    const session = this.tables.sessions.get(session_id);
    return Promise.resolve(session === undefined ? [] : cutSegments(session.segmentsAfter(after), bytes));
  }

  readHead(
    session_id: string,
  ): Promise<{ last_seq: number; epoch: number; owner_id: string; workspace_id: string } | null> {
    const session = this.tables.sessions.get(session_id);
    if (session === undefined) return Promise.resolve(null);
    const { last_seq, owner_id, workspace_id } = session.row;
    return Promise.resolve({
      last_seq,
      epoch: session.segments.at(-1)?.epoch ?? session.row.epoch,
      owner_id,
      workspace_id,
    });
  }

  findTurn(turn_id: string): Promise<TurnRow | null> {
    const row = this.tables.turns.get(turn_id);
    return Promise.resolve(row === undefined ? null : { ...row });
  }

  listUnfinished(): Promise<string[]> {
    const sessions = [...this.tables.sessions.values()].filter(({ live, outbox }) => live.size > 0 || outbox.size > 0);
    return Promise.resolve(sessions.map(({ row }) => row.id));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #claim(session_id: string): ClaimedSession | null {
    const session = this.tables.sessions.get(session_id);
    if (session === undefined) return null;
    const { row, segments } = session;
    const tail = session.segmentsAfter(row.context_seq);
    const proven = tail.length > 0 ? tail : segments.slice(-1);
    verifyTail(
      {
        session_id,
        head: { seq: row.last_seq, hash: row.hash },
        context: row.context,
        context_seq: row.context_seq,
        context_hash: row.context_hash,
        from: session.before(segments.length - proven.length),
        segments: proven,
      },
      this.#hash,
    );
    this.tables.setRow(session, { ...row, epoch: row.epoch + 1 });
    this.#stats.updates += 1;
    this.#committed(true);
    return {
      epoch: session.row.epoch,
      workspace_id: row.workspace_id,
      owner_id: row.owner_id,
      last_seq: row.last_seq,
      context: row.context,
      context_seq: row.context_seq,
      tail: tail.map(withoutHash),
      outbox: [...session.outbox].sort((a, b) => a - b),
      turns: [...session.live].map((turn_id) => ({ ...this.tables.turn(turn_id) })),
    };
  }

  #segmentsAt(session_id: string, seqs: ReadonlySet<number>): Segment[] {
    const session = this.tables.sessions.get(session_id);
    const found: Segment[] = [];
    for (const [index, segment] of session?.segments.entries() ?? []) {
      if (![...seqs].some((seq) => seq >= segment.first_seq && seq <= segment.last_seq)) continue;
      if (session !== undefined) verifyChain(session_id, session.before(index), [segment], this.#hash);
      found.push(withoutHash(segment));
    }
    return found;
  }

  #committed(flush: boolean): void {
    this.#stats.commits += 1;
    if (!flush) return;
    this.#stats.flushes += 1;
    this.tables.forget();
  }

  #write(unit: Unit): UnitResult {
    const session = this.#fence(unit);
    if (session === null) return 'fenced';
    const hashes = chainUnit(unit, session.row.hash, this.#hash);
    this.tables.setRow(session, {
      ...session.row,
      last_seq: unit.last_seq,
      hash: hashes.at(-1) ?? session.row.hash,
      ...this.#context(unit),
    });
    for (const [index, segment] of unit.segments.entries()) {
      this.tables.append(session, { ...segment, hash: hashes[index] ?? '' });
    }
    this.#stats.inserts += unit.segments.length + unit.message_ids.length + unit.outbox_add.length;
    for (const turn of unit.turns) this.#writeTurn(session, turn);
    for (const id of unit.message_ids) this.#remember(session, id, true);
    for (const seq of unit.outbox_add) {
      if (session.outbox.has(seq)) throw duplicate(`outbox row ${seq} of session ${unit.session_id}`);
      this.tables.addOutbox(session, seq);
    }
    for (const seq of unit.outbox_remove) if (this.tables.removeOutbox(session, seq)) this.#stats.updates += 1;
    return 'committed';
  }

  /** The session that the unit may write; null when another owner was here, or a session of that id exists. */
  #fence(unit: Unit): MemorySession | null {
    const session = this.tables.sessions.get(unit.session_id);
    if (unit.created !== null) {
      if (session !== undefined) return null;
      this.#stats.inserts += 1;
      const { session_id: id, epoch } = unit;
      return this.tables.create({ ...unit.created, id, epoch, last_seq: unit.expected_seq, hash: genesis.hash });
    }
    if (session?.row.epoch !== unit.epoch || session.row.last_seq !== unit.expected_seq) return null;
    this.#stats.updates += 1;
    return session;
  }

  #context(unit: Unit): { context?: string; context_seq?: number; context_hash?: string } {
    const { session_id, context, last_seq } = unit;
    if (context === null) return {};
    return { context, context_seq: last_seq, context_hash: hashContext(session_id, last_seq, context, this.#hash) };
  }

  #writeTurn(session: MemorySession, turn: TurnRow): void {
    const old = this.tables.turns.get(turn.turn_id);
    if (old === undefined) {
      this.#stats.inserts += 1;
      this.#remember(session, turn.message_id, turn.turn_id);
    } else {
      this.#stats.updates += 1;
      const same = old.session_id === session.row.id && old.message_id === turn.message_id;
      if (!same) throw duplicate(`turn ${turn.turn_id}`);
    }
    this.tables.setTurn(session, { ...turn });
  }

  #remember(session: MemorySession, id: string, known: string | true): void {
    if (session.messages.has(id)) throw duplicate(`message ${id} of session ${session.row.id}`);
    this.tables.setMessage(session, id, known);
  }
}

/** Keeps what a callback throws apart from what the store throws. */
function attempt<T>(work: () => T): { value: T } | { error: Error } {
  try {
    return { value: work() };
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
}

function duplicate(what: string): ApiError {
  return new ApiError('runtime_error', `The store already holds ${what}.`, {
    retryable: true,
    details: { reason: 'STORE_DUPLICATE' },
  });
}
