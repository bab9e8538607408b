import type { EventRow } from '@rostra/kernel/projection/event-row';
import { namesOf } from '@rostra/kernel/projection/said-message';
import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import type { HostStore, StoreHealth } from '../host-store.ts';
import {
  type ClaimCallback,
  type ClaimedSession,
  type CommitCallback,
  givesWork,
  type MessageCallback,
  type NamesCallback,
  type OwnedTurn,
  type RenewCallback,
  type Segment,
  type SegmentsCallback,
  type StoreStats,
  type TurnRow,
  type Unit,
  type UnitResult,
} from '../port.ts';
import { isTerminal, type RunRow } from '../ports/run.ts';
import { sessionGone, sessionHeld } from '../refusal.ts';
import { refused } from '../refused.ts';
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
import { sessionNames } from '../session-names.ts';
import { MemoryLeases } from './memory-leases.ts';
import { duplicate } from './memory-objects.ts';
import { memoryPorts } from './memory-ports.ts';
import { type MemorySession, MemoryTables, type SessionRow } from './memory-tables.ts';

export interface MemoryStoreOptions {
  hash?: SegmentHash;
  /** The store's clock, by which leases run out. */
  now?: () => number;
}

/**
 * The store without a disk, for tests and simulation. Callbacks run before the call returns. What was committed but not
 * flushed can be taken back, as a power cut would.
 */
export class MemoryStore implements HostStore {
  /** Open to tests that damage what is stored. */
  readonly tables = new MemoryTables();
  readonly runs: HostStore['runs'];
  readonly transcript: HostStore['transcript'];
  readonly events: HostStore['events'];
  readonly state: HostStore['state'];
  readonly storage: HostStore['storage'];
  readonly artifacts: HostStore['artifacts'];
  readonly interactions: HostStore['interactions'];
  readonly audit: HostStore['audit'];
  readonly dossiers: HostStore['dossiers'];
  readonly registry: HostStore['registry'];
  readonly knowledge: HostStore['knowledge'];
  readonly sessions: HostStore['sessions'];
  readonly #leases: MemoryLeases;
  readonly #hash: SegmentHash;
  readonly #stats: StoreStats = { commits: 0, flushes: 0, inserts: 0, updates: 0 };

