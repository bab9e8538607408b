import type { ClaimedSession, Segment, SessionStore, TurnRow, Unit, UnitResult } from '../../src/store/port.ts';

type Change = Partial<
  Pick<Unit, 'flush' | 'context' | 'turns' | 'message_ids' | 'outbox_add' | 'outbox_remove' | 'segments'>
>;

/** Makes the units of one session as its owner would: gap-free, each on top of the last. */
export class SessionUnits {
  readonly session_id: string;
  epoch: number;
  last_seq: number;
  #isNew: boolean;

  constructor(session_id: string, owned?: { epoch: number; last_seq: number }) {
    this.session_id = session_id;
    this.epoch = owned?.epoch ?? 1;
    this.last_seq = owned?.last_seq ?? 0;
    this.#isNew = owned === undefined;
  }

  /** The next unit with that many records; does not wait for the commit of the one before. */
  next(records = 1, change: Change = {}): Unit {
    const expected_seq = this.last_seq;
    this.last_seq += records;
    const created = this.#isNew ? { workspace_id: 'workspace', owner_id: 'owner' } : null;
    this.#isNew = false;
    return {
      session_id: this.session_id,
      epoch: this.epoch,
      expected_seq,
      last_seq: this.last_seq,
      time: 1_000 + this.last_seq,
      flush: true,
      segments: records === 0 ? [] : [segmentOf(expected_seq + 1, this.last_seq, this.epoch)],
      context: null,
      created,
      turns: [],
      message_ids: [],
      outbox_add: [],
      outbox_remove: [],
      ...change,
    };
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

export function claim(store: SessionStore, session_id: string): Promise<ClaimedSession | null> {
  return new Promise((resolve, reject) => {
    store.claim(session_id, (error, claimed) => (error === null ? resolve(claimed) : reject(error)));
  });
}

/** Claims a session that must exist. */
export async function own(store: SessionStore, session_id: string): Promise<ClaimedSession> {
  const claimed = await claim(store, session_id);
  if (claimed === null) throw new Error(`session ${session_id} is not in the store`);
  return claimed;
}

export function findMessage(store: SessionStore, session_id: string, id: string): Promise<TurnRow | true | null> {
  return new Promise((resolve, reject) => {
    store.findMessage(session_id, id, (error, found) => (error === null ? resolve(found) : reject(error)));
  });
}

export function readAt(store: SessionStore, session_id: string, ...seqs: number[]): Promise<Segment[]> {
  return new Promise((resolve, reject) => {
    store.readAt(session_id, seqs, (error, segments) => (error === null ? resolve(segments) : reject(error)));
  });
}
