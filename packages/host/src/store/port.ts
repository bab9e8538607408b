import type { EventRow } from '@rostra/kernel/projection/event-row';
import type { InteractionChange } from '@rostra/kernel/projection/interaction-rows';
import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import type { TaskStatus } from '@rostra/protocol/run-api/task';
import type { RunRow } from './ports/run.ts';

/** A stretch of a session's log as it is stored: one row, its records as NDJSON. */
export interface Segment {
  first_seq: number;
  last_seq: number;
  epoch: number;
  time: number;
  body: string;
}

/** What the host must be able to say about a turn without reading its log. */
export interface TurnRow {
  turn_id: string;
  session_id: string;
  /** Id of the USER_INPUT that made the turn; unique per session, the client's idempotency key for runs. */
  message_id: string;
  client_run_id: string | null;
  payload_hash: string | null;
  agent_id: string;
  status: TaskStatus;
  created_at: number;
  ended_at: number | null;
  /** First record of the turn: where a view of it begins to read. */
  first_seq: number;
  code: string | null;
  message: string | null;
  retryable: boolean;
}

/** A turn as it is looked up by its id alone: with whose it is, so that nobody need ask for its session too. */
export interface OwnedTurn extends TurnRow {
  workspace_id: string;
  owner_id: string;
}

/** What one session did since its last commit: written, hashed and fenced as a whole. */
export interface Unit {
  session_id: string;
  epoch: number;
  /** `last_seq` that the session row must still have; with `epoch`, the fence. */
  expected_seq: number;
  last_seq: number;
  time: number;
  /** On disk before the commit is reported, or merely in the log. */
  flush: boolean;
  /** Whoever made it has looked: its new turns and messages are new, and its runs go on. Else the store looks. */
  fresh: boolean;
  segments: Segment[];
  /** The context after `last_seq`, as JSON, when it must be saved; null for a unit of chunks. */
  context: string | null;
  /** Present in the first unit of a session. `holder` gets the lease with it, as by a claim. */
  created: { workspace_id: string; owner_id: string; holder?: string } | null;
  /** Turn rows to insert or replace. */
  turns: TurnRow[];
  /** Run rows to insert or replace: the ledger. */
  runs: RunRow[];
  /** Finished messages of users and agents, each under the `seq` of the record that finished it. */
  transcript: TranscriptRow[];
  /** Where its events stand. */
  events: EventRow[];
  /** What is asked of people, and what became of it. */
  interactions: InteractionChange[];
  /** Ids of client messages that made no turn, so that a repeat is known. */
  message_ids: string[];
  /** `seq` of the records to send to agents and the SessionManager, and of those answered. */
  outbox_add: number[];
  outbox_remove: number[];
}

/** Whether a turn was accepted in this unit: what a session is used for. Its other units change no list of sessions. */
export function givesWork(unit: Unit): boolean {
  return unit.turns.some((turn) => isNew(turn, unit));
}

/** Whether a turn of a unit was accepted in it. */
export function isNew({ first_seq }: TurnRow, { expected_seq }: Unit): boolean {
  return first_seq > expected_seq;
}

/** What the messages of a session are called, as `nameNumber`s in any order: who looks for another name need not look. */
export interface SessionNames {
  /** Ids of client messages, as `findMessage` is asked for them. */
  messages: Int32Array;
  /** Every name of what was said, taken back or not. */
  said: Int32Array;
}

export type UnitResult = 'committed' | 'fenced';

/** A session as its new owner finds it. */
export interface ClaimedSession {
  /** Already raised in the store: every older owner is fenced. */
  epoch: number;
  workspace_id: string;
  owner_id: string;
  last_seq: number;
  /** Last saved context and the `seq` that it stands for; null before the first save. */
  context: string | null;
  context_seq: number;
  /** Every segment with a record after `context_seq`, in order, hashes verified. */
  tail: Segment[];
  outbox: number[];
  /** Rows of the turns that have not ended. */
  turns: TurnRow[];
}

/** A session whose stored log does not verify. It is read-only from then on. */
export class CorruptLogError extends Error {
  readonly session_id: string;
  constructor(session_id: string, message: string) {
    super(message);
    this.name = 'CorruptLogError';
    this.session_id = session_id;
  }
}

/** What an engine has written since it was opened: the write budget is checked against it. */
export interface StoreStats {
  commits: number;
  /** Commits that waited for the disk. */
  flushes: number;
  /** Rows added over all tables, and rows changed or removed. */
  inserts: number;
  updates: number;
}

/**
 * Answers to a claim: the session, null when there is none, or why it cannot be served. An ApiError with the reason
 * SESSION_HELD: another process holds its lease. SESSION_GONE: it was deleted, and its id is never given again.
 */
export type ClaimCallback = (error: Error | null, claimed: ClaimedSession | null) => void;
export type SegmentsCallback = (error: Error | null, segments: Segment[]) => void;
/** Null when there are more than `limits.known_names`. */
export type NamesCallback = (error: Error | null, names: SessionNames | null) => void;
/** The turn that a message made, `true` for a message that made none, null for an unknown one. */
export type MessageCallback = (error: Error | null, found: TurnRow | true | null) => void;
/**
 * `lapsed`: the lease had run out before it was renewed, and whatever this process held may have been taken over. Its
 * sessions must be claimed again; a unit of one that was taken is fenced.
 */
export type RenewCallback = (error: Error | null, result: 'renewed' | 'lapsed') => void;
/** One result per unit in order; an error means that the whole commit is undone. */
export type CommitCallback = (error: Error | null, results: UnitResult[]) => void;

/**
 * The session log and what is written with it in one transaction. Callbacks, not promises, on the write path: nothing
 * may run between the end of a commit and the publication of what it held, and the simulator owns the schedule.
 */
export interface SessionStore {
  /**
   * Raises the epoch and hands the session over to `holder`, the id of this life of a process, for `limits.lease` by the
   * store's own clock. Who holds it already may claim it again.
   */
  claim(session_id: string, holder: string, done: ClaimCallback): void;
  /** Prolongs everything that the process holds; one row, however many sessions. */
  renew(holder: string, done: RenewCallback): void;
  /** The session leaves the memory of its holder: anyone may claim it. Of a session that it does not hold: nothing. */
  release(session_id: string, holder: string, done?: (error: Error | null) => void): void;
  /** One transaction for the units of many sessions; a fenced unit is skipped, the others commit. */
  commit(units: Unit[], done: CommitCallback): void;

  /** The segments that hold these records: the inputs and outbox messages that a new owner still needs. */
  readAt(session_id: string, seqs: number[], done: SegmentsCallback): void;
  /** The names of all that was there when the session was claimed, and perhaps of some that came later. */
  readNames(session_id: string, done: NamesCallback): void;
  /** What a client message made when it came before: how a repeat is known. */
  findMessage(session_id: string, message_id: string, done: MessageCallback): void;

  /** Whole segments that hold records with `seq > after`, oldest first, at most about `bytes`. */
  readSegments(session_id: string, after: number, bytes: number): Promise<Segment[]>;
  /** Last record and its epoch, for cursor checks; null for an unknown session, SESSION_GONE for a deleted one. */
  readHead(
    session_id: string,
  ): Promise<{ last_seq: number; epoch: number; owner_id: string; workspace_id: string } | null>;
  /** Null for an unknown turn, and for one of a deleted session. */
  findTurn(turn_id: string): Promise<OwnedTurn | null>;
  /** Sessions with live turns or outbox rows: what a restarted host must attend to. */
  listUnfinished(): Promise<string[]>;
  close(): Promise<void>;
}
