import { crc32 } from 'node:zlib';
import { isNew, type TurnRow, type Unit } from '../port.ts';
import { isTerminal, type RunRow, type RunStatus } from '../ports/run.ts';
import { StoreError } from '../refusal.ts';
import type { Database, Statement } from './driver.ts';
import { unpackUnits } from './packed-units.ts';
import { isPlain } from './plain-unit.ts';
import type { SessionHeads } from './session-heads.ts';
import type { Statements } from './statements.ts';
import { WaitingSession } from './waiting-session.ts';

const knownSession = 'SELECT 1 FROM session WHERE id = ?1 UNION ALL SELECT 1 FROM tombstone WHERE session_id = ?1';
/** The session is NULL when it is in no table yet. */
const knownTurn = `SELECT 1 FROM turn WHERE turn_id = ?1
  UNION ALL SELECT 1 FROM turn WHERE session = ?2 AND message_id = ?3
  UNION ALL SELECT 1 FROM message WHERE session = ?2 AND id = ?3`;
const conflictingTurn = `SELECT 1 FROM turn WHERE turn_id = ?1 AND (session IS NOT ?2 OR message_id <> ?3)
  UNION ALL SELECT 1 FROM turn WHERE session = ?2 AND message_id = ?3 AND turn_id <> ?1
  UNION ALL SELECT 1 FROM message WHERE session = ?2 AND id = ?3`;

/** What is committed and in no table yet. */
export interface Waiting {
  /** In the order of their commits. */
  readonly units: readonly Unit[];
  readonly sessions: ReadonlyMap<string, WaitingSession>;
  /** As the last unit has them. */
  readonly turns: ReadonlyMap<string, TurnRow>;
  readonly runs: ReadonlyMap<string, RunRow>;
}

/**
 * Commits that wait. In a crowd a commit is written as one row, the bytes that came from the host, and its units are kept
 * in memory; the rows that they are made of are written for many commits together. A session, a turn and a run are then
 * written once instead of with each unit, and so is each page that they lie on.
 *
 * A commit is taken only when its units are sure to be written later: whatever would be fenced or refused is found before,
 * and what is unusual is not taken.
 */
export class Journal implements Waiting {
  readonly sessions = new Map<string, WaitingSession>();
  readonly turns = new Map<string, TurnRow>();
  readonly runs = new Map<string, RunRow>();
  readonly #sql: Statements;
  readonly #heads: SessionHeads;
  readonly #append: Statement;
  #units: Unit[] = [];

  constructor(db: Database, sql: Statements, heads: SessionHeads) {
    this.#sql = sql;
    this.#heads = heads;
    this.#append = db.prepare('INSERT INTO journal (checksum, units) VALUES (?, ?)');
  }

  get units(): readonly Unit[] {
    return this.#units;
  }

