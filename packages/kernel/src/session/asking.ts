import { isWaitingFor, type Turn, type Waiting } from './context.ts';

/** The turn without these questions: its clocks go on where they stood, once nothing is asked any more (SR-D49). */
export function stopAsking(turn: Turn, isOver: (question: Waiting) => boolean, ts: number): Turn {
  const waiting = turn.waiting.filter((each) => each.for !== 'INTERACTION' || !isOver(each));
  const left = { ...turn, waiting };
  if (isWaitingFor(left, 'INTERACTION') || turn.paused_at === null) return left;
  const turn_until = turn.turn_until === null ? null : turn.turn_until + (ts - turn.paused_at);
  return { ...left, turn_until, paused_at: null, last_output_at: ts };
}
