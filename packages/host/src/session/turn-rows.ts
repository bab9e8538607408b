import type { SessionContext, Turn } from '@rostra/kernel/session/context';
import type { TaskStatus } from '@rostra/protocol/run-api/task';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { LiveMap } from '@rostra/transport/live-map';
import type { TurnRow } from '../store/port.ts';

/** The run rows of a session's live turns, kept in step with its context. */
export class TurnRows {
  readonly #live = new LiveMap<string, TurnRow>();
  /** The row that was asked for last: most of what happens in a session happens to one turn. */
  #last: TurnRow | undefined = undefined;

  constructor(rows: TurnRow[] = []) {
    for (const row of rows) this.#live.set(row.turn_id, row);
  }

  get(turn_id: string): TurnRow | undefined {
    if (this.#last?.turn_id !== turn_id) this.#last = this.#live.get(turn_id);
    return this.#last;
  }

  /** Rows that a step made or changed. */
  update(message: SessionMessage, publish: SessionMessage[], context: SessionContext): TurnRow[] {
    const touched: string[] = [];
    for (const out of publish) {
      if (out.event !== 'EVENT' || out.turn_id === undefined) continue;
      if (out.subtype === 'TURN_ACCEPTED') this.#accept(message, out.turn_id, context, out.payload.client_run_id);
      if (this.#note(out) && !touched.includes(out.turn_id)) touched.push(out.turn_id);
    }
    const rows: TurnRow[] = [];
    for (const turn_id of touched) {
      const row = this.get(turn_id);
      if (row === undefined) continue;
      const turn = context.inflight[turn_id];
      if (turn !== undefined) row.status = statusOf(turn);
      else this.#end(turn_id);
      rows.push({ ...row });
    }
    return rows;
  }

  #end(turn_id: string): void {
    this.#live.delete(turn_id);
    this.#last = undefined;
  }

  #accept(message: SessionMessage, turn_id: string, context: SessionContext, client_run_id: string | null): void {
    // A client that sends the same again, an input or an answer that began a turn, gets that turn.
    const isAnswer = message.event === 'CONTROL' && message.subtype === 'INTERACTION_ANSWERED';
    const input = message.event === 'USER_INPUT' || isAnswer ? message.payload : null;
    this.#last = {
      turn_id,
      session_id: context.session_id,
      message_id: input === null ? turn_id : message.id,
      client_run_id,
      payload_hash: input?.payload_hash ?? null,
      agent_id: '',
      status: 'queued',
      created_at: message.ts,
      ended_at: null,
      first_seq: message.seq ?? 0,
      code: null,
      message: null,
      retryable: false,
    };
    this.#live.set(turn_id, this.#last);
  }

  /** Whether the event changes what the row says. */
  #note(event: Extract<SessionMessage, { event: 'EVENT' }>): boolean {
    const row = this.get(event.turn_id ?? '');
    if (row === undefined) return false;
    switch (event.subtype) {
      case 'TURN_ACCEPTED':
        row.agent_id = event.payload.agent_id;
        return true;
      case 'TURN_DISPATCHED':
      case 'INTERACTION_OPENED':
      case 'INTERACTION_RESOLVED':
        return true;
      case 'TURN_COMPLETED':
        Object.assign(row, { status: 'completed', ended_at: event.ts });
        return true;
      case 'TURN_FAILED': {
        const { code, message, retryable } = event.payload;
        Object.assign(row, { status: 'failed', ended_at: event.ts, code, message, retryable });
        return true;
      }
      case 'CANCELED':
        Object.assign(row, {
          status: 'cancelled',
          ended_at: event.ts,
          code: 'cancelled',
          message: event.payload.reason,
        });
        return true;
      default:
        return false;
    }
  }
}

function statusOf(turn: Turn): TaskStatus {
  if (turn.run_id === null) return 'queued';
  return turn.paused_at === null ? 'running' : 'interrupted';
}
