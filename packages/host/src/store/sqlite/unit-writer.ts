import type { EventRow } from '@rostra/kernel/projection/event-row';
import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import { hit } from '../../failpoint.ts';
import { givesWork, isNew, type Segment, type StoreStats, type TurnRow, type Unit, type UnitResult } from '../port.ts';
import type { RunRow } from '../ports/run.ts';
import { StoreError } from '../refusal.ts';
import { chainUnit, genesis, hashContext, sha256Hash } from '../segment-hash.ts';
import type { Database, Statement } from './driver.ts';
import type { LeaseTable } from './lease-table.ts';
import { LedgerWriter } from './ledger-writer.ts';
import { type SessionHead, SessionHeads } from './session-heads.ts';
import type { Statements } from './statements.ts';
import { fromTurnOfMessage } from './turn-of-message.ts';
import { turnColumns, turnValues } from './turn-row.ts';
import type { WaitingSession } from './waiting-session.ts';
import type { WaitingUnits } from './waiting-units.ts';

type Counts = Pick<StoreStats, 'inserts' | 'updates'>;
type Advance = Pick<Unit, 'epoch' | 'expected_seq' | 'last_seq' | 'time'>;

/** Whether an event is no more than a message which is written anyway; `any_event` finds it there. */
function isToldBy(transcript: readonly TranscriptRow[], event: EventRow): boolean {
  if (event.event_id !== event.turn_id || event.run_id !== null) return false;
  return transcript.some(
    (row) =>
      row.seq === event.seq &&
      row.role === 'user' &&
      row.item_type === 'message' &&
      row.item_id === event.event_id &&
      row.turn_id === event.turn_id &&
      row.event_type === event.event_type &&
      row.run_id === null &&
      row.thread_id === event.thread_id &&
      row.bot_id === event.bot_id &&
      row.actor_id === event.actor_id &&
      row.created_at === event.created_at,
  );
}

/** A run that lives is most often new, and so is that of a new turn. */
function isLikelyNew({ turn_id, ended_at }: RunRow, unit: Unit): boolean {
  return ended_at === null || unit.turns.some((turn) => turn.turn_id === turn_id && isNew(turn, unit));
}

/** Rows as they became, each where it comes first. */
function* once<Row extends object>(
  rows: readonly Row[],
  became: (row: Row) => Row | undefined,
  written: Set<object>,
): Generator<Row> {
  for (const row of rows) {
    const last = became(row) ?? row;
    if (written.has(last)) continue;
    written.add(last);
    yield last;
  }
}

function passed(session_id: string): Error {
  return new Error(`session ${session_id} was written past the journal`);
}

function duplicate(what: string): StoreError {
  return new StoreError({ reason: 'STORE_DUPLICATE', message: `The store already holds ${what}.`, retryable: true });
}

/** Writes the rows of units inside a transaction that someone else began. */
export class UnitWriter {
  readonly heads: SessionHeads;
  readonly #counts: Counts;
  readonly #leases: LeaseTable;
  readonly #ledger: LedgerWriter;
  readonly #create: Statement;
  readonly #advance: Statement;
  readonly #advanceUsed: Statement;
  readonly #saveContext: Statement;
  readonly #segment: Statement;
  readonly #updateTurn: Statement;
  readonly #insertTurn: Statement;
  readonly #message: Statement;
  readonly #turnOfMessage: Statement;
  readonly #outboxAdd: Statement;
  readonly #outboxRemove: Statement;

