import type { InteractionAnswer, Resume } from '@rostra/protocol/session/input';
import { limits } from '@rostra/protocol/wire/limits';
import { stopAsking } from './asking.ts';
import { isIn, isWaitingFor, own, type SessionContext, type Turn, type Waiting } from './context.ts';
import type { Draft } from './draft.ts';
import { closeInteractions } from './turn.ts';

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
  const { turn_until, waiting, paused_at } = withoutBudget(d, turn);
  // Nobody worked on it while nobody drove the session: that time is not the turn's.
  const away = d.ts - d.context.ts;
  const lost = {
    ...turn,
    attempt,
    run_id: `${turn.turn_id}.${attempt}`,
    waiting: waiting.filter((each) => each.for === 'INTERACTION'),
    turn_until: turn_until === null || turn.paused_at !== null ? turn_until : turn_until + away,
    paused_at,
    next_sequence: 0,
  };
  for (const child of Object.values(d.context.inflight)) {
    // What the lost run had taken, the next one must be able to take.
    if (child.parent === turn.turn_id && child.pulled) d.setTurn({ ...child, pulled: false });
  }
  if (isWaitingFor(lost, 'INTERACTION')) d.setTurn({ ...lost, is_lost: true });
  else nextAttempt(d, lost, null);
}

/** What a person would allow was the lost run's to use; the next one's budget is judged anew. */
function withoutBudget(d: Draft, turn: Turn): Turn {
  const isBudget = ({ purpose }: Waiting) => purpose === 'budget';
  closeInteractions(d, { ...turn, waiting: turn.waiting.filter(isBudget) }, 'run_lost');
  return stopAsking(turn, isBudget, d.ts);
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