  /** Whether all of them are taken; if not, none is. */
  take(units: readonly Unit[]): boolean {
    const before = this.#units.length;
    const areTaken = units.every((unit) => this.#take(unit));
    if (!areTaken) this.keepOnly(before);
    return areTaken;
  }

  /** The row of units that were taken; within a transaction. */
  write(packed: Uint8Array): void {
    this.#append.run(crc32(packed), packed);
  }

  /** Everything that waited has its rows; within their transaction. */
  remove(): void {
    this.#sql.run('DELETE FROM journal');
  }

  /** The first so many units; the others have no row here. */
  keepOnly(count: number): void {
    const units = this.#units.slice(0, count);
    this.#units = [];
    this.sessions.clear();
    this.turns.clear();
    this.runs.clear();
    for (const unit of units) this.#note(unit);
  }

  /** What a host that was killed had committed. */
  restore(): void {
    this.keepOnly(0);
    for (const row of this.#sql.all('SELECT checksum, units FROM journal ORDER BY id')) {
      const packed = row.units as Uint8Array;
      if (crc32(packed) !== row.checksum) throw damaged();
      for (const unit of unpackUnits(packed)) this.#note(unit);
    }
  }

  #take(unit: Unit): boolean {
    if (!isPlain(unit) || !this.#follows(unit)) return false;
    const key = this.#keyOf(unit);
    if (!unit.turns.every((turn) => this.#isFree(key, turn, isNew(turn, unit)))) return false;
    if (!unit.runs.every((run) => isOfNewTurn(run, unit) || this.#mayBecome(key, run))) return false;
    this.#note(unit);
    return true;
  }

  #note(unit: Unit): void {
    let session = this.sessions.get(unit.session_id);
    if (session === undefined) {
      session = new WaitingSession(unit, this.#keyOf(unit));
      this.sessions.set(unit.session_id, session);
    }
    session.add(unit);
    for (const turn of unit.turns) this.turns.set(turn.turn_id, turn);
    for (const run of unit.runs) this.runs.set(run.run_id, laterRun(this.runs.get(run.run_id), run));
    this.#units.push(unit);
  }

  /** Whether the log stands where the unit begins: the fence, with what waits. */
  #follows(unit: Unit): boolean {
    const waiting = this.sessions.get(unit.session_id);
    if (unit.created !== null) {
      return waiting === undefined && this.#sql.get(knownSession, unit.session_id) === undefined;
    }
    if (waiting !== undefined) return waiting.epoch === unit.epoch && waiting.last_seq === unit.expected_seq;
    const head = this.#heads.of(unit);
    return head !== null && head.epoch === unit.epoch && head.seq === unit.expected_seq;
  }

  #keyOf(unit: Unit): number | null {
    const waiting = this.sessions.get(unit.session_id);
    if (waiting !== undefined) return waiting.key;
    return unit.created === null ? (this.#heads.of(unit)?.key ?? null) : null;
  }

  /** Whether neither the turn nor its message is anybody's; of one that is not new, whether they are each other's. */
  #isFree(key: number | null, { turn_id, session_id, message_id }: TurnRow, isAccepted: boolean): boolean {
    const waiting = this.turns.get(turn_id);
    if (waiting !== undefined) {
      return !isAccepted && waiting.session_id === session_id && waiting.message_id === message_id;
    }
    if (this.sessions.get(session_id)?.messages.has(message_id) === true) return false;
    return this.#sql.get(isAccepted ? knownTurn : conflictingTurn, turn_id, key, message_id) === undefined;
  }

  /** A run that has ended stays as it is. */
  #mayBecome(key: number | null, { run_id, session_id, status }: RunRow): boolean {
    const waiting = this.runs.get(run_id);
    if (waiting !== undefined) return waiting.session_id === session_id && goesOn(waiting.status, status);
    const row = this.#sql.get('SELECT session, status FROM run WHERE run_id = ?', run_id);
    return row === undefined || (row.session === key && goesOn(row.status as RunStatus, status));
  }
}

/** Runs are named after their turns: that of a turn which was nobody's before is nobody's either. */
function isOfNewTurn({ run_id, turn_id }: RunRow, unit: Unit): boolean {
  return run_id.startsWith(`${turn_id}.`) && unit.turns.some((turn) => turn.turn_id === turn_id && isNew(turn, unit));
}

function goesOn(from: RunStatus, to: RunStatus): boolean {
  return !isTerminal(from) || from === to;
}

/** What a run began with stays, as it does in its row. */
function laterRun(earlier: RunRow | undefined, run: RunRow): RunRow {
  if (earlier === undefined) return run;
  const { turn_id, agent_id, attempt, created_at, bot_id, thread_id, first_seq } = earlier;
  return { ...run, turn_id, agent_id, attempt, created_at, bot_id, thread_id, first_seq };
}

function damaged(): StoreError {
  return new StoreError({
    reason: 'STORE_CORRUPT',
    message: 'What the host committed last cannot be read: its journal is damaged.',
    retryable: false,
    hint: 'Stop the host, keep a copy of the data folder and restore a backup.',
  });
}
