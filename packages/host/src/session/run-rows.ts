import type { SessionContext } from '@rostra/kernel/session/context';
import type { SessionMessage } from '@rostra/protocol/session/message';
import type { JsonObject } from '@rostra/protocol/wire/json';
import type { RunRow } from '../store/ports/run.ts';

type Event = Extract<SessionMessage, { event: 'EVENT' }>;

/** The ledger of runs: one row for each attempt at a turn, in step with the events of its turn. */
export class RunRows {
  /** The run that is with an agent; one turn is dispatched at a time. */
  #live: RunRow | null;

  constructor(live: RunRow | null = null) {
    this.#live = live;
  }

  /** Rows that a step made or changed. */
  update(message: SessionMessage, publish: readonly SessionMessage[], context: SessionContext): RunRow[] {
    const rows = new Map<string, RunRow>();
    for (const out of publish) {
      if (out.event !== 'EVENT') continue;
      for (const row of this.#note(out, message, context)) rows.set(row.run_id, { ...row });
    }
    return [...rows.values()];
  }

  #note(event: Event, message: SessionMessage, context: SessionContext): RunRow[] {
    switch (event.subtype) {
      case 'TURN_DISPATCHED':
        return [this.#begin(event, event.payload, 1)];
      case 'TURN_RESUMED': {
        const lost = this.#end(event, { status: 'failed', code: 'host.restarted' });
        return [...lost, this.#begin(event, event.payload, event.payload.attempt)];
      }
      case 'AGENT_STARTED':
        // Written with what comes next: nobody waits for it.
        if (this.#live !== null) this.#live.started_at = event.ts;
        return [];
      case 'INTERACTION_OPENED':
      case 'INTERACTION_RESOLVED':
        return this.#pause(event, context);
      case 'TURN_COMPLETED':
        return this.#end(event, { status: 'completed', usage: usageOf(message) });
      case 'TURN_FAILED':
        return this.#end(event, { status: 'failed', code: event.payload.code, usage: usageOf(message) });
      case 'CANCELED':
        return this.#end(event, { status: 'cancelled', code: 'cancelled', usage: usageOf(message) });
      default:
        return [];
    }
  }

  #begin(event: Event, { run_id, agent_id }: { run_id: string; agent_id: string }, attempt: number): RunRow {
    this.#live = {
      run_id,
      turn_id: event.turn_id ?? '',
      session_id: event.session_id,
      agent_id,
      attempt,
      status: 'running',
      created_at: event.ts,
      started_at: attempt > 1 ? event.ts : null,
      ended_at: null,
      code: null,
      usage: null,
    };
    return this.#live;
  }

  #pause(event: Event, { inflight }: SessionContext): RunRow[] {
    const turn = inflight[event.turn_id ?? ''];
    if (this.#live === null || turn === undefined || this.#live.turn_id !== event.turn_id) return [];
    this.#live.status = turn.paused_at === null ? 'running' : 'interrupted';
    return [this.#live];
  }

  #end(event: Event, end: Pick<RunRow, 'status'> & Partial<RunRow>): RunRow[] {
    const live = this.#live;
    if (live === null || live.turn_id !== event.turn_id) return [];
    this.#live = null;
    return [Object.assign(live, { ended_at: event.ts }, end)];
  }
}

/** What the end of a run says of its cost, however it ended; null is unknown. */
function usageOf(message: SessionMessage): JsonObject | null {
  // The timer of a cancel is named after what it waits for.
  if (message.event === 'TIMER') return null;
  if (message.subtype !== 'final' && message.subtype !== 'RUN_FAILED' && message.subtype !== 'CANCEL_ACK') return null;
  const { usage } = message.payload;
  return usage !== undefined && usage !== null && typeof usage === 'object' && !Array.isArray(usage) ? usage : null;
}

/** The row of the run that is live in this context, made again from the log's own facts when a session is loaded. */
export function liveRun(context: SessionContext): RunRow | null {
  for (const turn of Object.values(context.inflight)) {
    if (turn.run_id === null) continue;
    return {
      run_id: turn.is_lost ? `${turn.turn_id}.${turn.attempt - 1}` : turn.run_id,
      turn_id: turn.turn_id,
      session_id: context.session_id,
      agent_id: turn.target_agent_id,
      attempt: turn.is_lost ? turn.attempt - 1 : turn.attempt,
      status: turn.paused_at === null ? 'running' : 'interrupted',
      created_at: turn.dispatched_at ?? turn.created_at,
      started_at: turn.status === 'RUNNING' ? (turn.first_output_at ?? turn.dispatched_at) : null,
      ended_at: null,
      code: null,
      usage: null,
    };
  }
  return null;
}
