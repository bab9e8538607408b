import { limits } from '@rostra/protocol/wire/limits';
import { changed } from './changed-turn.ts';
import { isIn, type SessionContext, type Turn } from './context.ts';
import type { Draft } from './draft.ts';
import { leaveQuestions, questionOf } from './question.ts';

/** How a turn ended. `code` is the word that clients and the run row keep. */
export type TurnEnd =
  | { status: 'COMPLETED'; steered_into?: string }
  | { status: 'FAILED'; code: string; message: string; retryable?: boolean }
  | { status: 'CANCELED'; forced?: boolean; reason: string };

/** Hands the turn's input to its agent and starts the clock (SR-A.4). Its agent may be gone since it was accepted. */
export function dispatch(d: Draft, turn: Turn): void {
  if (!isIn(d.context, turn.target_agent_id)) {
    endTurn(d, turn, { status: 'FAILED', code: 'AGENT_REMOVED', message: 'the agent left the session' });
    return;
  }
  if (turn.input_seq === null) throw new Error(`turn ${turn.turn_id} has no input to dispatch`);
  const sent = begin(d, turn);
  d.input(sent.turn, sent.run_id, turn.input_seq);
}

/** Everything that makes a turn the dispatched one, short of the message to the agent. */
export function begin(d: Draft, turn: Turn): { turn: Turn; run_id: string } {
  const { timeouts } = d.context.settings;
  const policy = d.context.agents_in_session[turn.target_agent_id]?.policy;
  const gen = d.nextGen();
  const attempt = turn.attempt + 1;
  const run_id = `${turn.turn_id}.${attempt}`;
  const started = changed(turn, {
    attempt,
    run_id,
    gen,
    waiting: [{ for: 'INPUT_ACK', until: d.ts + timeouts.ack, gen }],
    dispatched_at: d.ts,
    turn_until: d.ts + timeouts.turn,
    last_output_at: d.ts,
    parent: turn.requeued ? null : turn.parent,
  });
  d.setTurn(started);
  d.set({
    queue: d.context.queue.filter((id) => id !== turn.turn_id),
    user_interruptible: policy?.interruptible ?? true,
  });
  const { target_agent_id: agent_id, client_run_id } = turn;
  d.event('TURN_DISPATCHED', { agent_id, run_id, client_run_id }, { turn });
  return { turn: started, run_id };
}

/** The one way out of a turn: its terminal event, and nothing of it left behind (SR-INV-T2, T9). */
export function endTurn(d: Draft, turn: Turn, end: TurnEnd): void {
  if (end.status === 'COMPLETED') leaveQuestions(d, turn);
  closeInteractions(d, turn);
  closeMessage(d, turn);
  d.dropTurn(turn.turn_id);
  for (const tx of Object.values(d.context.transactions)) {
    if (tx.kind === 'CANCEL' && tx.turn_id === turn.turn_id) d.dropTx(tx.tx_id);
  }
  if (turn.run_id !== null) d.set({ user_interruptible: false });
  if (turn.first_output_at !== null) d.set({ speaking_agent_id: null });
  const { turn_id, trace_id, target_agent_id, depth } = turn;
  if (turn.run_id !== null) {
    const { run_id, next_sequence, conversation, binding_id } = turn;
    const collected_output = tail(turn.collected_output);
    const { status } = end;
    d.set({
      last_turn: {
        turn_id,
        trace_id,
        target_agent_id,
        status,
        depth,
        collected_output,
        run_id,
        next_sequence,
        conversation,
        binding_id,
      },
    });
  }
  announceEnd(d, turn, end);
  releaseSteering(d, turn);
}

function announceEnd(d: Draft, turn: Turn, end: TurnEnd): void {
  const base = { agent_id: turn.target_agent_id, run_id: turn.run_id };
  if (end.status === 'COMPLETED') {
    const { steered_into } = end;
    d.event('TURN_COMPLETED', steered_into === undefined ? base : { ...base, steered_into }, { turn });
  } else if (end.status === 'FAILED') {
    const { code, message, retryable = false } = end;
    d.event('TURN_FAILED', { ...base, code, message, retryable }, { turn });
  } else {
    d.event('CANCELED', { ...base, forced: end.forced ?? false, reason: end.reason }, { turn });
  }
}

/** Inputs that steered the ended turn: taken ones are answered with it, the others become ordinary turns (SR-D48). */
function releaseSteering(d: Draft, parent: Turn): void {
  const children = Object.values(d.context.inflight).filter(
    (turn) => turn.parent === parent.turn_id && turn.waiting.some((waiting) => waiting.for === 'STEERING'),
  );
  for (const child of children.sort((a, b) => a.accepted - b.accepted)) {
    if (child.pulled) endTurn(d, child, { status: 'COMPLETED', steered_into: parent.turn_id });
    else enqueue(d, { ...child, requeued: true });
  }
}

