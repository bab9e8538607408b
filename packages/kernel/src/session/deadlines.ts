import type { SubtypeOf } from '@rostra/protocol/session/message';
import type { SessionContext, Turn } from './context.ts';

/** An instant at which the session wants to be woken, and by which TIMER (SR-INV-T11). */
export interface Deadline {
  at: number;
  kind: SubtypeOf<'TIMER'>;
  gen: number;
  turn_id?: string | undefined;
  tx_id?: string | undefined;
  interaction_id?: string | undefined;
}

/** Every deadline of the session; nothing else is ever armed. They are looked through with every step: one shape. */
export function deadlines(context: SessionContext): Deadline[] {
  const all: Deadline[] = [];
  for (const id in context.inflight) {
    const turn = context.inflight[id];
    if (turn !== undefined) addTurn(all, context, turn);
  }
  for (const { until: at, gen, turn_id, interaction_id } of context.questions) {
    all.push({ at, kind: 'INTERACTION', gen, turn_id, tx_id: undefined, interaction_id });
  }
  for (const id in context.transactions) {
    const tx = context.transactions[id];
    if (tx === undefined) continue;
    const { until: at, gen, tx_id } = tx;
    // A CANCEL has the deadline of the turn's CANCEL_ACK.
    if (tx.kind !== 'CANCEL') all.push({ at, kind: 'TX', gen, turn_id: undefined, tx_id, interaction_id: undefined });
  }
  return all;
}

function addTurn(all: Deadline[], context: SessionContext, turn: Turn): void {
  const { turn_id } = turn;
  for (const { for: kind, until, gen, interaction_id } of turn.waiting) {
    if (until === null || kind === 'STEERING' || kind === 'ADD_AGENT') continue;
    all.push({ at: until, kind, gen, turn_id, tx_id: undefined, interaction_id });
  }
  if (turn.turn_until === null || turn.cancel !== null || turn.paused_at !== null) return;
  const { gen } = turn;
  all.push({ at: turn.turn_until, kind: 'TURN', gen, turn_id, tx_id: undefined, interaction_id: undefined });
  const idle = idleUntil(context, turn);
  if (idle !== null) all.push({ at: idle, kind: 'IDLE', gen, turn_id, tx_id: undefined, interaction_id: undefined });
}

/** T_idle begins with the acknowledgement and stands still while the agent waits for a tool. */
export function idleUntil(context: SessionContext, turn: Turn): number | null {
  if (turn.status !== 'RUNNING' || turn.open_calls > 0) return null;
  const { speech } = context;
  const heard_at = speech?.turn_id === turn.turn_id ? speech.last_output_at : turn.last_output_at;
  return heard_at + context.settings.timeouts.idle;
}

/** The deadline that comes first; ties go to the one named first, so that replays agree. */
export function nextDeadline(context: SessionContext): Deadline | null {
  let first: Deadline | null = null;
  for (const deadline of deadlines(context)) if (first === null || deadline.at < first.at) first = deadline;
  return first;
}
