import type { LogRecord } from '@rostra/protocol/record/record';
import type { AguiEvent } from '@rostra/protocol/run-api/agui-event';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { beginView } from '../../src/agui/agui-view.ts';
import { foldAgui } from '../../src/agui/outbound.ts';
import { beginSessionView, foldSession } from '../../src/agui/session-view.ts';
import { verifyStream } from './agui-stream.ts';
import { recordOf, samples, taskId, threadId } from './sample-record.ts';

type Output = keyof typeof samples.AGENT_OUTPUT;
type Event = keyof typeof samples.EVENT;
const ends: readonly Event[] = ['TURN_COMPLETED', 'TURN_FAILED', 'CANCELED'];
const form = {
  kind: 'form',
  title: 'Which?',
  fields: [{ id: 'a', label: 'A', type: 'select', required: true, options: [{ value: 'x', label: 'X' }] }],
  actions: [{ id: 'submit', label: 'Submit' }],
};

function opened(interaction_id: string, purpose: 'question' | 'budget' | 'client_tool'): LogRecord {
  const calls = [
    { tool_call_id: `${interaction_id}.1`, name: 'client.a', parameters: { x: null } },
    { tool_call_id: `${interaction_id}.2`, name: 'client.b', parameters: {} },
  ];
  const request = purpose === 'client_tool' ? { calls } : form;
  const payload = { ...samples.EVENT.INTERACTION_OPENED, interaction_id, purpose, request };
  return recordOf('EVENT', 'INTERACTION_OPENED', payload);
}

function resolved(interaction_id: string, outcome: 'answered' | 'expired' | 'run_ended', client_run_id: string | null) {
  const named = client_run_id === null ? {} : { client_run_id };
  const payload = { interaction_id, outcome, answer: null, answered_by: null, ...named };
  return recordOf('EVENT', 'INTERACTION_RESOLVED', payload);
}

const agents = { from_agent_id: 'guide', target_agent_id: 'scout' };
const prompt = recordOf('CONTROL', 'HANDOVER_UI_PROMPT', { ...agents, reason: '', summary: 's', output: '', until: 9 });
const rejected = { ...agents, outcome: 'rejected' as const, answered_by: 'u' };
const handed = recordOf('CONTROL', 'HANDOVER_RESOLVED', rejected, { turn_id: null });

const question = fc.constantFrom('q1', 'q2');
/** Any published record of a task, in any order: more than a session would ever write. */
const anyRecord: fc.Arbitrary<LogRecord> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record({ id: fc.constantFrom('m1', 'm2'), text: fc.string() })
      .map(({ id, text }) => recordOf('AGENT_OUTPUT', 'chunk', { message_id: id, n: 0, text })),
  },
  fc
    .record({ id: fc.constantFrom('m1', 'm2'), reasoning: fc.string() })
    .map(({ id, reasoning }) => recordOf('AGENT_OUTPUT', 'chunk', { message_id: id, n: 0, reasoning })),
  fc
    .record({ id: fc.constantFrom('m1', 'm2', 'm3'), content: fc.jsonValue(), reasoning: fc.string() })
    .map(({ id, content, reasoning }) =>
      recordOf('AGENT_OUTPUT', 'message', {
        message_id: id,
        role: 'assistant',
        content: JSON.parse(JSON.stringify(content)),
        reasoning,
      }),
    ),
  fc
    .constantFrom(...(Object.keys(samples.AGENT_OUTPUT) as Output[]))
    .map((subtype) => recordOf('AGENT_OUTPUT', subtype, samples.AGENT_OUTPUT[subtype])),
  fc
    .constantFrom(...(Object.keys(samples.EVENT) as Event[]).filter((subtype) => !ends.includes(subtype)))
    .map((subtype) => recordOf('EVENT', subtype, samples.EVENT[subtype])),
  fc
    .constantFrom(null, 'scout')
    .map((to) => recordOf('CONTROL', 'SWITCH_AGENT', { from: null, to, reason: 'mention' }, { turn_id: null })),
  {
    weight: 2,
    arbitrary: fc
      .tuple(question, fc.constantFrom('question' as const, 'budget' as const, 'client_tool' as const))
      .map(([id, purpose]) => opened(id, purpose)),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        question,
        fc.constantFrom('answered' as const, 'expired' as const, 'run_ended' as const),
        fc.constantFrom(null, 'run-002', 'run-001'),
      )
      .map(([id, outcome, name]) => resolved(id, outcome, name)),
  },
  fc.constantFrom(prompt, handed),
);
const anyEnd = fc.constantFrom(...ends).map((subtype) => recordOf('EVENT', subtype, samples.EVENT[subtype]));
const dispatched = recordOf('EVENT', 'TURN_DISPATCHED', samples.EVENT.TURN_DISPATCHED);

describe('for any sequence of records', () => {
  it('the events of a task are a stream that clients of both versions accept, closed at its end', async () => {
    const sequence = fc.tuple(
      fc.array(anyRecord, { maxLength: 30 }),
      fc.option(fc.constant(dispatched)),
      fc.array(anyRecord, { maxLength: 30 }),
      anyEnd,
    );
    await fc.assert(
      fc.asyncProperty(sequence, async ([before, dispatch, after, end]) => {
        let view = beginView(threadId, taskId);
        const events: AguiEvent[] = [];
        for (const record of [...before, ...(dispatch === null ? [] : [dispatch]), ...after, end, ...after, end]) {
          const folded = foldAgui(view, record);
          view = folded.view;
          events.push(...folded.events);
        }
        await verifyStream(events);
      }),
      { numRuns: 300 },
    );
  });

  it('the events of a session are one such stream, whichever of its turns speaks, waits or ends', async () => {
    const turns = ['t1', 't2', 't3'];
    const record = fc.oneof({ weight: 12, arbitrary: anyRecord }, anyEnd, fc.constant(dispatched));
    const sequence = fc.array(fc.tuple(fc.constantFrom(...turns), record), { maxLength: 60 });
    const { TURN_ACCEPTED, CANCELED } = samples.EVENT;
    const accepted = turns.map((turn_id) => recordOf('EVENT', 'TURN_ACCEPTED', TURN_ACCEPTED, { turn_id }));
    const over = turns.map((turn_id) => recordOf('EVENT', 'CANCELED', CANCELED, { turn_id }));
    const of = (turn_id: string, each: LogRecord) => (each.turn_id === undefined ? each : { ...each, turn_id });
    await fc.assert(
      fc.asyncProperty(sequence, async (records) => {
        let view = beginSessionView(threadId);
        const events: AguiEvent[] = [];
        for (const each of [...accepted, ...records.map(([turn_id, one]) => of(turn_id, one)), ...over]) {
          const folded = foldSession(view, each);
          view = folded.view;
          events.push(...folded.events);
        }
        await verifyStream(events);
      }),
      { numRuns: 300 },
    );
  });
});
