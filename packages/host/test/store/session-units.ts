import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import type {
  ClaimedSession,
  OwnedTurn,
  Segment,
  SessionNames,
  SessionStore,
  TurnRow,
  Unit,
  UnitResult,
} from '../../src/store/port.ts';
import type { RunRow } from '../../src/store/ports/run.ts';

type Change = Partial<
  Pick<
    Unit,
    | 'flush'
    | 'fresh'
    | 'context'
    | 'turns'
    | 'runs'
    | 'transcript'
    | 'events'
    | 'interactions'
    | 'message_ids'
    | 'outbox_add'
    | 'outbox_remove'
    | 'segments'
  >
>;

/** Makes the units of one session as its owner would: gap-free, each on top of the last. */
export class SessionUnits {
  readonly session_id: string;
  epoch: number;
  last_seq: number;
  #isNew: boolean;
  readonly #holder: string | undefined;

  constructor(session_id: string, owned?: { epoch: number; last_seq: number }, holder?: string) {
    this.#holder = holder;
    this.session_id = session_id;
    this.epoch = owned?.epoch ?? 1;
    this.last_seq = owned?.last_seq ?? 0;
    this.#isNew = owned === undefined;
  }

  /** The next unit with that many records; does not wait for the commit of the one before. */
  next(records = 1, change: Change = {}): Unit {
    const expected_seq = this.last_seq;
    this.last_seq += records;
    const holder = this.#holder === undefined ? {} : { holder: this.#holder };
    const created = this.#isNew ? { workspace_id: 'workspace', owner_id: 'owner', ...holder } : null;
    this.#isNew = false;
    return {
      session_id: this.session_id,
      epoch: this.epoch,
      expected_seq,
      last_seq: this.last_seq,
      time: 1_000 + this.last_seq,
      flush: true,
      fresh: true,
      segments: records === 0 ? [] : [segmentOf(expected_seq + 1, this.last_seq, this.epoch)],
      context: null,
      created,
      turns: [],
      runs: [],
      transcript: [],
      events: [],
      interactions: [],
      message_ids: [],
      outbox_add: [],
      outbox_remove: [],
      ...change,
    };
  }

  /** The turn as the store finds it by its id. */
  owned(turn: TurnRow): OwnedTurn {
    return { ...turn, workspace_id: 'workspace', owner_id: 'owner' };
  }

  turn(turn_id: string, change: Partial<TurnRow> = {}): TurnRow {
    return {
      turn_id,
      session_id: this.session_id,
      message_id: `run:${turn_id}`,
      client_run_id: turn_id,
      payload_hash: 'abc',
      agent_id: 'guide',
      status: 'running',
      created_at: 1_000,
      ended_at: null,
      first_seq: 1,
      code: null,
      message: null,
      retryable: false,
      ...change,
    };
  }
}

export function runRow(session_id: string, run_id: string, change: Partial<RunRow> = {}): RunRow {
  return {
    run_id,
    turn_id: 't',
    session_id,
    agent_id: 'guide',
    attempt: 1,
    status: 'running',
    created_at: 1_000,
    started_at: null,
    ended_at: null,
    code: null,
    usage: null,
    bot_id: null,
    thread_id: null,
    first_seq: 1,
    last_seq: null,
    tool_calls: 0,
    handovers: 0,
    waited: 0,
    ...change,
  };
}

export function transcriptRow(session_id: string, seq: number, change: Partial<TranscriptRow> = {}): TranscriptRow {
  return {
    session_id,
    seq,
    item_id: `${session_id}/${seq}`,
    thread_id: null,
    bot_id: null,
    actor_id: 'owner',
    turn_id: 't',
    run_id: 't.1',
    event_id: 't',
    event_type: seq % 2 === 1 ? 'message.received' : 'message.completed',
    role: seq % 2 === 1 ? 'user' : 'assistant',
    item_type: 'message',
    actor: { kind: 'user', id: 'owner' },
    content: `line ${seq} 你好`,
    content_json: null,
    attachments: [],
    ui_schema: null,
    created_at: 1_000 + seq,
    metadata: {},
    client_id: null,
    supersedes: null,
    ...change,
  };
}

export function segmentOf(first_seq: number, last_seq: number, epoch: number, padding = ''): Segment {
  let body = '';
  for (let seq = first_seq; seq <= last_seq; seq += 1) {
    body += `${JSON.stringify({ seq, mark: 'both', text: `chunk ${seq} 你好${padding}` })}\n`;
  }
  return { first_seq, last_seq, epoch, time: 1_000 + last_seq, body };
}

export function commit(store: SessionStore, ...units: Unit[]): Promise<UnitResult[]> {
  return new Promise((resolve, reject) => {
    store.commit(units, (error, results) => (error === null ? resolve(results) : reject(error)));
  });
}

/** A commit whose segments are rows of their own: what somebody reads is written before, and the next is not joined to it. */
export async function commitApart(store: SessionStore, ...units: Unit[]): Promise<void> {
  await commit(store, ...units);
  for (const { session_id } of units) await readAt(store, session_id, 1);
}

export function claim(store: SessionStore, session_id: string, holder = 'host'): Promise<ClaimedSession | null> {
  return new Promise((resolve, reject) => {
    store.claim(session_id, holder, (error, claimed) => (error === null ? resolve(claimed) : reject(error)));
  });
}

export function release(store: SessionStore, session_id: string, holder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    store.release(session_id, holder, (error) => (error === null ? resolve() : reject(error)));
  });
}

/** Claims a session that must exist. */
export async function own(store: SessionStore, session_id: string, holder = 'host'): Promise<ClaimedSession> {
  const claimed = await claim(store, session_id, holder);
  if (claimed === null) throw new Error(`session ${session_id} is not in the store`);
  return claimed;
}

export function findMessage(store: SessionStore, session_id: string, id: string): Promise<TurnRow | true | null> {
  return new Promise((resolve, reject) => {
    store.findMessage(session_id, id, (error, found) => (error === null ? resolve(found) : reject(error)));
  });
}

export function readNames(store: SessionStore, session_id: string): Promise<SessionNames | null> {
  return new Promise((resolve, reject) => {
    store.readNames(session_id, (error, names) => (error === null ? resolve(names) : reject(error)));
  });
}

export function readAt(store: SessionStore, session_id: string, ...seqs: number[]): Promise<Segment[]> {
  return new Promise((resolve, reject) => {
    store.readAt(session_id, seqs, (error, segments) => (error === null ? resolve(segments) : reject(error)));
  });
}
