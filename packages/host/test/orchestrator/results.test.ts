import { cancelRun, type Run } from '@rostra/kernel/run/run';
import { sequenceAfter } from '@rostra/kernel/session/chunk';
import { RunResultData } from '@rostra/protocol/runner/run-result';
import { kindOf, type SessionMessage } from '@rostra/protocol/session/message';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, test } from 'vitest';
import { applyLine } from '../../src/orchestrator/result-line.ts';
import { resultRows } from '../../src/orchestrator/results.ts';
import { fresh } from './fresh-run.ts';

const cancelled = cancelRun(fresh, 0).run;

/** Applies results in one line, numbered from 1. */
function apply(results: [string, unknown][], run: Run = fresh) {
  const from = (run.last_runner_sequence ?? 0) + 1;
  const tuples = results.map(([type, data], index) => [from + index, type, data]);
  return applyLine(run, tuples, 100, 77);
}

/** Deeper than any recursive reader can follow. */
const bottomless = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);

const shown = (messages: SessionMessage[]) => messages.map((message) => [kindOf(message), message.payload]);
const text = (content: string): [string, unknown] => ['message.delta', { chunk: { content } }];
const thought = (reasoning_content: string): [string, unknown] => ['message.delta', { chunk: { reasoning_content } }];
const whole = (content: unknown, more = {}): [string, unknown] => [
  'message.completed',
  { message: { content, ...more } },
];

const cardOfX = {
  version: '2.0',
  locale: 'en',
  status: 'info',
  theme: 'default',
  meta: { traceId: fresh.identity.trace_id },
  root: { type: 'stack', appearance: 'card', children: [{ type: 'text', content: 'x', role: 'title' }] },
};

test('every stable result type has a row, and there is no other', () => {
  expect(Object.keys(resultRows).sort()).toEqual([
    'action.requested',
    'artifact.created',
    'message.completed',
    'message.delta',
    'run.completed',
    'run.failed',
    'state.updated',
    'tool.call.completed',
    'tool.call.started',
  ]);
  expect(Object.keys(RunResultData).sort()).toEqual(Object.keys(resultRows).sort());
});

describe('the card of a result', () => {
  const tool = { tool_call_id: 'c1', tool_name: 'find', result: 'r' };

  test('is compiled once, also for what a tool gave', () => {
    const { messages, notes } = apply([['tool.call.completed', { ...tool, ui_hints: { title: 'x' } }]]);
    const ui_schema = { ...cardOfX, meta: { ...cardOfX.meta, toolId: 'find' } };
    expect(shown(messages)).toEqual([['AGENT_OUTPUT:tool.call.completed', { ...tool, ui_schema }]]);
    expect(notes).toEqual([]);
  });

  test('has the language that whoever asked has told', () => {
    const run = { ...fresh, identity: { ...fresh.identity, locale: 'zh-CN' } };
    const { messages } = apply([whole('a', { ui_hints: { title: 'x' } })], run);
    expect(shown(messages)).toMatchObject([['AGENT_OUTPUT:message', { ui_schema: { locale: 'zh-CN' } }]]);
  });

  test('that is refused is left out with a warning, and the text stands (case 73)', () => {
    const bad = { type: 'link', label: 'x', url: 'javascript:1' };
    const { messages, notes, complaints } = apply([whole('a', { ui_hints: bad })]);
    expect(shown(messages)).toEqual([
      ['AGENT_OUTPUT:message', { message_id: 't1.1.m1', role: 'assistant', content: 'a' }],
    ]);
    expect(notes).toEqual(['ui_hints were left out: root.url: must be an https address']);
    expect(complaints).toEqual([]);
  });
});

