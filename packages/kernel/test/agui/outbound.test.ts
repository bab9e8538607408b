import type { LogRecord } from '@rostra/protocol/record/record';
import type { AguiEvent } from '@rostra/protocol/run-api/agui-event';
import { SessionPayloads } from '@rostra/protocol/session/message';
import { describe, expect, it } from 'vitest';
import { beginView } from '../../src/agui/agui-view.ts';
import { foldAgui } from '../../src/agui/outbound.ts';
import { recordOf, runId, samples, taskId, threadId } from './sample-record.ts';

const accepted = recordOf('EVENT', 'TURN_ACCEPTED', samples.EVENT.TURN_ACCEPTED);
const dispatched = recordOf('EVENT', 'TURN_DISPATCHED', samples.EVENT.TURN_DISPATCHED);
const completed = recordOf('EVENT', 'TURN_COMPLETED', samples.EVENT.TURN_COMPLETED);
const started = (message_id: string, channel: 'text' | 'reasoning' = 'text') =>
  recordOf('AGENT_OUTPUT', 'message.started', { message_id, agent_id: 'guide', channel });
const ended = (message_id: string) => recordOf('AGENT_OUTPUT', 'message.ended', { message_id, agent_id: 'guide' });
const chunk = (message_id: string, text: string) =>
  recordOf('AGENT_OUTPUT', 'chunk', { message_id, n: 0, text }, { mark: 'both', target: 'SYSTEM' });

function fold(...records: LogRecord[]): AguiEvent[] {
  let view = beginView(threadId, taskId);
  return records.flatMap((record) => {
    const folded = foldAgui(view, record);
    view = folded.view;
    return folded.events;
  });
}

function types(...records: LogRecord[]): string[] {
  return fold(...records).map(({ type }) => type);
}

/** Events that one record makes in a run that has just started. */
function row(record: LogRecord): string[] {
  return types(accepted, dispatched, record).slice(1);
}

const outputRows: Record<keyof typeof SessionPayloads.AGENT_OUTPUT, string[]> = {
  chunk: ['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT'],
  message: ['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END', 'ACTIVITY_SNAPSHOT'],
  final: [],
  'message.started': ['TEXT_MESSAGE_START'],
  'message.ended': [],
  'tool.call.started': ['TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END'],
  'tool.call.completed': ['TOOL_CALL_RESULT'],
  'artifact.created': ['ACTIVITY_SNAPSHOT'],
  'state.updated': ['STATE_DELTA'],
  'action.requested': ['CUSTOM'],
  'message.edited': ['CUSTOM'],
  'message.deleted': ['CUSTOM'],
};
const eventRows: Record<keyof typeof SessionPayloads.EVENT, string[]> = {
  TURN_ACCEPTED: [],
  TURN_DISPATCHED: [],
  TURN_RESUMED: [],
  AGENT_STARTED: ['CUSTOM'],
  TURN_COMPLETED: ['RUN_FINISHED'],
  TURN_FAILED: ['RUN_ERROR'],
  CANCELED: ['RUN_ERROR'],
  CANCEL_SENT: [],
  NO_ACTIVE_SPEAKING: [],
  STREAM_STOPPED: [],
  ACTIVE_AGENT_CHANGED: [],
  ADDING_AGENT: [],
  AGENT_ADDED: [],
  AGENT_REMOVING: [],
  AGENT_REMOVED_LOCAL: [],
  AGENT_REMOVED: [],
  SESSION_OPENED: [],
  SESSION_CLOSED: [],
  BUDGET_NOTICE: ['CUSTOM'],
  INTERACTION_OPENED: ['RUN_FINISHED'],
  INTERACTION_RESOLVED: [],
};
/** Only these few are published to frontends; the others go to agents and the SessionManager, or come from outside. */
const controlRows: Partial<Record<keyof typeof SessionPayloads.CONTROL, string[]>> = {
  SWITCH_AGENT: ['CUSTOM', 'STATE_DELTA'],
  HANDOVER_UI_PROMPT: ['CUSTOM'],
  HANDOVER_RESOLVED: [],
};

