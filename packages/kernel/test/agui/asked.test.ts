import type { LogRecord } from '@rostra/protocol/record/record';
import type { AguiEvent } from '@rostra/protocol/run-api/agui-event';
import type { PayloadOf } from '@rostra/protocol/session/message';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { describe, expect, it } from 'vitest';
import { beginView } from '../../src/agui/agui-view.ts';
import { frameSession, framesOf } from '../../src/agui/frame.ts';
import { interruptOf } from '../../src/agui/interrupt.ts';
import { foldAgui } from '../../src/agui/outbound.ts';
import { beginSessionView, foldSession } from '../../src/agui/session-view.ts';
import { interactionChange } from '../../src/projection/interaction-rows.ts';
import { recordOf, samples, taskId, threadId } from './sample-record.ts';

const accepted = recordOf('EVENT', 'TURN_ACCEPTED', samples.EVENT.TURN_ACCEPTED);
const dispatched = recordOf('EVENT', 'TURN_DISPATCHED', samples.EVENT.TURN_DISPATCHED);
const completed = recordOf('EVENT', 'TURN_COMPLETED', samples.EVENT.TURN_COMPLETED);
const canceled = recordOf('EVENT', 'CANCELED', samples.EVENT.CANCELED);
const chunk = (text: string) => recordOf('AGENT_OUTPUT', 'chunk', { message_id: 'm1', n: 0, text });

type Opened = PayloadOf<'EVENT', 'INTERACTION_OPENED'>;
type Resolved = PayloadOf<'EVENT', 'INTERACTION_RESOLVED'>;
const opened = (more: Partial<Opened>) =>
  recordOf('EVENT', 'INTERACTION_OPENED', { ...samples.EVENT.INTERACTION_OPENED, until: 1_700_000_600_000, ...more });
const resolved = (more: Partial<Resolved>) =>
  recordOf('EVENT', 'INTERACTION_RESOLVED', { ...samples.EVENT.INTERACTION_RESOLVED, ...more });

const sure: JsonObject = {
  kind: 'confirmation',
  title: 'Sure?',
  actions: [
    { id: 'confirm', label: 'Yes' },
    { id: 'cancel', label: 'No' },
  ],
};
const asked = opened({ request: sure });
const calls = opened({
  interaction_id: 'i2',
  purpose: 'client_tool',
  kind: 'client_tool',
  request: { calls: [{ tool_call_id: 'c1', name: 'client.weather', parameters: { city: 'Oslo' } }] },
});

function fold(...records: LogRecord[]): AguiEvent[] {
  let view = beginView(threadId, taskId);
  return records.flatMap((record) => {
    const folded = foldAgui(view, record);
    view = folded.view;
    return folded.events;
  });
}

const types = (...records: LogRecord[]) => fold(...records).map(({ type }) => type);

