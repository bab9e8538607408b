import { changed } from './changed-turn.ts';
import { copyOf, isWaitingFor, own, type SessionContext, type Speech, type Turn } from './context.ts';
import { withEntry } from './entry.ts';

/** The speech that a turn is in the middle of: acknowledged, not cancelled, with a message open. */
export function speechOf(turn: Turn): Speech | null {
  const { run_id, open_message_id: message_id } = turn;
  if (run_id === null || message_id === null || turn.cancel !== null || turn.first_output_at === null) return null;
  if (isWaitingFor(turn, 'INPUT_ACK') || turn.is_lost) return null;
  return {
    turn_id: turn.turn_id,
    run_id,
    agent_id: turn.target_agent_id,
    message_id,
    last_output_at: turn.last_output_at,
    next_sequence: turn.next_sequence,
    next_chunk: turn.next_chunk,
    output_bytes: turn.output_bytes,
    collected_output: turn.collected_output,
  };
}

/** The same context with everything that was said in its turn: what every decision but the next chunk begins with. */
export function settled(context: SessionContext): SessionContext {
  const { speech, inflight } = context;
  if (speech === null) return context;
  const turn = own(inflight, speech.turn_id);
  if (turn === undefined) throw new Error(`turn ${speech.turn_id} speaks and is not live`);
  const { turn_id, last_output_at, next_sequence, next_chunk, output_bytes, collected_output } = speech;
  const said = changed(turn, { last_output_at, next_sequence, next_chunk, output_bytes, collected_output });
  const copy = copyOf(context);
  copy.speech = null;
  copy.inflight = withEntry(inflight, turn_id, said);
  return copy;
}
