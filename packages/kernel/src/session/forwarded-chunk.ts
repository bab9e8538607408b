import type { MessageOf, SessionMessage } from '@rostra/protocol/session/message';
import { limits } from '@rostra/protocol/wire/limits';
import { chunkSize, chunkText, pieceCount } from './chunk.ts';
import { copyOf, own, type SessionContext, type Speech } from './context.ts';
import { speechOf } from './speech.ts';
import { collect } from './turn.ts';

/**
 * The step of a chunk that continues the message being spoken: nothing but counters change, and the chunk goes out as it
 * came. There are more of them than of all else, so this one way through rule G is written for speed; whatever is
 * not exactly this case (null) takes the long way, with the same result.
 */
export function forwardedChunk(
  context: SessionContext,
  message: SessionMessage,
): { context: SessionContext; publish: SessionMessage[] } | null {
  if (message.event !== 'AGENT_OUTPUT' || message.subtype !== 'chunk') return null;
  const speech = context.speech ?? beginning(context, message.turn_id);
  if (speech === null || !continues(context, speech, message)) return null;
  const { payload, ts } = message;
  const output_bytes = speech.output_bytes + chunkSize(payload);
  const pieces = pieceCount(payload);
  if (output_bytes > limits.turn_bytes || payload.n + pieces > limits.turn_chunks) return null;
  const collected_output = collect(speech.collected_output, chunkText(payload));
  const said = longer(speech, { ts, pieces, output_bytes, collected_output });
  return { context: withSpeech(context, said, message.ts), publish: [forwarded(context, message)] };
}

function beginning(context: SessionContext, turn_id: string | undefined): Speech | null {
  const turn = own(context.inflight, turn_id);
  return turn === undefined ? null : speechOf(turn);
}

/** The next chunk of the open message, from the run and the agent that are speaking. */
function continues(context: SessionContext, speech: Speech, message: MessageOf<'AGENT_OUTPUT', 'chunk'>): boolean {
  const { sender, payload } = message;
  return (
    message.sequence === speech.next_sequence &&
    payload.n === speech.next_chunk &&
    message.run_id === speech.run_id &&
    message.turn_id === speech.turn_id &&
    payload.message_id === speech.message_id &&
    sender.id === speech.agent_id &&
    sender.kind === 'agent' &&
    message.epoch === context.epoch &&
    message.session_id === context.session_id
  );
}

/** Written out field by field: spreading an object of this size costs several times as much. */
function longer(
  speech: Speech,
  {
    ts,
    pieces,
    output_bytes,
    collected_output,
  }: { ts: number; pieces: number } & Pick<Speech, 'output_bytes' | 'collected_output'>,
): Speech {
  return {
    turn_id: speech.turn_id,
    run_id: speech.run_id,
    agent_id: speech.agent_id,
    message_id: speech.message_id,
    last_output_at: ts,
    next_sequence: speech.next_sequence + pieces,
    next_chunk: speech.next_chunk + pieces,
    output_bytes,
    collected_output,
  };
}

function withSpeech(context: SessionContext, speech: Speech, ts: number): SessionContext {
  const copy = copyOf(context);
  copy.speech = speech;
  copy.ts = ts;
  return copy;
}

function forwarded(context: SessionContext, message: SessionMessage): SessionMessage {
  return { ...message, sender: { kind: 'session', id: context.session_id }, target: 'FRONTEND' };
}
