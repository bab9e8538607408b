import type { InteractionAnswer, Resume } from '@rostra/protocol/session/input';
import { limits } from '@rostra/protocol/wire/limits';
import { isIn, isWaitingFor, own, type SessionContext, type Turn } from './context.ts';
import type { Draft } from './draft.ts';

/**
 * Whether a turn goes on after its run was lost. A tool call without its answer may have had its effect: such a run is
 * not repeated.
 */
export function canGoOn(context: SessionContext, turn: Turn): boolean {
  const policy = own(context.agents_in_session, turn.target_agent_id)?.policy;
  if (policy?.resumable !== true || !isIn(context, turn.target_agent_id)) return false;
  if (turn.attempt >= limits.turn_attempts || turn.open_calls > 0) return false;
  return turn.input_seq !== null || turn.context_seq !== null;
}

/** The run is gone: the turn is ready for the next one, which begins now or with the answer that it waits for. */
export function loseRun(d: Draft, turn: Turn): void {
  const attempt = turn.attempt + 1;
  // Nobody worked on it while nobody drove the session: that time is not the turn's.
  const away = d.ts - d.context.ts;
  const until = turn.turn_until === null || turn.paused_at !== null ? turn.turn_until : turn.turn_until + away;
  const lost = {
    ...turn,
    attempt,
    run_id: `${turn.turn_id}.${attempt}`,
    waiting: turn.waiting.filter((waiting) => waiting.for === 'INTERACTION'),
    turn_until: until,
    next_sequence: 0,
  };
  for (const child of Object.values(d.context.inflight)) {
    // What the lost run had taken, the next one must be able to take.
    if (child.parent === turn.turn_id && child.pulled) d.setTurn({ ...child, pulled: false });
  }
  if (isWaitingFor(lost, 'INTERACTION')) d.setTurn({ ...lost, is_lost: true });
  else nextAttempt(d, lost, null);
}

/** Sends the input again as a new run of the same turn, which goes on in the same message (SR-INV-T10). */
export function nextAttempt(d: Draft, turn: Turn, answer: InteractionAnswer | null): void {
  const { run_id, attempt, target_agent_id: agent_id, open_message_id, next_chunk, input_seq, context_seq } = turn;
  if (run_id === null) throw new Error(`turn ${turn.turn_id} has no run to repeat`);
  const gen = d.nextGen();
  const until = d.ts + d.context.settings.timeouts.ack;
  const waiting = [...turn.waiting, { for: 'INPUT_ACK' as const, until, gen }];
  d.setTurn({ ...turn, is_lost: false, gen, waiting, dispatched_at: d.ts, last_output_at: d.ts });
  d.event('TURN_RESUMED', { agent_id, run_id, attempt }, { turn });
  const resume: Resume = {
    attempt,
    said: '',
    message_id: open_message_id,
    channel: null,
    next_chunk,
    ...(answer !== null && { interaction_answer: answer }),
  };
  if (input_seq !== null) d.input(turn, run_id, input_seq, resume);
  else if (context_seq !== null) d.handoverContext(turn, run_id, context_seq, resume);
}