describe('the table of session messages and AG-UI events', () => {
  const kinds = <T extends object>(payloads: T) => Object.keys(payloads) as (keyof T & string)[];

  it.each(kinds(SessionPayloads.AGENT_OUTPUT))('AGENT_OUTPUT:%s has its row', (subtype) => {
    expect(row(recordOf('AGENT_OUTPUT', subtype, samples.AGENT_OUTPUT[subtype]))).toEqual(outputRows[subtype]);
  });

  it.each(kinds(SessionPayloads.EVENT))('EVENT:%s has its row', (subtype) => {
    expect(row(recordOf('EVENT', subtype, samples.EVENT[subtype]))).toEqual(eventRows[subtype]);
  });

  it.each(kinds(SessionPayloads.ERROR))('ERROR:%s maps to nothing: TURN_FAILED alone ends a run', (subtype) => {
    const payload = {
      ref: 'x',
      reason: 'BUSY',
      code: 'runtime_error',
      message: 'y',
      retryable: false,
      details: {},
    } as const;
    expect(row(recordOf('ERROR', subtype, payload))).toEqual([]);
  });

  it.each(kinds(SessionPayloads.CONTROL))('CONTROL:%s has its row', (subtype) => {
    const payload = { from_agent_id: 'guide', target_agent_id: 'scout', to: 'scout', until: 9 };
    const record = { ...recordOf('CONTROL', 'SWITCH_AGENT', {}), subtype, payload } as unknown as LogRecord;
    expect(row(record)).toEqual(controlRows[subtype] ?? []);
  });

  it.each([...kinds(SessionPayloads.USER_INPUT), ...kinds(SessionPayloads.TIMER)])('%s maps to nothing', (subtype) => {
    const event = subtype in SessionPayloads.TIMER ? 'TIMER' : 'USER_INPUT';
    expect(row({ ...dispatched, event, subtype, payload: {} } as unknown as LogRecord)).toEqual([]);
  });

  it('SWITCH_AGENT and a handover are told beside the run', () => {
    const handover = { from_agent_id: 'guide', target_agent_id: 'scout', reason: 'r', summary: 's' };
    const prompt = recordOf('CONTROL', 'HANDOVER_UI_PROMPT', { ...handover, output: '', until: 9 });
    const { reason: _reason, summary: _summary, ...agents } = handover;
    const ofSession = { turn_id: null };
    const outcome = { ...agents, outcome: 'confirmed' as const, answered_by: 'u' };
    const resolved = recordOf('CONTROL', 'HANDOVER_RESOLVED', outcome, ofSession);
    const events = fold(
      dispatched,
      recordOf('CONTROL', 'SWITCH_AGENT', { from: null, to: 'guide', reason: 'mention' }, ofSession),
      prompt,
      resolved,
    );
    expect(events.slice(1)).toMatchObject([
      { type: 'CUSTOM', name: 'agent.switched', value: { to: 'guide', reason: 'mention' } },
      { type: 'STATE_DELTA', delta: [{ op: 'add', path: '/activeAgentId', value: 'guide' }] },
      { type: 'CUSTOM', name: 'handover.requested', value: { txId: 'tx-1', from: 'guide', to: 'scout' } },
      { type: 'CUSTOM', name: 'handover.resolved', value: { outcome: 'confirmed' } },
    ]);
  });
});