describe('a question inside a run', () => {
  it('closes what is open and ends the AG-UI run as an interrupt', () => {
    expect(fold(accepted, dispatched, chunk('a'), asked).slice(3)).toMatchObject([
      { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
      {
        type: 'RUN_FINISHED',
        runId: 'run-001',
        outcome: {
          type: 'interrupt',
          interrupts: [
            {
              id: 'i1',
              reason: 'confirmation',
              message: 'Sure?',
              responseSchema: { properties: { approved: { type: 'boolean' } }, required: ['approved'] },
              expiresAt: '2023-11-14T22:23:20.000Z',
            },
          ],
        },
      },
    ]);
  });

  it.each([
    ['question', 'form', 'input_required'],
    ['question', 'choice', 'input_required'],
    ['question', 'confirmation', 'confirmation'],
    ['approval', 'confirmation', 'tool_call'],
    ['budget', 'choice', 'rostra:budget'],
  ] as const)('asked as %s, a %s has the reason %s', (purpose, kind, reason) => {
    const [, end] = fold(dispatched, opened({ purpose, kind, request: sure }));
    expect(end).toMatchObject({ outcome: { interrupts: [{ reason }] } });
  });

  it('its answer begins the next AG-UI run under the client’s name, with the one before as its parent', () => {
    const events = fold(accepted, dispatched, asked, resolved({ client_run_id: 'run-002' }), chunk('b'), completed);
    expect(events.slice(2)).toMatchObject([
      { type: 'RUN_STARTED', runId: 'run-002', parentRunId: 'run-001', metadata: { taskId } },
      { type: 'CUSTOM', name: 'interaction.resolved' },
      { type: 'TEXT_MESSAGE_START' },
      { type: 'TEXT_MESSAGE_CONTENT', delta: 'b' },
      { type: 'TEXT_MESSAGE_END' },
      { type: 'RUN_FINISHED', runId: 'run-002' },
    ]);
    expect(events.at(-1)).not.toHaveProperty('outcome');
  });

  it('that was answered elsewhere, or expired, begins a run named after the task', () => {
    for (const outcome of ['answered', 'expired'] as const) {
      const [, , started] = fold(accepted, dispatched, asked, resolved({ outcome }));
      expect(started).toMatchObject({ type: 'RUN_STARTED', runId: `${taskId}+1`, parentRunId: 'run-001' });
    }
  });

  it('a run that is cancelled while it waits ends as cancelled, and begins no other', () => {
    expect(types(accepted, dispatched, asked, resolved({ outcome: 'run_ended' }), canceled)).toEqual([
      'RUN_STARTED',
      'RUN_FINISHED',
      'RUN_ERROR',
    ]);
  });

  it('that outlives its turn is the last that is told of the task', () => {
    expect(types(accepted, dispatched, asked, completed)).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
    const more = fold(accepted, dispatched, asked, chunk('and so on'), completed);
    expect(more.at(-1)).toMatchObject({ type: 'RUN_FINISHED', runId: `${taskId}+1`, outcome: { type: 'interrupt' } });
  });

  it('of two questions that one client answers at once only the last answer begins a run, and tells of both', () => {
    const both = [accepted, dispatched, asked, opened({ interaction_id: 'i2', request: sure })];
    const answers = [resolved({}), resolved({ interaction_id: 'i2', client_run_id: 'run-002' })];
    expect(fold(...both, resolved({}))).toEqual(fold(...both));
    expect(fold(...both, ...answers, completed).slice(fold(...both).length)).toMatchObject([
      { type: 'RUN_STARTED', runId: 'run-002' },
      { type: 'CUSTOM', name: 'interaction.resolved', value: { interactionId: 'i1' } },
      { type: 'CUSTOM', name: 'interaction.resolved', value: { interactionId: 'i2' } },
      { type: 'RUN_FINISHED', runId: 'run-002' },
    ]);
  });

  it('of two questions that outlive their turn the end names the one that is not answered', () => {
    const both = fold(
      accepted,
      dispatched,
      asked,
      opened({ interaction_id: 'i2', request: sure }),
      resolved({}),
      completed,
    );
    expect(both.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { interrupts: [{ id: 'i2' }] } });
    expect(both.at(-1)).not.toMatchObject({ outcome: { interrupts: [{ id: 'i2' }, {}] } });
  });
});