describe('the table', () => {
  test.each<[string, [string, unknown][], [string, unknown][]]>([
    ['a delta', [text('hi')], [['AGENT_OUTPUT:chunk', { message_id: 't1.1.m1', n: 0, text: 'hi' }]]],
    [
      'reasoning and text are messages of their own',
      [thought('hm'), thought('m'), text('a'), thought('x')],
      [
        ['AGENT_OUTPUT:chunk', { message_id: 't1.1.m1', n: 0, reasoning: 'hm', more: ['m'] }],
        ['AGENT_OUTPUT:chunk', { message_id: 't1.1.m2', n: 2, text: 'a' }],
        ['AGENT_OUTPUT:chunk', { message_id: 't1.1.m3', n: 3, reasoning: 'x' }],
      ],
    ],
    [
      'a delta with both is two chunks, thought first',
      [['message.delta', { chunk: { content: 'a', reasoning_content: 'r' } }]],
      [
        ['AGENT_OUTPUT:chunk', { message_id: 't1.1.m1', n: 0, reasoning: 'r' }],
        ['AGENT_OUTPUT:chunk', { message_id: 't1.1.m2', n: 1, text: 'a' }],
      ],
    ],
    ['an empty delta is nothing', [text(''), ['message.delta', { chunk: {} }]], []],
    [
      'a whole message closes the streamed one',
      [text('a'), text('b'), whole('ab')],
      [
        ['AGENT_OUTPUT:chunk', { message_id: 't1.1.m1', n: 0, text: 'a', more: ['b'] }],
        ['AGENT_OUTPUT:message', { message_id: 't1.1.m1', role: 'assistant', content: 'ab' }],
      ],
    ],
    [
      'whole messages alone, with reasoning and hints',
      [whole('a'), whole('b', { reasoning_content: 'r', ui_hints: { title: 'x' } })],
      [
        ['AGENT_OUTPUT:message', { message_id: 't1.1.m1', role: 'assistant', content: 'a' }],
        [
          'AGENT_OUTPUT:message',
          { message_id: 't1.1.m2', role: 'assistant', content: 'b', reasoning: 'r', ui_schema: cardOfX },
        ],
      ],
    ],
    [
      'a tool call stands between two messages',
      [
        text('look'),
        ['tool.call.started', { tool_call_id: 'c1', tool_name: 'find', parameters: { q: 1 }, usage: {} }],
        ['tool.call.completed', { tool_call_id: 'c1', tool_name: 'find', result: 'r' }],
        text('found'),
      ],
      [
        ['AGENT_OUTPUT:chunk', { message_id: 't1.1.m1', n: 0, text: 'look' }],
        [
          'AGENT_OUTPUT:tool.call.started',
          { tool_call_id: 'c1', tool_name: 'find', parameters: { q: 1 }, message_id: 't1.1.m1' },
        ],
        ['AGENT_OUTPUT:tool.call.completed', { tool_call_id: 'c1', tool_name: 'find', result: 'r' }],
        ['AGENT_OUTPUT:chunk', { message_id: 't1.1.m2', n: 1, text: 'found' }],
      ],
    ],
    [
      'state and artifacts',
      [
        ['state.updated', { scope: 'conversation', key: 'external.session_id', value: 'abc' }],
        ['artifact.created', { artifact_id: 'a1', name: 'x.png' }],
      ],
      [
        ['AGENT_OUTPUT:state.updated', { scope: 'conversation', key: 'external.session_id', value: 'abc' }],
        ['AGENT_OUTPUT:artifact.created', { artifact_id: 'a1', name: 'x.png' }],
      ],
    ],
    [
      'an action is passed on, not done',
      [['action.requested', { action: 'message.edit', target: { message_id: 'm' }, payload: { text: 't' } }]],
      [
        [
          'AGENT_OUTPUT:action.requested',
          { action: 'message.edit', target: { message_id: 'm' }, payload: { text: 't' } },
        ],
      ],
    ],
    [
      'a handover',
      [['action.requested', { action: 'session.handover', target: { agent_id: 'scout' }, payload: { reason: 'r' } }]],
      [['CONTROL:HANDOVER_REQUEST', { target_agent_id: 'scout', reason: 'r', summary: '' }]],
    ],
    [
      'a question to a person',
      [['action.requested', { action: 'interaction.requested', payload: { interaction_id: 'i', expires_in: 5000 } }]],
      [
        [
          'CONTROL:INTERACTION_REQUESTED',
          { interaction_id: 'i', purpose: 'question', kind: 'form', expires_in: 5000, request: {} },
        ],
      ],
    ],
    [
      'a question that nobody could be shown is said',
      [['action.requested', { action: 'interaction.requested', payload: { fallback_text: 'Say yes or no.' } }]],
      [['AGENT_OUTPUT:message', { message_id: 't1.1.m1', role: 'assistant', content: 'Say yes or no.' }]],
    ],
    [
      'the end, with what it cost',
      [['run.completed', { usage: { output_tokens: 2 }, finish_reason: 'stop' }]],
      [['AGENT_OUTPUT:final', { usage: { output_tokens: 2 }, finish_reason: 'stop' }]],
    ],
    ['an end without usage says nothing of it', [['run.completed', {}]], [['AGENT_OUTPUT:final', {}]]],
    [
      'an end with the message that was never sent (check 21)',
      [['run.completed', { message: { role: 'assistant', content: 'late' } }]],
      [
        ['AGENT_OUTPUT:message', { message_id: 't1.1.m1', role: 'assistant', content: 'late' }],
        ['AGENT_OUTPUT:final', {}],
      ],
    ],
    [
      'an end with the text that was streamed',
      [text('a'), ['run.completed', { message: 'a' }]],
      [
        ['AGENT_OUTPUT:chunk', { message_id: 't1.1.m1', n: 0, text: 'a' }],
        ['AGENT_OUTPUT:message', { message_id: 't1.1.m1', role: 'assistant', content: 'a' }],
        ['AGENT_OUTPUT:final', {}],
      ],
    ],
    [
      'an end that repeats a message, or has one that is none',
      [whole('a'), ['run.completed', { message: { content: 'a' } }]],
      [
        ['AGENT_OUTPUT:message', { message_id: 't1.1.m1', role: 'assistant', content: 'a' }],
        ['AGENT_OUTPUT:final', {}],
      ],
    ],
    ['an end with a message that is none', [['run.completed', { message: 7 }]], [['AGENT_OUTPUT:final', {}]]],
    [
      'a failure in the words of this protocol',
      [['run.failed', { code: 'x.y', message: 'why', retryable: true }]],
      [['ERROR:RUN_FAILED', { code: 'x.y', message: 'why', retryable: true }]],
    ],
    [
      'a failure in newer words',
      [['run.failed', { code: 'x.y', error: 'why' }]],
      [['ERROR:RUN_FAILED', { code: 'x.y', message: 'why', retryable: false }]],
    ],
    [
      'a failure without words',
      [['run.failed', { code: 'x.y' }]],
      [['ERROR:RUN_FAILED', { code: 'x.y', message: 'x.y', retryable: false }]],
    ],
    [
      'a failure with empty words',
      [['run.failed', { code: 'x.y', message: '', error: '' }]],
      [['ERROR:RUN_FAILED', { code: 'x.y', message: 'x.y', retryable: false }]],
    ],
  ])('%s', (_name, results, expected) => {
    const { messages, complaints } = apply(results);
    expect(shown(messages)).toEqual(expected);
    expect(complaints).toEqual([]);
    let due = 0;
    for (const message of messages) {
      expect(message.sequence).toBe(due);
      due = sequenceAfter(message, due);
    }
  });

  test('messages name the run, its agent, turn, epoch and number', () => {
    const [chunk, message] = apply([text('a'), whole('a')]).messages;
    const { payload: _p, subtype: _s, ...envelope } = chunk!;
    expect(envelope).toEqual({
      id: 't1.1:0',
      session_id: 's1',
      sender: { kind: 'agent', id: 'guide' },
      target: 'SYSTEM',
      turn_id: 't1',
      trace_id: 'trace-1',
      run_id: 't1.1',
      sequence: 0,
      visibility: 'both',
      ts: 77,
      epoch: 3,
      event: 'AGENT_OUTPUT',
    });
    expect({ ...message, payload: 0 }).toEqual({
      ...envelope,
      id: 't1.1:1',
      sequence: 1,
      subtype: 'message',
      payload: 0,
    });
  });

  test.each<[string, string, unknown]>([
    ['a message without content (RP-6.15)', 'message.completed', {}],
    ['a delta without chunk', 'message.delta', {}],
    ['a failure without a code', 'run.failed', { message: 'x' }],
    ['state without a bottom', 'state.updated', { scope: 'runner', key: 'k', value: bottomless }],
    ['a handover to nobody', 'action.requested', { action: 'session.handover', payload: { reason: 'r' } }],
    [
      'a handover with a speech',
      'action.requested',
      {
        action: 'session.handover',
        target: { agent_id: 'scout' },
        payload: { reason: 'x'.repeat(limits.handover_text_bytes + 1) },
      },
    ],
    [
      'a question that never expires',
      'action.requested',
      { action: 'interaction.requested', payload: { interaction_id: 'i', expires_in: -1 } },
    ],
    ['a question without an id', 'action.requested', { action: 'interaction.requested', payload: { title: 'Sure?' } }],
    ['state of an unknown scope (RP-6.9)', 'state.updated', { scope: 'galaxy', key: 'k', value: 1 }],
    ['state without a key', 'state.updated', { scope: 'runner', key: '', value: 1 }],
    [
      'state with a long key',
      'state.updated',
      { scope: 'runner', key: 'k'.repeat(limits.state_key_bytes + 1), value: 1 },
    ],
    [
      'state that is too large',
      'state.updated',
      { scope: 'runner', key: 'k', value: 'v'.repeat(limits.state_value_bytes) },
    ],
  ])('%s is dropped, takes no number, and the run goes on', (_name, type, data) => {
    const { run, messages, complaints } = apply([[type, data], text('on')]);
    expect(complaints).toEqual(['malformed']);
    expect(messages.map(({ sequence }) => sequence)).toEqual([0]);
    expect(run.dropped).toBe(1);
  });

  test('a failure has a bounded message', () => {
    const [message] = apply([['run.failed', { code: 'x', message: 'y'.repeat(100_000) }]]).messages;
    expect(message?.payload).toMatchObject({ message: `${'y'.repeat(limits.failure_message_chars)}…` });
  });
});

