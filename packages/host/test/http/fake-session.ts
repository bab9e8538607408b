import type { LogRecord } from '@rostra/protocol/record/record';
import type { PayloadOf, SessionEvent, SessionMessage, SubtypeOf } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Bus } from '../../src/bus/port.ts';
import type { LogSource, RunGateway } from '../../src/http/ports.ts';
import type { AcceptedRun, RunSubmission } from '../../src/session/session-gateway.ts';
import type { TurnRow } from '../../src/store/port.ts';

/** A session that only keeps a log: what HTTP sees of a real one. */
export class FakeSession implements RunGateway, LogSource {
  readonly submitted: RunSubmission[] = [];
  readonly turns = new Map<string, TurnRow>();
  readonly records: LogRecord[] = [];
  /** Records below this are no longer in memory. */
  tailFrom = 1;
  /** Records above this are committed and not announced yet. */
  reads = 0;
  pageSize = 7;
  refusal: ApiError | null = null;
  epoch = 1;
  readonly #bus: Bus;

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  async submitRun(run: RunSubmission): Promise<AcceptedRun> {
    this.submitted.push(run);
    if (this.refusal !== null) throw this.refusal;
    const known = [...this.turns.values()].find(
      (turn) => turn.session_id === run.session_id && turn.message_id === run.message_id,
    );
    if (known !== undefined && known.payload_hash !== run.payload.payload_hash) {
      throw new ApiError('invalid_argument', 'used before', { details: { reason: 'CONFLICT' } });
    }
    const turn = known ?? this.addTurn(run.session_id, run.turn_id, run);
    return { turn_id: turn.turn_id, created_at: turn.created_at };
  }

  async findRepeat(run: Pick<RunSubmission, 'session_id' | 'message_id'>): Promise<AcceptedRun | null> {
    const turns = [...this.turns.values()];
    const of = (turn: TurnRow) => turn.session_id === run.session_id && turn.message_id === run.message_id;
    return turns.find(of) ?? null;
  }

  addTurn(session_id: string, turn_id: string, run?: RunSubmission): TurnRow {
    const row: TurnRow = {
      turn_id,
      session_id,
      message_id: run?.message_id ?? turn_id,
      client_run_id: run?.payload.client_run_id ?? null,
      payload_hash: run?.payload.payload_hash ?? null,
      agent_id: 'guide',
      status: 'running',
      created_at: 1_700_000_000_000,
      ended_at: null,
      first_seq: this.records.length + 1,
      code: null,
      message: null,
      retryable: false,
    };
    this.turns.set(turn_id, row);
    return row;
  }

  async cancelTurn(turn: TurnRow): Promise<'accepted' | 'terminal'> {
    return this.turns.get(turn.turn_id)?.status === 'running' ? 'accepted' : 'terminal';
  }

  async findTurn(turn_id: string): Promise<TurnRow | null> {
    return this.turns.get(turn_id) ?? null;
  }

  /** Sessions of somebody else. */
  readonly foreign = new Set<string>();

  async mayRead(session_id: string): Promise<boolean> {
    const isThere = [...this.turns.values()].some((turn) => turn.session_id === session_id);
    return isThere && !this.foreign.has(session_id);
  }

  async isForeign(session_id: string): Promise<boolean> {
    return this.foreign.has(session_id);
  }

  stats() {
    return { sessions: 1, live_turns: this.turns.size, mailbox: 0 };
  }

  tailAfter(_session_id: string, seq: number): LogRecord[] | null {
    return seq + 1 < this.tailFrom ? null : this.records.slice(seq);
  }

  async readAfter(_session_id: string, seq: number): Promise<LogRecord[]> {
    this.reads += 1;
    // A store answers some turns of the event loop later, with what was there when it looked.
    const page = this.records.slice(seq, seq + this.pageSize);
    await new Promise((resolve) => setImmediate(resolve));
    return JSON.parse(JSON.stringify(page));
  }

  /** One record of a turn, committed but not announced. */
  add<E extends SessionEvent, S extends SubtypeOf<E>>(
    turn: TurnRow,
    event: E,
    subtype: S,
    payload: PayloadOf<E, S>,
    target: SessionMessage['target'] = 'FRONTEND',
  ): LogRecord {
    const seq = this.records.length + 1;
    const { session_id, turn_id } = turn;
    const message = MessageFactory.make(event, subtype, payload, {
      id: `x:${seq}`,
      session_id,
      sender: { kind: 'session', id: session_id },
      target,
      turn_id,
      ts: 1_700_000_000_000 + seq,
      epoch: this.epoch,
    });
    const record = { seq, mark: 'out', v: 1, ...message } as LogRecord;
    this.records.push(record);
    return record;
  }

  announce(records: LogRecord[]): void {
    const [first] = records;
    if (first !== undefined) this.#bus.announce({ session_id: first.session_id, epoch: this.epoch, records });
  }

  start(turn: TurnRow): LogRecord {
    return this.add(turn, 'EVENT', 'TURN_DISPATCHED', { agent_id: 'guide', run_id: 'r.1', client_run_id: 'run-1' });
  }

  chunk(turn: TurnRow, n: number, text = `chunk-${n} `): LogRecord {
    return this.add(turn, 'AGENT_OUTPUT', 'chunk', { message_id: 'm1', n, text });
  }

  end(turn: TurnRow): LogRecord {
    const ended: TurnRow = { ...turn, status: 'completed', ended_at: 1_700_000_001_000 };
    this.turns.set(turn.turn_id, ended);
    return this.add(turn, 'EVENT', 'TURN_COMPLETED', { agent_id: 'guide', run_id: 'r.1' });
  }
}