describe('a call of the client’s own tool', () => {
  it('is told under its own name and leaves the run pending; its results begin the next one', () => {
    const results = resolved({ interaction_id: 'i2', client_run_id: 'run-002' });
    expect(fold(accepted, dispatched, chunk('let me see'), calls, results).slice(3)).toMatchObject([
      { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
      { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'weather', parentMessageId: 'm1' },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{"city":"Oslo"}' },
      { type: 'TOOL_CALL_END', toolCallId: 'c1' },
      { type: 'RUN_FINISHED', metadata: { pendingToolCallIds: ['c1'] } },
      { type: 'RUN_STARTED', runId: 'run-002', parentRunId: 'run-001' },
      { type: 'CUSTOM', name: 'interaction.resolved' },
    ]);
  });

  it('is not told a second time by a runner that reports it as well', () => {
    const call = { tool_call_id: 'x', tool_name: 'client.weather' };
    const reported = recordOf('AGENT_OUTPUT', 'tool.call.started', call);
    expect(types(dispatched, reported, recordOf('AGENT_OUTPUT', 'tool.call.completed', call))).toEqual(['RUN_STARTED']);
  });
});

describe('a handover', () => {
  const agents = { from_agent_id: 'guide', target_agent_id: 'scout' };
  const prompt = recordOf('CONTROL', 'HANDOVER_UI_PROMPT', {
    ...agents,
    reason: 'r',
    summary: '',
    output: '',
    until: 1_700_000_300_000,
  });

  it('is a remark while its turn lives, and an interrupt when the turn ends before it is answered', () => {
    expect(fold(dispatched, prompt, completed).slice(1)).toMatchObject([
      { type: 'CUSTOM', name: 'handover.requested', value: { txId: 'tx-1' } },
      {
        type: 'RUN_FINISHED',
        outcome: {
          interrupts: [{ id: 'tx-1', reason: 'rostra:handover', responseSchema: { required: ['approved'] } }],
        },
      },
    ]);
  });

  it('that was answered before the end of its turn interrupts nothing', () => {
    const outcome = { ...agents, outcome: 'rejected' as const, answered_by: 'u' };
    const answered = recordOf('CONTROL', 'HANDOVER_RESOLVED', outcome, { turn_id: null });
    expect(fold(dispatched, prompt, answered, completed).at(-1)).not.toHaveProperty('outcome');
  });
});

describe('what waits, in the inbox', () => {
  const prompt = recordOf('CONTROL', 'HANDOVER_UI_PROMPT', {
    from_agent_id: 'guide',
    target_agent_id: 'scout',
    reason: 'r',
    summary: 'all of it',
    output: 'said',
    until: 1_700_000_300_000,
  });

  it.each([
    ['a confirmation', [asked]],
    ['a form', [opened({ kind: 'form', request: { title: 'Where?' } })]],
    ['an approval', [opened({ purpose: 'approval', request: sure })]],
    ['a handover', [prompt, completed]],
  ])('is the same interrupt as in the stream: %s', (_what, records) => {
    const end = fold(dispatched, ...records).at(-1);
    const row = interactionChange(records[0] ?? asked, 'w')?.opened;
    expect(end).toMatchObject({ type: 'RUN_FINISHED', outcome: { interrupts: [expect.anything()] } });
    expect(end).toHaveProperty('outcome.interrupts', [row === undefined ? null : interruptOf(row)]);
  });
});

describe('the AG-UI events of a session', () => {
  function told(...records: LogRecord[]): [string, unknown][] {
    let view = beginSessionView(threadId);
    return records.flatMap((record) => {
      const folded = foldSession(view, record);
      view = folded.view;
      return folded.events.map((event): [string, unknown] => [event.type, event.metadata?.taskId]);
    });
  }
  const of = (record: LogRecord, turn_id: string) => ({ ...record, turn_id });

  it('are those of its runs one after another', () => {
    const turn = (id: string) => [of(accepted, id), of(dispatched, id), of(completed, id)];
    expect(told(...turn('t1'), ...turn('t2'))).toEqual([
      ['RUN_STARTED', 't1'],
      ['RUN_FINISHED', 't1'],
      ['RUN_STARTED', 't2'],
      ['RUN_FINISHED', 't2'],
    ]);
  });

  it('a turn that ends in the queue is told after the run that is open, with a start of its own', () => {
    const records = [of(accepted, 't1'), of(dispatched, 't1'), of(accepted, 't2'), of(canceled, 't2')];
    expect(told(...records, of(completed, 't1'))).toEqual([
      ['RUN_STARTED', 't1'],
      ['RUN_FINISHED', 't1'],
      ['RUN_STARTED', 't2'],
      ['RUN_ERROR', 't2'],
    ]);
  });

  it('tell nothing outside a run', () => {
    const added = recordOf('EVENT', 'SESSION_OPENED', samples.EVENT.SESSION_OPENED, { turn_id: null });
    const switched = recordOf('CONTROL', 'SWITCH_AGENT', { to: 'guide', reason: 'request' }, { turn_id: null });
    expect(told(added, switched)).toEqual([]);
  });

  it('have the same bytes for a chunk whichever way it took', () => {
    const bytes = (view: ReturnType<typeof beginSessionView>, record: LogRecord) =>
      framesOf(frameSession(view, record));
    let view = beginSessionView(threadId);
    for (const record of [accepted, dispatched, chunk('a')]) view = frameSession(view, record).view;
    const quick = bytes(view, chunk('b"'));
    const { events } = foldSession(view, chunk('b"'));
    expect(quick).toEqual(events.map((event, n) => `id: 1.${n}.3\ndata: ${JSON.stringify(event)}\n\n`));
  });
});