describe('after a cancel', () => {
  test('an end is the acknowledgement, with the text that was not shown (SR-D32)', () => {
    const { messages } = apply([['run.completed', { message: 'the whole answer' }]], cancelled);
    expect(shown(messages)).toEqual([['CONTROL:CANCEL_ACK', { text: 'the whole answer' }]]);
    expect(messages[0]).toHaveProperty('sequence', undefined);
  });

  test('a failure is the acknowledgement', () => {
    const { messages } = apply([text('tail'), ['run.failed', { code: 'cancelled' }], text('more')], cancelled);
    expect(messages.map(kindOf)).toEqual(['AGENT_OUTPUT:chunk', 'CONTROL:CANCEL_ACK']);
  });
});

describe('the size of a result', () => {
  const one = (content: string) => [[1, 'message.delta', { chunk: { content } }]];
  const envelope = JSON.stringify({ chunk: { content: '' } }).length;

  test.each([
    [limits.result_bytes - envelope, []],
    [limits.result_bytes - envelope + 1, ['too_large']],
  ])('%i characters', (length, complaints) => {
    const results = one('x'.repeat(length));
    const bytes = Buffer.byteLength(JSON.stringify(results));
    expect(applyLine(fresh, results, bytes, 77).complaints).toEqual(complaints);
  });

  test('small results in a long line are none', () => {
    const results = Array.from({ length: 3 }, (_, i) => [i, 'message.delta', { chunk: { content: 'a' } }]);
    expect(applyLine(fresh, results, limits.frame_bytes, 77).messages).toHaveLength(3);
  });

  test('what nests too deep to be measured counts as the whole line', () => {
    const results = [[1, 'message.delta', { chunk: { content: 'a' }, bottomless }]];
    expect(applyLine(fresh, results, limits.frame_bytes, 77).complaints).toEqual(['too_large']);
  });

  test('nothing is taken after a result that is too large', () => {
    const results = [...one('x'.repeat(limits.result_bytes)), [2, 'message.delta', { chunk: { content: 'a' } }]];
    expect(applyLine(fresh, results, limits.frame_bytes, 77).messages).toEqual([]);
  });
});