  constructor(options: MemoryStoreOptions = {}) {
    this.#hash = options.hash ?? sha256Hash;
    const now = options.now ?? Date.now;
    this.#leases = new MemoryLeases(now);
    const ports = memoryPorts(this.tables, this.#leases, now);
    this.runs = ports.runs;
    this.transcript = ports.transcript;
    this.events = ports.events;
    this.state = ports.state;
    this.storage = ports.storage;
    this.artifacts = ports.artifacts;
    this.interactions = ports.interactions;
    this.audit = ports.audit;
    this.dossiers = ports.dossiers;
    this.registry = ports.registry;
    this.knowledge = ports.knowledge;
    this.sessions = ports.sessions;
  }

  claim(session_id: string, holder: string, done: ClaimCallback): void {
    const tried = attempt(() => this.#claim(session_id, holder));
    if ('error' in tried) done(tried.error, null);
    else done(null, tried.value);
  }

  renew(holder: string, done: RenewCallback): void {
    done(null, this.#leases.renew(holder));
  }

  release(session_id: string, holder: string, done: (error: Error | null) => void = () => undefined): void {
    this.#leases.release(session_id, holder);
    done(null);
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

  readNames(session_id: string, done: NamesCallback): void {
    const tried = attempt(() => {
      const session = this.#session(session_id);
      if (session === null) return null;
      const said = session.transcript.flatMap(namesOf).map(({ id }) => id);
      return sessionNames([...session.messages.keys()], said);
    });
    if ('error' in tried) done(tried.error, null);
    else done(null, tried.value);
  }

  findMessage(session_id: string, message_id: string, done: MessageCallback): void {
    const tried = attempt(() => {
      const known = this.#session(session_id)?.messages.get(message_id) ?? null;
      return typeof known === 'string' ? { ...this.tables.turn(known) } : known;
    });
    if ('error' in tried) done(tried.error, null);
    else done(null, tried.value);
  }

  /** A crash of the process keeps what was committed; a power cut drops every commit after the last flushed one. */
  crash(cause: { power: boolean }): void {
    if (cause.power) this.tables.undo(0);
  }

  stats(): Promise<StoreStats> {
    return Promise.resolve({ ...this.#stats });
  }

  health(): StoreHealth {
    return { state: 'sound', problems: [], damaged_sessions: [] };
  }

  inspect(): Promise<StoreHealth> {
    return Promise.resolve(this.health());
  }

  readSegments(session_id: string, after: number, bytes: number): Promise<Segment[]> {
    return settled(() => {
      const session = this.#session(session_id);
      return session === null ? [] : cutSegments(session.segmentsAfter(after), bytes);
    });
  }

  readHead(
    session_id: string,
  ): Promise<{ last_seq: number; epoch: number; owner_id: string; workspace_id: string } | null> {
    return settled(() => {
      const session = this.#session(session_id);
      if (session === null) return null;
      const { last_seq, owner_id, workspace_id } = session.row;
      return { last_seq, epoch: session.segments.at(-1)?.epoch ?? session.row.epoch, owner_id, workspace_id };
    });
  }

  findTurn(turn_id: string): Promise<OwnedTurn | null> {
    const row = this.tables.turns.get(turn_id);
    const session = row === undefined ? undefined : this.tables.sessions.get(row.session_id);
    if (row === undefined || session === undefined) return Promise.resolve(null);
    const { workspace_id, owner_id } = session.row;
    return Promise.resolve({ ...row, workspace_id, owner_id });
  }

  listUnfinished(): Promise<string[]> {
    const sessions = [...this.tables.sessions.values()].filter(({ live, outbox }) => live.size > 0 || outbox.size > 0);
    return Promise.resolve(sessions.map(({ row }) => row.id));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Null for an unknown one; a deleted one is refused. */
  #session(session_id: string): MemorySession | null {
    if (this.tables.tombstones.has(session_id)) throw sessionGone(session_id);
    return this.tables.sessions.get(session_id) ?? null;
  }

  #claim(session_id: string, holder: string): ClaimedSession | null {
    const session = this.#session(session_id);
    if (session === null) return null;
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
    if (this.#leases.isHeld(session_id, holder)) throw sessionHeld(session_id);
    this.#leases.hold(session_id, holder);
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
    const session = this.#session(session_id);
    const found: Segment[] = [];
    for (const [index, segment] of session?.segments.entries() ?? []) {
      if (![...seqs].some((seq) => seq >= segment.first_seq && seq <= segment.last_seq)) continue;
      if (session !== null) verifyChain(session_id, session.before(index), [segment], this.#hash);
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
    this.tables.setRow(session, this.#rowAfter(session.row, unit, hashes));
    for (const [index, { first_seq, last_seq, epoch, time, body }] of unit.segments.entries()) {
      this.tables.append(session, { first_seq, last_seq, epoch, time, body, hash: hashes[index] ?? '' });
    }
    this.#stats.inserts += unit.segments.length + unit.message_ids.length + unit.outbox_add.length;
    for (const turn of unit.turns) this.#writeTurn(session, turn);
    for (const run of unit.runs) this.#writeRun(run);
    for (const row of unit.transcript) this.#writeTranscript(session, row);
    for (const row of unit.events) this.#writeEvent(session, row);
    for (const change of unit.interactions) this.tables.setInteraction(change);
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
      if (session !== undefined || this.tables.tombstones.has(unit.session_id)) return null;
      return this.#create(unit, unit.created);
    }
    if (session?.row.epoch !== unit.epoch || session.row.last_seq !== unit.expected_seq) return null;
    this.#stats.updates += 1;
    return session;
  }

  #create(unit: Unit, { holder, ...created }: NonNullable<Unit['created']>): MemorySession {
    const { session_id: id, epoch, time } = unit;
    this.#stats.inserts += 1;
    if (holder !== undefined) this.#leases.hold(id, holder);
    const times = { created_at: time, updated_at: time, active_at: time };
    return this.tables.create({ ...created, ...times, id, epoch, last_seq: unit.expected_seq, hash: genesis.hash });
  }

  /** Field by field: a spread that adds fields costs a hundred times as much. */
  #rowAfter(row: SessionRow, unit: Unit, hashes: string[]): SessionRow {
    const { session_id, context, last_seq, time } = unit;
    const isSaved = context !== null;
    return {
      key: row.key,
      id: row.id,
      workspace_id: row.workspace_id,
      owner_id: row.owner_id,
      epoch: row.epoch,
      last_seq,
      hash: hashes.at(-1) ?? row.hash,
      created_at: row.created_at,
      updated_at: time,
      active_at: givesWork(unit) ? time : row.active_at,
      title: row.title,
      context: isSaved ? context : row.context,
      context_seq: isSaved ? last_seq : row.context_seq,
      context_hash: isSaved ? hashContext(session_id, last_seq, context, this.#hash) : row.context_hash,
    };
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

  #writeRun(run: RunRow): void {
    const old = this.tables.runs.get(run.run_id);
    if (old === undefined) this.#stats.inserts += 1;
    else this.#stats.updates += 1;
    if (old !== undefined && isTerminal(old.status) && old.status !== run.status) {
      throw new Error(`run ${run.run_id} is ${old.status} and cannot become ${run.status}`);
    }
    if (old !== undefined && old.session_id !== run.session_id) throw duplicate(`run ${run.run_id}`);
    // What a run began with stays, whatever a later owner of its session still knows of it.
    const { bot_id, thread_id, first_seq } = old ?? run;
    this.tables.setRun({ ...run, bot_id, thread_id, first_seq });
  }

  #writeTranscript(session: MemorySession, row: TranscriptRow): void {
    if (session.transcript.some(({ seq }) => seq === row.seq)) throw duplicate(`transcript item ${row.seq}`);
    this.#stats.inserts += 1;
    this.tables.addTranscript(session, ownRow(row));
  }

  #writeEvent(session: MemorySession, row: EventRow): void {
    if (session.events.some(({ seq }) => seq === row.seq)) throw duplicate(`event ${row.seq}`);
    this.#stats.inserts += 1;
    this.tables.addEvent(session, { ...row });
  }

  #remember(session: MemorySession, id: string, known: string | true): void {
    if (session.messages.has(id)) throw duplicate(`message ${id} of session ${session.row.id}`);
    this.tables.setMessage(session, id, known);
  }
}

/** The row as the store's own. Most have no JSON of their own in them, and a clone of nothing is dear. */
function ownRow(row: TranscriptRow): TranscriptRow {
  const copy = { ...row };
  if (row.actor !== null) copy.actor = { ...row.actor };
  if (row.content_json !== null) copy.content_json = structuredClone(row.content_json);
  if (row.ui_schema !== null) copy.ui_schema = structuredClone(row.ui_schema);
  copy.attachments = row.attachments.length === 0 ? [] : structuredClone(row.attachments);
  copy.metadata = Object.keys(row.metadata).length === 0 ? {} : structuredClone(row.metadata);
  return copy;
}

/** Keeps what a callback throws apart from what the store throws. */
function attempt<T>(work: () => T): { value: T } | { error: Error } {
  try {
    return { value: work() };
  } catch (error) {
    return { error: refused(error) };
  }
}

async function settled<T>(work: () => T): Promise<T> {
  const tried = attempt(work);
  if ('error' in tried) throw tried.error;
  return tried.value;
}