/** Puts a turn into the queue at its place in accept order. */
export function enqueue(d: Draft, turn: Turn): void {
  const gen = d.nextGen();
  const until = d.ts + d.context.settings.timeouts.queue;
  d.setTurn({ ...turn, waiting: [{ for: 'QUEUE', until, gen }] });
  const order = (id: string) => d.context.inflight[id]?.accepted ?? 0;
  d.set({ queue: [...d.context.queue, turn.turn_id].sort((a, b) => order(a) - order(b)) });
}

/** Inputs that wait in the queue in their own right: what the queue's limit counts. */
export function queueLength(context: SessionContext): number {
  return context.queue.filter((id) => context.inflight[id]?.requeued === false).length;
}

export function closeMessage(d: Draft, turn: Turn): void {
  if (turn.open_message_id === null || turn.cancel !== null) return;
  d.output('message.ended', { message_id: turn.open_message_id, agent_id: turn.target_agent_id }, turn);
}

export function closeInteractions(d: Draft, turn: Turn, outcome: 'run_ended' | 'run_lost' = 'run_ended'): void {
  for (const { interaction_id } of turn.waiting) {
    if (interaction_id === undefined || questionOf(d.context, interaction_id) !== null) continue;
    d.event('INTERACTION_RESOLVED', { interaction_id, outcome, answer: null, answered_by: null }, { turn });
  }
}

/** Tells the agent, once, that nobody listens any more; the turn's end does not wait for it (SR-D16). */
export function abandonRun(d: Draft, turn: Turn, reason: string): void {
  if (turn.run_id === null || turn.cancel !== null || turn.is_lost) return;
  const to = { target: 'AGENT' as const, target_id: turn.target_agent_id, run_id: turn.run_id };
  d.control(to, 'CANCEL', { turn_id: turn.turn_id, reason }, { turn });
  expectReport(d, turn);
}

/** The orchestrator will say what became of a run that was told to stop. */
export function expectReport(d: Draft, { run_id, target_agent_id: agent_id }: Turn): void {
  if (run_id === null) return;
  d.set({ unreported: [...d.context.unreported, { run_id, agent_id }].slice(-limits.unreported_cancels) });
}

export function terminateRun(d: Draft, turn: Turn): void {
  if (turn.run_id === null || turn.is_lost) return;
  const to = { target: 'SYSTEM' as const, target_id: 'orchestrator' };
  d.control(to, 'REQUEST_TERMINATE_RUN', { run_id: turn.run_id }, { turn });
}

/** At least the tail of what a turn said, for a handover. Trimmed rarely: a chunk must not copy it each time. */
export function collect(collected: string, text: string): string {
  const all = collected + text;
  return all.length > limits.collected_output_chars * 1.5 ? tail(all) : all;
}

/** The tail itself: the same however the text came in pieces, and no half of a character. */
export function tail(collected: string): string {
  const end = collected.slice(-limits.collected_output_chars);
  const first = end.charCodeAt(0);
  return first >= 0xdc00 && first <= 0xdfff ? end.slice(1) : end;
}

type NewTurn = Pick<
  Turn,
  | 'turn_id'
  | 'trace_id'
  | 'requested_by'
  | 'target_agent_id'
  | 'waiting'
  | 'conversation'
  | 'binding_id'
  | 'input_seq'
  | 'client_run_id'
  | 'parent'
  | 'depth'
>;

/** A turn that no agent has seen yet, next in accept order. */
export function newTurn(d: Draft, turn: NewTurn): Turn {
  d.set({ accepted: d.context.accepted + 1 });
  return {
    turn_id: turn.turn_id,
    trace_id: turn.trace_id,
    requested_by: turn.requested_by,
    target_agent_id: turn.target_agent_id,
    status: 'ROUTING',
    waiting: turn.waiting,
    created_at: d.ts,
    accepted: d.context.accepted,
    conversation: turn.conversation,
    binding_id: turn.binding_id,
    input_seq: turn.input_seq,
    client_run_id: turn.client_run_id,
    parent: turn.parent,
    depth: turn.depth,
    pulled: false,
    requeued: false,
    context_seq: null,
    attempt: 0,
    run_id: null,
    is_lost: false,
    gen: 0,
    dispatched_at: null,
    turn_until: null,
    paused_at: null,
    last_output_at: d.ts,
    first_output_at: null,
    next_sequence: 0,
    next_chunk: 0,
    output_bytes: 0,
    open_message_id: null,
    open_calls: 0,
    collected_output: '',
    cancel: null,
  };
}
