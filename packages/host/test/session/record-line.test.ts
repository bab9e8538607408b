import type { LogRecord } from '@rostra/protocol/record/record';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeSegment, encodeRecord } from '../../src/session/record-line.ts';

type Chunk = Extract<LogRecord, { subtype: 'chunk' }>;

const chunk = fc.record(
  {
    text: fc.string({ unit: 'binary' }),
    reasoning: fc.string(),
    more: fc.array(fc.string({ unit: 'binary' })),
    n: fc.nat(),
    run_id: fc.constantFrom('r1', 'r"2'),
    message_id: fc.constantFrom('m1', 'm"2'),
    trace_id: fc.string(),
    sequence: fc.nat(),
    metadata: fc.constantFrom({}, { a: 1 }),
  },
  { requiredKeys: ['n', 'message_id', 'run_id', 'trace_id'] },
);

function recordOf(fields: typeof chunk extends fc.Arbitrary<infer T> ? T : never, seq: number): Chunk {
  const { text, reasoning, more, n, message_id, ...envelope } = fields;
  const payload = { message_id, n, text, reasoning, more };
  return {
    ...envelope,
    // What all chunks of a run share comes from the run, so it cannot differ between two of them.
    trace_id: envelope.run_id,
    seq,
    mark: 'both',
    v: 1,
    id: `${envelope.run_id}:${envelope.sequence}`,
    session_id: 's',
    sender: { kind: 'agent', id: 'guide' },
    target: 'SYSTEM',
    turn_id: 't',
    visibility: 'both',
    ts: 1.5,
    epoch: 3,
    event: 'AGENT_OUTPUT',
    subtype: 'chunk',
    payload,
  };
}

test('records read back as they were written', () => {
  fc.assert(
    fc.property(fc.array(chunk, { minLength: 1, maxLength: 20 }), (all) => {
      const records = all.map((fields, index) => recordOf(fields, index + 1));
      const body = `${records.map((record) => encodeRecord(record)).join('\n')}\n`;
      const segment = { first_seq: 1, last_seq: records.length, epoch: 3, time: 0, body };
      expect(decodeSegment('s', segment)).toEqual(records);
    }),
  );
});

test('a record that repeats a payload gets it back from the record that it names', () => {
  const first = recordOf({ n: 0, message_id: 'm1', run_id: 'r1', trace_id: '', text: 'hello' }, 7);
  const again: Chunk = { ...first, seq: 8, mark: 'out', payload_of: 7 };
  const body = `${encodeRecord(first)}\n${encodeRecord(again)}\n`;
  expect(body.match(/hello/g)).toHaveLength(1);
  const records = decodeSegment('s', { first_seq: 7, last_seq: 8, epoch: 3, time: 0, body });
  expect(records.map((record) => record.payload)).toEqual([first.payload, first.payload]);
  expect(records[1]).toMatchObject({ session_id: 's', epoch: 3, seq: 8 });
});
