import type { SessionMessage } from '@rostra/protocol/session/message';
import { changed } from './changed-turn.ts';
import { sequenceAfter } from './chunk.ts';
import { isWaitingFor, own, type Turn } from './context.ts';
import type { Draft } from './draft.ts';
import { acknowledgeCancel } from './transactions/cancel.ts';
import { abandonRun, endTurn } from './turn.ts';

/** The live turn whose run sent this message, or null: not that run, not that agent, not live any more (SR-INV-O1). */
export function speakingTurn(d: Draft, message: SessionMessage): Turn | null {
  const turn = own(d.context.inflight, message.turn_id);
  if (turn === undefined || turn.run_id === null || turn.run_id !== message.run_id) return null;
  return turn.target_agent_id === message.sender.id ? turn : null;
}

/**
 * Takes the next message of a run in its order: a repeat has no effect, a gap ends the turn visibly (SR-INV-O4), the
 * first one starts a turn that was never acknowledged. Returns the turn as it is now, or null when that was all.
 */
export function admit(d: Draft, message: SessionMessage): Turn | null {
  const turn = speakingTurn(d, message);
  if (turn === null || message.sequence === undefined || message.sequence < turn.next_sequence) return null;
  if (turn.cancel !== null) {
    const withheld = changed(turn, { next_sequence: sequenceAfter(message, message.sequence), last_output_at: d.ts });
    d.setTurn(withheld);
    return withheld;
  }
  if (message.sequence > turn.next_sequence) {
    outputGap(d, turn, turn.next_sequence, message.sequence);
    return null;
  }
  const started = isWaitingFor(turn, 'INPUT_ACK') ? start(d, turn) : turn;
  const next = changed(started, { next_sequence: sequenceAfter(message, message.sequence), last_output_at: d.ts });
  d.setTurn(next);
  return next;
}

export function outputGap(d: Draft, turn: Turn, expected: number, found: number): void {
  abandonRun(d, turn, 'output gap');
  const message = `part of the answer was lost: expected ${expected}, got ${found}`;
  endTurn(d, turn, { status: 'FAILED', code: 'OUTPUT_GAP', message, retryable: true });
}

/** The agent has the input. A turn starts once, however many attempts it takes (SR-INV-T7). */
export function start(d: Draft, turn: Turn): Turn {
  const waiting = turn.waiting.filter((each) => each.for !== 'INPUT_ACK');
  const running = changed(turn, { status: 'RUNNING', waiting, last_output_at: d.ts });
  d.setTurn(running);
  if (turn.run_id !== null && turn.status === 'ROUTING') {
    d.event('AGENT_STARTED', { agent_id: turn.target_agent_id, run_id: turn.run_id }, { turn });
  }
  return running;
}

/** Acknowledgements carry no number: only the first one finds the turn still waiting for it. */
export function onInputAck(d: Draft, message: SessionMessage): void {
  const turn = speakingTurn(d, message);
  if (turn !== null && isWaitingFor(turn, 'INPUT_ACK')) start(d, turn);
}

export function onCancelAck(d: Draft, message: SessionMessage): void {
  const turn = speakingTurn(d, message);
  if (turn !== null) acknowledgeCancel(d, turn);
}

/** A sign of life keeps T_idle away; it is nothing that anyone sees. */
export function onRunAlive(d: Draft, message: SessionMessage): void {
  const turn = speakingTurn(d, message);
  if (turn !== null && turn.cancel === null && d.ts > turn.last_output_at) d.setTurn({ ...turn, last_output_at: d.ts });
}
