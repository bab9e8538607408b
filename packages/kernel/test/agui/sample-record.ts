import type { LogRecord, RecordMark } from '@rostra/protocol/record/record';
import type { PayloadOf, SessionEvent, SessionMessage, SubtypeOf } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';

export const threadId = '550e8400-e29b-41d4-a716-446655440000';
export const taskId = '01990000-0000-7000-8000-000000000001';
export const runId = `${taskId}.1`;

type Payloads = { [E in SessionEvent]: { [S in SubtypeOf<E>]: PayloadOf<E, S> } };

const member = {
  agent_id: 'guide',
  policy: { queue: 'enqueue' as const, interruptible: true, steering: false, resumable: false },
};
const turn = { agent_id: 'guide', run_id: runId };

/** One payload of each kind that a session may publish to frontends. */
export const samples: Pick<Payloads, 'AGENT_OUTPUT' | 'EVENT'> = {
  AGENT_OUTPUT: {
    chunk: { message_id: 'm1', n: 0, text: 'hel"lo\n' },
    message: {
      message_id: 'm2',
      role: 'assistant',
      content: [{ type: 'text', text: 'a' }, { type: 'image' }],
      ui_schema: { version: '2.0', root: { type: 'divider' } },
    },
    final: { finish_reason: 'stop' },
    'message.started': { message_id: 'm1', agent_id: 'guide', channel: 'text' },
    'message.ended': { message_id: 'm1', agent_id: 'guide' },
    'tool.call.started': { tool_call_id: 'c1', tool_name: 'weather', parameters: { city: '北京' }, message_id: 'm1' },
    'tool.call.completed': { tool_call_id: 'c1', tool_name: 'weather', result: { t: 21, wind: null } },
    'artifact.created': { artifact_id: 'a1', mime_type: 'image/png', name: null },
    'state.updated': { scope: 'conversation', key: 'a/b~c', value: { deep: null } },
    'action.requested': { action: 'message.edit', payload: { text: 'x' } },
    'message.edited': { message_id: 'm1', content: 'y' },
    'message.deleted': { message_id: 'm1' },
  },
  EVENT: {
    TURN_ACCEPTED: { agent_id: 'guide', state: 'dispatched', parent_turn_id: null, client_run_id: 'run-001' },
    TURN_DISPATCHED: { agent_id: 'guide', run_id: runId, client_run_id: 'run-001' },
    TURN_RESUMED: { agent_id: 'guide', run_id: `${runId}.2`, attempt: 2 },
    AGENT_STARTED: { agent_id: 'guide', run_id: runId },
    TURN_COMPLETED: turn,
    TURN_FAILED: { ...turn, code: 'demo.failed', message: 'It failed.', retryable: false },
    CANCELED: { ...turn, forced: false, reason: 'user' },
    CANCEL_SENT: { agent_id: 'guide' },
    NO_ACTIVE_SPEAKING: { ref: 'x' },
    STREAM_STOPPED: {},
    ACTIVE_AGENT_CHANGED: { from: null, to: 'guide' },
    ADDING_AGENT: { agent_id: 'scout' },
    AGENT_ADDED: { agent: member, existing: false },
    AGENT_REMOVING: { agent_id: 'scout', attempt: 1 },
    AGENT_REMOVED_LOCAL: { agent_id: 'scout' },
    AGENT_REMOVED: { agent_id: 'scout' },
    SESSION_OPENED: { agents: [member], active_agent_id: 'guide', existing: false },
    SESSION_CLOSED: { existing: false },
    BUDGET_NOTICE: { agent_id: 'guide', run_id: runId, limit: 'tokens', period: 'run', used: 80, of: 100 },
    INTERACTION_OPENED: {
      interaction_id: 'i1',
      purpose: 'question',
      kind: 'confirmation',
      agent_id: 'guide',
      run_id: 't.1',
      until: 5,
      request: { title: 'Sure?' },
    },
    INTERACTION_RESOLVED: { interaction_id: 'i1', outcome: 'answered', answer: null, answered_by: 'u' },
  },
};

interface Place {
  seq?: number;
  mark?: RecordMark;
  /** Null: it is about no turn. */
  turn_id?: string | null;
  target?: SessionMessage['target'];
  ts?: number;
}

export function recordOf<E extends SessionEvent, S extends SubtypeOf<E>>(
  event: E,
  subtype: S,
  payload: PayloadOf<E, S>,
  more: Place = {},
): LogRecord {
  const { seq = 1, mark = 'out', target = 'FRONTEND', ts = 1_700_000_000_000 + seq } = more;
  const turn_id = more.turn_id === null ? undefined : (more.turn_id ?? taskId);
  const message = MessageFactory.make(event, subtype, payload, {
    id: `x:${seq}`,
    session_id: threadId,
    sender: { kind: 'session', id: threadId },
    target,
    turn_id,
    trace_id: 'trace-1',
    tx_id: 'tx-1',
    ts,
    epoch: 3,
  });
  return { seq, mark, v: 1, ...message } as LogRecord;
}
