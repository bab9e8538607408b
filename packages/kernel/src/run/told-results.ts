import type { AgentRunResult, RunResultType } from '@rostra/protocol/runner/run-result';
import type { MessageOf, PayloadOf, SessionMessage } from '@rostra/protocol/session/message';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';

/** What a run said, read back from the message that the session took of it. */
interface Told {
  readonly type: RunResultType;
  readonly data: JsonObject;
}

/** JSON has no undefined: what is absent is left out. */
function present(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  const all: JsonObject = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) all[name] = value;
  return all;
}

function pieces({ text, reasoning, more = [] }: PayloadOf<'AGENT_OUTPUT', 'chunk'>): Told[] {
  const name = text === undefined ? 'reasoning_content' : 'content';
  return [text ?? reasoning ?? '', ...more].map((piece) => ({
    type: 'message.delta',
    data: { chunk: { role: 'assistant', [name]: piece } },
  }));
}

function output(message: Extract<SessionMessage, { event: 'AGENT_OUTPUT' }>): Told[] {
  switch (message.subtype) {
    case 'chunk':
      return pieces(message.payload);
    case 'message': {
      // A card is a hint, too: the most exact one.
      const { role, content, reasoning: reasoning_content, ui_schema: ui_hints } = message.payload;
      return [
        { type: 'message.completed', data: { message: present({ role, content, reasoning_content, ui_hints }) } },
      ];
    }
    case 'final':
      return [{ type: 'run.completed', data: present(message.payload) }];
    case 'tool.call.started': {
      const { message_id: _, ...call } = message.payload;
      return [{ type: message.subtype, data: present(call) }];
    }
    case 'tool.call.completed': {
      const { ui_schema: ui_hints, ...call } = message.payload;
      return [{ type: message.subtype, data: present({ ...call, ui_hints }) }];
    }
    case 'message.started':
    case 'message.ended':
    case 'message.edited':
    case 'message.deleted':
      // What the host made of the results, and none of them.
      return [];
    default:
      return [{ type: message.subtype, data: present(message.payload) }];
  }
}

function handover({ payload }: MessageOf<'CONTROL', 'HANDOVER_REQUEST'>): Told {
  const { target_agent_id: agent_id, reason, summary } = payload;
  const data = { action: 'session.handover', target: { agent_id }, payload: { reason, summary } };
  return { type: 'action.requested', data };
}

function failure(code: string, message: string, rest: { retryable: boolean; usage?: JsonObject | undefined }): Told {
  return { type: 'run.failed', data: present({ code, message, error: message, ...rest }) };
}

function told(message: SessionMessage): Told[] {
  if (message.event === 'AGENT_OUTPUT') return output(message);
  if (message.event === 'ERROR') {
    if (message.subtype !== 'RUN_FAILED') return [];
    const { code, message: text, retryable, usage } = message.payload;
    return [failure(code, text, { retryable, usage })];
  }
  if (message.event !== 'CONTROL') return [];
  if (message.subtype === 'HANDOVER_REQUEST') return [handover(message)];
  if (message.subtype === 'INTERACTION_REQUESTED' && message.payload.purpose === 'question') {
    const { interaction_id, request } = message.payload;
    return [
      { type: 'action.requested', data: { action: 'interaction.requested', payload: { interaction_id, request } } },
    ];
  }
  // Whatever a cancelled run sent at its end, that is how it ended (SR-D32).
  if (message.subtype !== 'CANCEL_ACK') return [];
  return [failure('cancelled', 'The run was cancelled.', { retryable: false, usage: message.payload.usage })];
}

/**
 * The results of a run that one message of it stands for, with the host's own numbers. What the host alone said of the
 * run, its failure or the answer to a cancel, has no number.
 */
export function toldResults(message: SessionMessage): AgentRunResult[] {
  const { run_id, sequence, ts } = message;
  if (run_id === undefined || message.sender.kind !== 'agent') return [];
  const timestamp = Math.floor(ts / 1000);
  return told(message).map(({ type, data }, index) => ({
    run_id,
    type,
    data,
    sequence: sequence === undefined ? null : sequence + index,
    timestamp,
  }));
}
