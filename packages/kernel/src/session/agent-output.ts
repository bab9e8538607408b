import { isLoggedClientTool } from '@rostra/protocol/session/client-call';
import type { MessageOf, ObservableSubtype, SessionMessage } from '@rostra/protocol/session/message';
import { limits } from '@rostra/protocol/wire/limits';
import { changed } from './changed-turn.ts';
import { chunkSize, chunkText, pieceCount } from './chunk.ts';
import { isIn, type Turn } from './context.ts';
import type { Draft } from './draft.ts';
import { admit, outputGap, speakingTurn } from './output-order.ts';
import { acknowledgeCancel } from './transactions/cancel.ts';
import { abandonRun, closeMessage, collect, endTurn } from './turn.ts';

/** Rule G: what an agent says reaches frontends only through here, in order, and only while its turn lives. */
export function onChunk(d: Draft, message: MessageOf<'AGENT_OUTPUT', 'chunk'>): void {
  const turn = admit(d, message);
  if (turn === null || turn.cancel !== null) return;
  const { message_id, n } = message.payload;
  if (n !== turn.next_chunk) {
    outputGap(d, turn, turn.next_chunk, n);
    return;
  }
  const next_chunk = n + pieceCount(message.payload);
  const output_bytes = turn.output_bytes + chunkSize(message.payload);
  if (output_bytes > limits.turn_bytes || next_chunk > limits.turn_chunks) {
    tooLarge(d, turn);
    return;
  }
  const collected_output = collect(turn.collected_output, chunkText(message.payload));
  const spoken = speak(d, turn, { next_chunk, output_bytes, collected_output });
  if (spoken.open_message_id === message_id) {
    d.setTurn(spoken);
  } else {
    closeMessage(d, spoken);
    d.setTurn(changed(spoken, { open_message_id: message_id }));
    const channel = message.payload.text === undefined ? 'reasoning' : 'text';
    d.output('message.started', { message_id, agent_id: turn.target_agent_id, channel }, turn);
  }
  d.forward(message);
}

export function onMessage(d: Draft, message: MessageOf<'AGENT_OUTPUT', 'message'>): void {
  const turn = admit(d, message);
  if (turn === null || turn.cancel !== null) return;
  const output_bytes = turn.output_bytes + JSON.stringify(message.payload).length;
  if (output_bytes > limits.turn_bytes) {
    tooLarge(d, turn);
    return;
  }
  closeMessage(d, turn);
  const { content } = message.payload;
  const said = turn.open_message_id !== message.payload.message_id && typeof content === 'string' ? content : '';
  const collected_output = collect(turn.collected_output, said);
  d.setTurn(speak(d, turn, { open_message_id: null, output_bytes, collected_output }));
  d.forward(message);
}

/** While a tool call is open, T_idle stands still: the agent waits for somebody else. */
export function onObservable(d: Draft, message: Extract<SessionMessage, { subtype: ObservableSubtype }>): void {
  const turn = admit(d, message);
  if (turn === null || turn.cancel !== null) return;
  const output_bytes = turn.output_bytes + JSON.stringify(message.payload).length;
  if (output_bytes > limits.turn_bytes) {
    tooLarge(d, turn);
    return;
  }
  d.setTurn(speak(d, turn, { open_calls: openCalls(turn, message), output_bytes }));
  d.forward(message);
}

/** What a client runs is asked for and answered like any question: it can be waited for across runs. */
function openCalls({ open_calls }: Turn, message: Extract<SessionMessage, { subtype: ObservableSubtype }>): number {
  const isStart = message.subtype === 'tool.call.started';
  if (!isStart && message.subtype !== 'tool.call.completed') return open_calls;
  if (isLoggedClientTool(message.payload.tool_name)) return open_calls;
  return isStart ? open_calls + 1 : Math.max(0, open_calls - 1);
}

export function onFinal(d: Draft, message: MessageOf<'AGENT_OUTPUT', 'final'>): void {
  const turn = admit(d, message);
  if (turn === null) return;
  if (turn.cancel !== null) {
    acknowledgeCancel(d, turn);
    return;
  }
  closeMessage(d, turn);
  d.forward(message);
  endTurn(d, changed(turn, { open_message_id: null }), { status: 'COMPLETED' });
}

/** `run.failed` has a number and can reveal a gap; what the host itself found out about a run has none. */
export function onRunFailed(d: Draft, message: MessageOf<'ERROR', 'RUN_FAILED'>): void {
  if (message.turn_id === undefined) {
    agentFailed(d, message);
    return;
  }
  const turn = message.sequence === undefined ? speakingTurn(d, message) : admit(d, message);
  if (turn === null) return;
  if (turn.cancel !== null) {
    acknowledgeCancel(d, turn);
    return;
  }
  const { code, message: text, retryable } = message.payload;
  endTurn(d, turn, { status: 'FAILED', code, message: text, retryable });
}

/** An error that belongs to no turn is the session's to tell, without what only an operator may read (SR-D19, SR-D20). */
function agentFailed(d: Draft, { id, sender, payload }: MessageOf<'ERROR', 'RUN_FAILED'>): void {
  if (!isIn(d.context, sender.id) || d.context.told_errors.includes(id)) return;
  d.set({ told_errors: [...d.context.told_errors, id].slice(-limits.told_errors) });
  const { code, retryable } = payload;
  const message = 'an agent reported a failure';
  const details = { agent_id: sender.id, code };
  d.error('AGENT_FAILED', { reason: 'AGENT_FAILED', code: 'runtime_error', message, retryable, details });
}

/** The turn with what it has said now; whoever says the first of it is speaking from here on. */
function speak(d: Draft, turn: Turn, said: Partial<Turn>): Turn {
  const spoken = changed(turn, said);
  if (turn.first_output_at !== null) return spoken;
  d.set({ speaking_agent_id: turn.target_agent_id });
  spoken.first_output_at = d.ts;
  return spoken;
}

function tooLarge(d: Draft, turn: Turn): void {
  abandonRun(d, turn, 'payload too large');
  const message = 'the answer is larger than a turn may be';
  endTurn(d, turn, { status: 'FAILED', code: 'payload_too_large', message });
}