describe('the fold of one task', () => {
  it('starts with the run’s names and integer times', () => {
    const [event] = fold(accepted, { ...dispatched, ts: 1_700_000_000_000.7 });
    expect(event).toEqual({
      type: 'RUN_STARTED',
      threadId,
      runId: 'run-001',
      metadata: { taskId, agentId: 'guide', runId, traceId: 'trace-1' },
      timestamp: 1_700_000_000_000,
    });
  });

  it('names the run after the task when no client named it', () => {
    const own = recordOf('EVENT', 'TURN_DISPATCHED', { ...samples.EVENT.TURN_DISPATCHED, client_run_id: null });
    expect(fold(own)[0]).toMatchObject({ runId: taskId });
  });

  it('shows a streamed message once, also when the whole message follows', () => {
    const whole = recordOf('AGENT_OUTPUT', 'message', { message_id: 'm1', role: 'assistant', content: 'ab' });
    const events = fold(dispatched, started('m1'), chunk('m1', 'a'), chunk('m1', 'b'), ended('m1'), whole, completed);
    expect(events.slice(1, -1)).toMatchObject([
      { type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant', name: 'guide' },
      { type: 'TEXT_MESSAGE_CONTENT', delta: 'a' },
      { type: 'TEXT_MESSAGE_CONTENT', delta: 'b' },
      { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
    ]);
  });

  it('shows a whole message that was not streamed, with its reasoning before it', () => {
    const whole = recordOf('AGENT_OUTPUT', 'message', {
      message_id: 'm',
      role: 'assistant',
      content: 'x',
      reasoning: 'r',
    });
    expect(row(whole)).toEqual([
      'REASONING_START',
      'REASONING_MESSAGE_START',
      'REASONING_MESSAGE_CONTENT',
      'REASONING_MESSAGE_END',
      'REASONING_END',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
    ]);
  });

  it('does not repeat reasoning that came in chunks', () => {
    const thought = recordOf('AGENT_OUTPUT', 'chunk', { message_id: 'm0', n: 0, reasoning: 'hm' });
    const whole = recordOf('AGENT_OUTPUT', 'message', {
      message_id: 'm1',
      role: 'assistant',
      content: 'x',
      reasoning: 'hm',
    });
    const events = types(dispatched, started('m0', 'reasoning'), thought, ended('m0'), whole);
    expect(events.filter((type) => type === 'REASONING_START')).toHaveLength(1);
    expect(events.slice(-3)).toEqual(['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END']);
  });

  it('writes no empty delta', () => {
    expect(types(dispatched, started('m1'), chunk('m1', ''))).toEqual(['RUN_STARTED', 'TEXT_MESSAGE_START']);
  });

  it('carries the error of a tool as its result', () => {
    const failed = { tool_call_id: 'c', tool_name: 't', error: 'no network' };
    expect(fold(dispatched, recordOf('AGENT_OUTPUT', 'tool.call.completed', failed))[1]).toMatchObject({
      type: 'TOOL_CALL_RESULT',
      messageId: `${taskId}.c`,
      content: 'no network',
      metadata: { isError: true },
    });
  });

  it('escapes a state key and never needs a parent that the client does not have', () => {
    const delta = fold(dispatched, recordOf('AGENT_OUTPUT', 'state.updated', samples.AGENT_OUTPUT['state.updated']))[1];
    expect(delta).toMatchObject({ delta: [{ op: 'add', path: '/conversation.a~1b~0c', value: { deep: null } }] });
  });

  it.each(['runner.compaction.checkpoint', 'external.session_id'])(
    'shows nobody what a runner keeps for itself: %s',
    (key) => {
      const kept = { ...samples.AGENT_OUTPUT['state.updated'], key };
      expect(types(dispatched, recordOf('AGENT_OUTPUT', 'state.updated', kept))).not.toContain('STATE_DELTA');
    },
  );

  it('closes what is open before a cancelled run ends', () => {
    const canceled = recordOf('EVENT', 'CANCELED', samples.EVENT.CANCELED);
    expect(fold(dispatched, started('m1'), chunk('m1', 'a'), canceled).slice(-2)).toMatchObject([
      { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
      { type: 'RUN_ERROR', code: 'cancelled', message: 'The run was cancelled: user' },
    ]);
  });

  it('a turn that failed in the queue is a RUN_ERROR alone', () => {
    const failed = recordOf('EVENT', 'TURN_FAILED', { ...samples.EVENT.TURN_FAILED, run_id: null });
    expect(types(accepted, failed)).toEqual(['RUN_ERROR']);
  });

  it('a switch before the dispatch is told after RUN_STARTED', () => {
    const to = recordOf('CONTROL', 'SWITCH_AGENT', { from: 'guide', to: 'scout', reason: 'mention' });
    expect(types(to, accepted, dispatched)).toEqual(['RUN_STARTED', 'CUSTOM', 'STATE_DELTA']);
  });

  it('a turn that was steered into another one starts and finishes at once', () => {
    const steered = recordOf('EVENT', 'TURN_COMPLETED', { agent_id: 'guide', run_id: null, steered_into: 't0' });
    const events = fold(accepted, steered);
    expect(events.map(({ type }) => type)).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
    expect(events[1]).toMatchObject({ runId: 'run-001', metadata: { taskId, steeredInto: 't0' } });
  });

  it('shows nothing of other turns, of inputs, of withheld output, of messages to agents, or after the end', () => {
    const { chunk: payload } = samples.AGENT_OUTPUT;
    const records = [
      recordOf('AGENT_OUTPUT', 'chunk', payload, { turn_id: 'other' }),
      recordOf('AGENT_OUTPUT', 'chunk', payload, { mark: 'in' }),
      recordOf('AGENT_OUTPUT', 'chunk', payload, { mark: 'suppressed' }),
      recordOf('AGENT_OUTPUT', 'chunk', payload, { target: 'AGENT' }),
    ];
    expect(types(dispatched, ...records)).toEqual(['RUN_STARTED']);
    expect(types(dispatched, completed, chunk('m', 'x'), completed)).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
  });
});
