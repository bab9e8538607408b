import type { SessionContext } from '@rostra/kernel/session/context';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { isJsonObject, type JsonObject } from '@rostra/protocol/wire/json';
import type { RunRow } from '../store/ports/run.ts';

type Event = Extract<SessionMessage, { event: 'EVENT' }>;

/** What a step was made of: its cause, and the context after it. */
interface Step {
  readonly message: SessionMessage;
  readonly context: SessionContext;
}

/** The ledger of runs: one row for each attempt at a turn, in step with the events of its turn. */
export class RunRows {
  /** The run that is with an agent; one turn is dispatched at a time. */
  #live: RunRow | null;
  #paused_at: number | null;
  /** When the live run was lost with the host that had it: it did nothing since. */
  #lost_at: number | null;

  constructor(live: RunRow | null = null, paused_at: number | null = null, lost_at: number | null = null) {
    this.#live = live;
    this.#paused_at = paused_at;
    this.#lost_at = lost_at;
  }

  /** What a run says that changes no turn. */
  hear({ event, subtype, run_id }: SessionMessage): void {
    if (event !== 'AGENT_OUTPUT' || subtype !== 'tool.call.started') return;
    if (this.#live !== null && this.#live.run_id === run_id) this.#live.tool_calls = more(this.#live.tool_calls);
  }

  /** Rows that a step made or changed. */
  update(message: SessionMessage, publish: readonly SessionMessage[], context: SessionContext): RunRow[] {
    this.hear(message);
    const rows: RunRow[] = [];
    for (const out of publish) {
      if (out.subtype === 'HANDOVER_UI_PROMPT') this.#handOver(out);
      if (out.event !== 'EVENT') continue;
      for (const row of this.#note(out, { message, context })) {
        const known = rows.findIndex(({ run_id }) => run_id === row.run_id);
        rows[known < 0 ? rows.length : known] = { ...row };
      }
    }
    return rows;
  }

  #note(event: Event, step: Step): RunRow[] {
    switch (event.subtype) {
      case 'TURN_DISPATCHED':
        return [this.#begin(event, event.payload, 1, step)];
      case 'TURN_RESUMED': {
        const lost = this.#end(event, step, { status: 'failed', code: 'host.restarted' });
        return [...lost, this.#begin(event, event.payload, event.payload.attempt, step)];
      }
      case 'AGENT_STARTED':
        // Written with what comes next: nobody waits for it.
        if (this.#live !== null) this.#live.started_at = event.ts;
        return [];
      case 'INTERACTION_OPENED':
      case 'INTERACTION_RESOLVED':
        return this.#pause(event, step.context);
      case 'TURN_COMPLETED':
        return this.#end(event, step, { status: 'completed', usage: usageOf(step.message) });
      case 'TURN_FAILED':
        return this.#end(event, step, { status: 'failed', code: event.payload.code, usage: usageOf(step.message) });
      case 'CANCELED':
        return this.#end(event, step, { status: 'cancelled', code: 'cancelled', usage: usageOf(step.message) });
      default:
        return [];
    }
  }

  #begin(
    event: Event,
    { run_id, agent_id }: { run_id: string; agent_id: string },
    attempt: number,
    { message, context }: Step,
  ): RunRow {
    const conversation = context.inflight[event.turn_id ?? '']?.conversation;
    this.#paused_at = null;
    this.#lost_at = null;
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
      bot_id: conversation?.bot_id ?? null,
      thread_id: conversation?.thread_id ?? null,
      first_seq: message.seq ?? null,
      last_seq: null,
      tool_calls: 0,
      handovers: 0,
      waited: 0,
    };
    return this.#live;
  }

  #handOver({ turn_id }: SessionMessage): void {
    if (this.#live !== null && this.#live.turn_id === turn_id) this.#live.handovers = more(this.#live.handovers);
  }

  #pause(event: Event, { inflight }: SessionContext): RunRow[] {
    const turn = inflight[event.turn_id ?? ''];
    if (this.#live === null || turn === undefined || this.#live.turn_id !== event.turn_id) return [];
    this.#live.status = turn.paused_at === null ? 'running' : 'interrupted';
    if (turn.paused_at === null) this.#goOn(this.#live, event.ts);
    else this.#paused_at ??= turn.paused_at;
    return [this.#live];
  }

  #goOn(live: RunRow, ts: number): void {
    const at = this.#lost_at ?? ts;
    if (this.#paused_at !== null) live.waited = (live.waited ?? 0) + at - this.#paused_at;
    this.#paused_at = null;
  }

  #end(event: Event, { message }: Step, end: Pick<RunRow, 'status'> & Partial<RunRow>): RunRow[] {
    const live = this.#live;
    if (live === null || live.turn_id !== event.turn_id) return [];
    this.#live = null;
    this.#goOn(live, event.ts);
    return [Object.assign(live, { ended_at: this.#lost_at ?? event.ts, last_seq: message.seq ?? null }, end)];
  }
}

/** One more than was counted; what was not counted from the start stays unknown. */
function more(count: number | null): number | null {
  return count === null ? null : count + 1;
}

/** What the end of a run says of its cost, however it ended; null is unknown. */
function usageOf(message: SessionMessage): JsonObject | null {
  // The timer of a cancel is named after what it waits for.
  if (message.event === 'TIMER') return null;
  if (message.subtype !== 'final' && message.subtype !== 'RUN_FAILED' && message.subtype !== 'CANCEL_ACK') return null;
  const { usage } = message.payload;
  return isJsonObject(usage) ? usage : null;
}

/** The ledger of a session that is loaded: the row of its live run is made again from the log's own facts. */
export function loadedRuns(context: SessionContext): RunRows {
  for (const turn of Object.values(context.inflight)) {
    if (turn.run_id === null) continue;
    const { dispatched_at, turn_until, first_output_at } = turn;
    const limit = context.settings.timeouts.turn;
    const attempt = turn.is_lost ? turn.attempt - 1 : turn.attempt;
    // First words and limit are the turn's, from its first run on: of a later one they tell nothing.
    const spoke_at = attempt === 1 ? first_output_at : null;
    const isKnown = attempt === 1 && dispatched_at !== null && turn_until !== null;
    const live: RunRow = {
      run_id: `${turn.turn_id}.${attempt}`,
      turn_id: turn.turn_id,
      session_id: context.session_id,
      agent_id: turn.target_agent_id,
      attempt,
      status: turn.paused_at === null ? 'running' : 'interrupted',
      created_at: dispatched_at ?? turn.created_at,
      started_at: turn.status === 'RUNNING' ? (spoke_at ?? dispatched_at) : null,
      ended_at: null,
      code: null,
      usage: null,
      bot_id: turn.conversation?.bot_id ?? null,
      thread_id: turn.conversation?.thread_id ?? null,
      // The row has it already, and keeps it.
      first_seq: null,
      last_seq: null,
      // Its earlier life was not counted here.
      tool_calls: null,
      handovers: null,
      waited: isKnown ? turn_until - dispatched_at - limit : null,
    };
    return new RunRows(live, turn.paused_at, context.ts);
  }
  return new RunRows();
}