  constructor(db: Database, counts: Counts, sql: Statements, leases: LeaseTable) {
    this.heads = new SessionHeads(db);
    this.#counts = counts;
    this.#leases = leases;
    this.#ledger = new LedgerWriter(sql);
    this.#create = db.prepare(`
      INSERT INTO session (id, workspace_id, owner_id, epoch, last_seq, hash, created_at, updated_at, active_at)
      SELECT ?1, ?, ?, ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM tombstone WHERE session_id = ?1)
      ON CONFLICT (id) DO NOTHING`);
    const fence = 'WHERE key = ? AND epoch = ? AND last_seq = ?';
    const advance = 'UPDATE session SET last_seq = ?, hash = ?, updated_at = ?';
    this.#advance = db.prepare(`${advance} ${fence}`);
    this.#advanceUsed = db.prepare(`${advance}, active_at = ? ${fence}`);
    this.#saveContext = db.prepare(`
      INSERT INTO session_context (session, context_seq, context_hash, context) VALUES (?, ?, ?, ?)
      ON CONFLICT (session) DO UPDATE
      SET context_seq = excluded.context_seq, context_hash = excluded.context_hash, context = excluded.context`);
    this.#segment = db.prepare(`
      INSERT INTO segment (session, first_seq, last_seq, epoch, time, hash, body) VALUES (?, ?, ?, ?, ?, ?, ?)`);
    this.#updateTurn = db.prepare(`
      UPDATE turn SET ${turnColumns.map((column) => `${column} = ?`).join(', ')}
      WHERE turn_id = ? AND session = ? AND message_id = ?`);
    this.#insertTurn = db.prepare(`
      INSERT INTO turn (session, message_id, turn_id, first_seq, ${turnColumns.join(', ')})
      SELECT ?1, ?2, ?3, ?4, ${turnColumns.map(() => '?').join(', ')}
      WHERE NOT EXISTS (SELECT 1 FROM message WHERE session = ?1 AND id = ?2) ON CONFLICT DO NOTHING`);
    this.#message = db.prepare('INSERT INTO message (session, id) VALUES (?, ?)');
    this.#turnOfMessage = db.prepare(`SELECT turn_id FROM ${fromTurnOfMessage}`);
    this.#outboxAdd = db.prepare('INSERT INTO outbox (session, seq) VALUES (?, ?)');
    this.#outboxRemove = db.prepare('DELETE FROM outbox WHERE session = ? AND seq = ?');
  }

  write(unit: Unit): UnitResult {
    const head = unit.created === null ? this.heads.of(unit) : null;
    if (head === null && unit.created === null) return 'fenced';
    const hashes = chainUnit(unit, head?.hash ?? genesis.hash, sha256Hash);
    const hash = hashes.at(-1) ?? head?.hash ?? genesis.hash;
    const active_at = givesWork(unit) ? unit.time : null;
    const key = head === null ? this.#created(unit, hash) : head.key;
    if (key === null || (head !== null && !this.#isAdvanced(key, hash, unit, active_at))) return 'fenced';
    this.heads.set(unit.session_id, { key, epoch: unit.epoch, seq: unit.last_seq, hash });
    if (unit.context !== null) this.#writeContext(key, unit.session_id, unit.last_seq, unit.context);
    for (const [index, segment] of unit.segments.entries()) this.#writeSegment(key, segment, hashes[index] ?? null);
    this.#writeTold(key, unit);
    for (const turn of unit.turns) {
      const { message_id, turn_id } = turn;
      if (this.#madeAnother(unit, key, message_id, turn_id)) throw duplicate(`message ${message_id}`);
      if (!this.#isTurnWritten(key, turn, isNew(turn, unit))) throw duplicate(`message ${message_id}`);
    }
    for (const run of unit.runs) {
      if (this.#ledger.writeRun(key, run, isLikelyNew(run, unit))) continue;
      throw new Error(`run ${run.run_id} has ended and cannot become ${run.status}`);
    }
    this.#writeOutbox(key, unit.outbox_add, unit.outbox_remove);
    return 'committed';
  }

  /**
   * Units that wait: what each of them says beside its log, in their order, then the log of each session, and what their
   * sessions, turns and runs became. They are committed: a turn or run that cannot be written, against the word of whoever
   * made it, holds up no log.
   */
  writeWaiting({ units, sessions, turns, runs }: WaitingUnits): void {
    const heads = new Map<string, SessionHead>();
    const written = new Set<TurnRow | RunRow>();
    for (const unit of units) {
      const { session_id } = unit;
      const head = heads.get(session_id) ?? this.#headOfWaiting(unit);
      heads.set(session_id, head);
      const { key } = head;
      this.#writeTold(key, unit);
      for (const turn of once(unit.turns, ({ turn_id }) => turns.get(turn_id), written)) {
        this.#isTurnWritten(key, turn, isNew(turn, unit));
      }
      for (const run of once(unit.runs, ({ run_id }) => runs.get(run_id), written)) {
        this.#ledger.writeRun(key, run, isLikelyNew(run, unit));
      }
    }
    for (const [session_id, head] of heads) {
      const session = sessions.get(session_id);
      if (session === undefined) throw passed(session_id);
      this.#writeSession(session_id, session, head);
    }
  }

  /** Where the log stands before the first unit of a session that waits. */
  #headOfWaiting(unit: Unit): SessionHead {
    const { session_id, epoch, created } = unit;
    if (created === null) {
      const head = this.heads.of(unit);
      if (head === null) throw passed(session_id);
      return head;
    }
    const { seq, hash } = genesis;
    const key = this.#created(unit, hash);
    if (key === null) throw passed(session_id);
    return { key, epoch, seq, hash };
  }

  #writeSession(session_id: string, session: WaitingSession, { key, seq, hash }: SessionHead): void {
    const { epoch, last_seq } = session;
    let head = { seq, hash };
    for (const segment of session.segments()) {
      if (segment.first_seq !== head.seq + 1) throw passed(session_id);
      const { first_seq, body } = segment;
      head = { seq: segment.last_seq, hash: sha256Hash(head.hash, session_id, first_seq, segment.epoch, body) };
      this.#writeSegment(key, segment, head.hash);
    }
    if (head.seq !== last_seq || !this.#isAdvanced(key, head.hash, session, session.active_at))
      throw passed(session_id);
    this.heads.set(session_id, { key, epoch, ...head });
    if (session.context !== null) this.#writeContext(key, session_id, session.context_seq, session.context);
    this.#writeOutbox(key, session.outbox_add, session.outbox_remove);
  }

  #writeSegment(key: number, { first_seq, last_seq, epoch, time, body }: Segment, hash: string | null): void {
    this.#segment.run(key, first_seq, last_seq, epoch, time, hash, body);
    this.#counts.inserts += 1;
  }

  /** What was said, and by which names it is known. */
  #writeTold(key: number, unit: Unit): void {
    for (const row of unit.transcript) this.#ledger.writeTranscript(key, row);
    for (const row of unit.events) if (!isToldBy(unit.transcript, row)) this.#ledger.writeEvent(key, row);
    for (const change of unit.interactions) this.#ledger.writeInteraction(change);
    this.#counts.inserts += unit.message_ids.length;
    for (const id of unit.message_ids) {
      if (this.#madeAnother(unit, key, id, null)) throw duplicate(`message ${id}`);
      this.#message.run(key, id);
    }
  }

  #writeOutbox(key: number, added: Iterable<number>, removed: readonly number[]): void {
    for (const seq of added) {
      this.#outboxAdd.run(key, seq);
      this.#counts.inserts += 1;
    }
    if (removed.length > 0) hit('outbox.remove');
    for (const seq of removed) this.#counts.updates += Number(this.#outboxRemove.run(key, seq).changes);
  }

  /** The fence: it matches no row when another owner was here since. */
  #isAdvanced(key: number, hash: string, to: Advance, active_at: number | null): boolean {
    const { epoch, expected_seq, last_seq, time } = to;
    const { changes } =
      active_at === null
        ? this.#advance.run(last_seq, hash, time, key, epoch, expected_seq)
        : this.#advanceUsed.run(last_seq, hash, time, active_at, key, epoch, expected_seq);
    this.#counts.updates += Number(changes);
    return Number(changes) > 0;
  }

  /** Null when a session of that id exists or existed: its creator knew nothing of it. */
  #created(unit: Unit, hash: string): number | null {
    const { session_id, created, last_seq, time } = unit;
    const { changes, lastInsertRowid } = this.#create.run(
      session_id,
      created?.workspace_id ?? null,
      created?.owner_id ?? null,
      unit.epoch,
      last_seq,
      hash,
      time,
      time,
      time,
    );
    if (Number(changes) === 0) return null;
    this.#counts.inserts += 1;
    const key = Number(lastInsertRowid);
    if (created?.holder !== undefined) this.#leases.hold(key, created.holder);
    return key;
  }

  #writeContext(key: number, session_id: string, seq: number, context: string): void {
    this.#saveContext.run(key, seq, hashContext(session_id, seq, context, sha256Hash), context);
    this.#counts.updates += 1;
  }

  /** Whether a message made a turn, and not this one; nobody asks of a unit whose maker has looked. */
  #madeAnother({ fresh }: Unit, key: number, message_id: string, turn_id: string | null): boolean {
    const made = fresh ? undefined : this.#turnOfMessage.get(key, message_id);
    return made !== undefined && made.turn_id !== turn_id;
  }

  /** Not when its id, or its message, is another's. The likely statement goes first. */
  #isTurnWritten(key: number, turn: TurnRow, likelyNew: boolean): boolean {
    const values = turnValues(turn);
    const update = () => this.#isUpdated(this.#updateTurn.run(...values, turn.turn_id, key, turn.message_id));
    if (!likelyNew && update()) return true;
    const { changes } = this.#insertTurn.run(key, turn.message_id, turn.turn_id, turn.first_seq, ...values);
    this.#counts.inserts += Number(changes);
    return Number(changes) > 0 || (likelyNew && update());
  }

  #isUpdated({ changes }: { changes: number | bigint }): boolean {
    this.#counts.updates += Number(changes);
    return Number(changes) > 0;
  }
}
