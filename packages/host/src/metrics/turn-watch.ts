import type { LogRecord } from '@rostra/protocol/record/record';
import { LiveMap } from '@rostra/transport/live-map';
import type { Committed } from '../bus/port.ts';

/** How a turn ended, as the log has it. */
export interface EndedTurn {
  readonly session_id: string;
  readonly turn_id: string;
  /** Null for a turn that never began to run. */
  readonly run_id: string | null;
  readonly trace_id: string | undefined;
  readonly agent_id: string;
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly code: string | null;
  /** From its acceptance; null when that was before this host's time. */
  readonly ms: number | null;
}

export interface TurnEvents {
  accepted(): void;
  /** Milliseconds from its acceptance to the first output of its agent. */
  firstOutput(ms: number): void;
  ended(turn: EndedTurn): void;
}

interface Live {
  readonly accepted_at: number;
  isSilent: boolean;
}

const endings = { TURN_COMPLETED: 'completed', TURN_FAILED: 'failed', CANCELED: 'cancelled' } as const;

/** Follows what all sessions commit, and makes of it what an operator asks about turns. */
export class TurnWatch {
  readonly #on: TurnEvents;
  readonly #live = new LiveMap<string, Live>();
  /** The turn that was heard last: most of what comes next is its own, and changes nothing. */
  #heard: string | undefined = undefined;

  constructor(on: TurnEvents) {
    this.#on = on;
  }

  /** Once for each commit of a session; a record that says nothing about a turn's life costs one comparison. */
  committed({ records }: Committed): void {
    for (const record of records) {
      if (record.event === 'EVENT') this.#event(record);
      else if (record.event === 'AGENT_OUTPUT' && record.mark !== 'suppressed') this.#output(record);
    }
  }

  #output({ turn_id, ts }: LogRecord): void {
    if (turn_id === undefined || turn_id === this.#heard) return;
    this.#heard = turn_id;
    const live = this.#live.get(turn_id);
    if (live === undefined || !live.isSilent) return;
    live.isSilent = false;
    this.#on.firstOutput(ts - live.accepted_at);
  }

  #event(record: Extract<LogRecord, { event: 'EVENT' }>): void {
    const { turn_id, session_id, trace_id, ts } = record;
    if (turn_id === undefined) return;
    if (record.subtype === 'TURN_ACCEPTED') {
      this.#heard = undefined;
      this.#live.set(turn_id, { accepted_at: ts, isSilent: true });
      this.#on.accepted();
      return;
    }
    const { subtype } = record;
    if (subtype !== 'TURN_COMPLETED' && subtype !== 'TURN_FAILED' && subtype !== 'CANCELED') return;
    const live = this.#live.get(turn_id);
    this.#live.delete(turn_id);
    const { agent_id, run_id } = record.payload;
    const ms = live === undefined ? null : ts - live.accepted_at;
    const code = subtype === 'TURN_FAILED' ? record.payload.code : null;
    this.#on.ended({ session_id, turn_id, run_id, trace_id, agent_id, status: endings[subtype], code, ms });
  }
}
