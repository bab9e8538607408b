import type { MessageOf, PayloadOf } from '@rostra/protocol/session/message';
import { limits } from '@rostra/protocol/wire/limits';
import { changed } from '../changed-turn.ts';
import {
  dispatchedTurn,
  type Handover,
  type Inherited,
  inherited,
  isIn,
  pendingTransaction,
  type Transaction,
  type Turn,
} from '../context.ts';
import type { Draft } from '../draft.ts';
import { admit } from '../output-order.ts';
import { rejectHandover, resolveHandover, switchActive } from '../roster.ts';
import { begin, newTurn, tail } from '../turn.ts';
import { startCancel } from './cancel.ts';
import { openTx, txOf } from './transaction.ts';

/**
 * | state    | HANDOVER_REQUEST   | CONFIRM                           | REJECT, T_handover | turn ended                       |
 * | -------- | ------------------ | --------------------------------- | ------------------ | -------------------------------- |
 * | none     | prompt → PROMPTED  | refused                           | refused            | –                                |
 * | PROMPTED | refused            | nothing runs → done, else STOPPING | resolved           | –                                |
 * | STOPPING | refused            | joins                             | refused            | SWITCH, context to the new agent |
 */
export function onHandoverRequest(d: Draft, message: MessageOf<'CONTROL', 'HANDOVER_REQUEST'>): void {
  const turn = askingTurn(d, message);
  if (turn === null) return;
  const { target_agent_id, reason, summary } = message.payload;
  const from_agent_id = turn.target_agent_id;
  const why = refusal(d, turn, target_agent_id);
  if (why !== null) {
    rejectHandover(d, { from_agent_id, target_agent_id, reason: why, turn_id: turn.turn_id });
    return;
  }
  const until = d.ts + d.context.settings.timeouts.handover;
  const output = tail(turn.collected_output);
  const tx = openTx(d, {
    kind: 'HANDOVER',
    step: 'PROMPTED',
    agent_id: target_agent_id,
    turn_id: turn.turn_id,
    until,
    reason,
    requested_by: from_agent_id,
    handover: { from_agent_id, summary, output, depth: turn.depth + 1, trace_id: turn.trace_id, ...inherited(turn) },
  });
  d.control(
    { target: 'FRONTEND' },
    'HANDOVER_UI_PROMPT',
    { from_agent_id, target_agent_id, reason, summary, output, until },
    { turn, tx_id: tx.tx_id },
  );
}

type AskingTurn = Pick<Turn, 'turn_id' | 'trace_id' | 'target_agent_id' | 'depth' | 'collected_output'> & Inherited;

/** The current turn of the agent that asks, or the last one if that was its own; nobody else may ask (SR-D40). */
function askingTurn(d: Draft, message: MessageOf<'CONTROL', 'HANDOVER_REQUEST'>): AskingTurn | null {
  const { last_turn: last, state } = d.context;
  if (last === null || state !== 'OPEN' || message.turn_id !== last.turn_id) {
    const turn = admit(d, message);
    return turn?.cancel === null ? turn : null;
  }
  if (last.status !== 'COMPLETED' || message.sender.id !== last.target_agent_id) return null;
  if (message.run_id !== last.run_id || message.sequence !== last.next_sequence) return null;
  d.set({ last_turn: { ...last, next_sequence: last.next_sequence + 1 } });
  return last;
}

function refusal(d: Draft, turn: AskingTurn, target: string): string | null {
  if (!isIn(d.context, turn.target_agent_id) || !isIn(d.context, target)) return 'not_found';
  if (target === turn.target_agent_id) return 'invalid_argument';
  if (turn.depth >= limits.handover_depth) return 'rate_limited';
  if (pendingTransaction(d.context, 'HANDOVER') !== null) return 'rate_limited';
  return Object.keys(d.context.transactions).length >= limits.transactions - 1 ? 'rate_limited' : null;
}

export function onHandoverConfirm(d: Draft, message: MessageOf<'CONTROL', 'HANDOVER_CONFIRM'>): void {
  const tx = txOf(d, 'HANDOVER');
  if (tx === null) {
    refuseAnswer(d);
  } else if (tx.step === 'PROMPTED') {
    const until = d.ts + d.context.settings.timeouts.cancel + d.context.settings.timeouts.ack;
    const { client_run_id } = message.payload;
    const named = client_run_id === undefined ? {} : { client_run_id };
    d.setTx({ ...tx, step: 'STOPPING', until, gen: d.nextGen(), requested_by: message.sender.id, ...named });
    const running = dispatchedTurn(d.context);
    if (running !== null) startCancel(d, running, 'handover', message.sender.id);
  }
}

export function onHandoverReject(d: Draft, _message: MessageOf<'CONTROL', 'HANDOVER_REJECT'>): void {
  const tx = txOf(d, 'HANDOVER');
  if (tx?.step === 'PROMPTED') resolveHandover(d, tx, 'rejected');
  else refuseAnswer(d);
}

function refuseAnswer(d: Draft): void {
  d.refuse({
    reason: 'TX_NOT_PENDING',
    code: 'not_found',
    message: 'this handover is not waiting for an answer',
    hint: 'Somebody else may have answered it, or it has expired.',
  });
}

/** The agent that asked has stopped: the other one becomes active and receives what was said (SR-INV-X7). */
export function continueHandover(d: Draft): void {
  const tx = pendingTransaction(d.context, 'HANDOVER', (each) => each.step === 'STOPPING');
  if (tx === null || dispatchedTurn(d.context) !== null) return;
  const { handover, agent_id } = tx;
  if (handover === null || agent_id === null) throw new Error(`${tx.tx_id} is no handover`);
  resolveHandover(d, tx, 'confirmed');
  switchActive(d, agent_id, 'handover');
  const turn = handedTurn(d, tx, agent_id, handover);
  d.setTurn(turn);
  d.event(
    'TURN_ACCEPTED',
    { agent_id, state: 'dispatched', parent_turn_id: tx.turn_id, client_run_id: turn.client_run_id },
    { turn, tx_id: tx.tx_id },
  );
  const begun = begin(d, turn);
  // It is published next: the log holds it at this place, and a further attempt reads it there.
  const context_seq = d.cause.seq === undefined ? null : d.cause.seq + 1 + d.publish.length;
  d.setTurn(changed(begun.turn, { context_seq }));
  const last = d.context.last_turn;
  const output = last !== null && last.turn_id === tx.turn_id ? last.collected_output : handover.output;
  d.control(
    { target: 'AGENT', target_id: agent_id, run_id: begun.run_id },
    'HANDOVER_CONTEXT',
    contextOf(tx.reason, handover, output),
    { turn, tx_id: tx.tx_id },
  );
}

function handedTurn(d: Draft, tx: Transaction, agent_id: string, handover: Handover): Turn {
  return newTurn(d, {
    turn_id: `${tx.tx_id}.turn`,
    trace_id: handover.trace_id,
    requested_by: tx.requested_by,
    target_agent_id: agent_id,
    waiting: [],
    ...inherited(handover),
    input_seq: null,
    client_run_id: tx.client_run_id ?? null,
    parent: tx.turn_id,
    depth: handover.depth,
  });
}

function contextOf(reason: string, handover: Handover, output: string): PayloadOf<'CONTROL', 'HANDOVER_CONTEXT'> {
  const { from_agent_id, summary, conversation, binding_id } = handover;
  const place = conversation === undefined ? {} : { conversation };
  const leave = binding_id === undefined ? {} : { binding_id };
  return { from_agent_id, reason, summary, output, ...place, ...leave };
}
