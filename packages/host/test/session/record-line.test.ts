import type { LogRecord } from '@rostra/protocol/record/record';
import { SessionPayloads } from '@rostra/protocol/session/message';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeSegment, SegmentLines } from '../../src/session/record-line.ts';

type Chunk = Extract<LogRecord, { subtype: 'chunk' }>;

const text = fc.string({ unit: 'binary' });
const sometimes = fc.option(fc.constantFrom('x1', 'x"2', '/'), { nil: undefined });
const step = fc.constantFrom('r1:0', 'r1:0/0', 'r"2:1', '/', 'x1', 'x1:0', 'x1:1', 'x1:ack', '/:0');

const kind = fc.constantFrom(
  ...Object.entries(SessionPayloads).flatMap(([event, subtypes]) =>
    Object.keys(subtypes).map((subtype) => ({ event, subtype })),
  ),
);

/** Anything that a record can be in a segment, with ids that are alike and alternate. */
const record = fc.record({
  mark: fc.constantFrom('in', 'out', 'both', 'suppressed'),
  v: fc.constantFrom(1, 2),
  id: fc.oneof(
    step,
    fc.tuple(step, fc.nat(3)).map(([id, n]) => `${id}/${n}`),
    fc.string({ minLength: 1 }),
  ),
  sender: fc.constantFrom(
    { kind: 'session', id: 's' },
    { kind: 'agent', id: 'guide' },
    { kind: 'agent', id: 'scout' },
    { kind: 'user', id: 'u', role: 'owner' },
    { kind: 'user', id: 'u', role: 'participant' },
  ),
  target: fc.constantFrom('SYSTEM', 'AGENT', 'FRONTEND', 'BROADCAST'),
  target_id: sometimes,
  turn_id: sometimes,
  requested_by: sometimes,
  trace_id: sometimes,
  tx_id: sometimes,
  run_id: sometimes,
  sequence: fc.option(fc.nat(2), { nil: undefined }),
  visibility: fc.constantFrom('both', 'internal'),
  metadata: fc.constantFrom(undefined, {}, { a: null, 'b"': ['\n'] }),
  ts: fc.constantFrom(0, 1.5, 1794841693959),
  kind,
  /** How far before it the record stands whose payload it repeats. */
  repeats: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  payload: fc.record({ message_id: text, n: fc.nat(), text, more: fc.array(text) }),
});

function segmentOf(records: readonly LogRecord[]) {
  const lines = new SegmentLines();
  let bytes = 0;
  for (const one of records) bytes += lines.add(one);
  expect(lines.bytes).toBe(bytes);
  const body = lines.take();
  expect(body).toHaveLength(bytes);
  const first_seq = records[0]?.seq ?? 1;
  return { first_seq, last_seq: first_seq + records.length - 1, epoch: 3, time: 0, body };
}

function chunk(seq: number, fields: Partial<Chunk> = {}): Chunk {
  return {
    seq,
    mark: 'in',
    v: 1,
    id: 'r1:0',
    session_id: 's',
    sender: { kind: 'agent', id: 'guide' },
    target: 'SYSTEM',
    turn_id: 't',
    run_id: 'r1',
    visibility: 'both',
    ts: 1.5,
    epoch: 3,
    event: 'AGENT_OUTPUT',
    subtype: 'chunk',
    payload: { message_id: 'm1', n: 0, text: 'hello' },
    ...fields,
  };
}

/** What can stand in one log, one after another. */
const log = fc.tuple(fc.array(record, { minLength: 1, maxLength: 20 }), fc.nat()).map(([all, before]) => {
  const records: LogRecord[] = [];
  for (const [index, { repeats = 0, kind: of, ...fields }] of all.entries()) {
    const seq = before + index + 1;
    const said = repeats === 0 ? undefined : records[index - repeats];
    const repeated = said === undefined ? {} : { payload_of: said.seq, payload: said.payload };
    records.push({ ...chunk(seq), ...fields, ...of, ...repeated, epoch: 3 } as unknown as LogRecord);
  }
  return records;
});

test('records read back as they were written, whatever stands before them', () => {
  fc.assert(
    fc.property(log, (records) => {
      expect(decodeSegment('s', segmentOf(records))).toEqual(records);
    }),
    { numRuns: 1000 },
  );
});

/** Records that differ from the first only in what stands at the end of a line, as the chunks of a run do. */
const alike = fc
  .tuple(log, fc.array(fc.record({ said: record, names: fc.constantFrom({}, { sequence: 7 }) }), { maxLength: 8 }))
  .map(([[first], others]) =>
    others.map(({ said: { sequence, visibility, metadata, ts, payload }, names }, index) => {
      const seq = (first?.seq ?? 1) + index;
      return {
        ...first,
        ...{ seq, sequence, visibility, metadata: { ...metadata, ...names }, ts, payload: { ...payload, ...names } },
      } as unknown as LogRecord;
    }),
  )
  .filter((records) => records.length > 0);

test('segments that were joined read as they do apart', () => {
  fc.assert(
    fc.property(fc.oneof(log, alike), fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }), (records, cuts) => {
      const parts: LogRecord[][] = [];
      for (const [index, one] of records.entries()) {
        const open = parts.at(-1);
        if (open === undefined || cuts[index] === true) parts.push([one]);
        else open.push(one);
      }
      const apart = parts.map(segmentOf);
      const joined = { ...segmentOf(records), body: apart.map(({ body }) => body).join('\n') };
      expect(decodeSegment('s', joined)).toEqual(apart.flatMap((part) => decodeSegment('s', part)));
    }),
    { numRuns: 2000 },
  );
});

test('a line has the bytes that JSON.stringify gives to its fields, which stand in one order', () => {
  const order = [
    ...['v', 'mark', 'id', 'id_end', 'event', 'subtype', 'sender', 'target', 'target_id', 'turn_id', 'requested_by'],
    ...['trace_id', 'tx_id', 'run_id', 'sequence', 'visibility', 'metadata', 'ts', 'payload_of', 'payload'],
  ];
  fc.assert(
    fc.property(log, (records) => {
      for (const line of segmentOf(records).body.split('\n').slice(0, -1)) {
        const fields: object = JSON.parse(line);
        expect(line).toBe(JSON.stringify(fields));
        expect(Object.keys(fields)).toEqual(order.filter((key) => key in fields));
      }
    }),
  );
});

test('a record that repeats a payload gets it back from the record that it names', () => {
  const first = chunk(7);
  const segment = segmentOf([first, chunk(8, { mark: 'out', target: 'FRONTEND', payload_of: 7 })]);
  expect(segment.body.match(/hello/g)).toHaveLength(1);
  const records = decodeSegment('s', segment);
  expect(records.map(({ payload }) => payload)).toEqual([first.payload, first.payload]);
  expect(records[1]).toMatchObject({ session_id: 's', epoch: 3, seq: 8 });
});

test('what all records of a step share is written once', () => {
  const out = { mark: 'out', target: 'FRONTEND', sender: { kind: 'session', id: 's' }, payload_of: 1 } as const;
  const { body } = segmentOf([chunk(1), chunk(2, { ...out, id: 'r1:0/0' }), chunk(3, out)]);
  expect(body.split('\n').slice(1)).toEqual(['{"id_end":"/0","payload_of":1}', '{"payload_of":1}', '']);
});

test('what a runner says is named after its run and its place there, and its sender once', () => {
  const ack = { id: 'r1:ack', turn_id: 't', trace_id: 't' };
  const { body } = segmentOf([chunk(1, ack), chunk(2, { ...ack, id: 'r1:0', sequence: 0 })]);
  const said = '"event":"AGENT_OUTPUT","subtype":"chunk"';
  const payload = '"payload":{"message_id":"m1","n":0,"text":"hello"}';
  expect(body.split('\n')).toEqual([
    `{"v":1,"mark":"in","id_end":":ack",${said},"sender":{"kind":"agent","id":"guide"},"turn_id":"t","trace_id":true,"run_id":"r1","ts":1.5,${payload}}`,
    `{"mark":"in",${said},"sequence":0,${payload}}`,
    '',
  ]);
});

test('a segment that an older host wrote, with every field in every line, reads the same', () => {
  const lines = [
    {
      seq: 7,
      mark: 'in',
      v: 1,
      id: 'r1:0',
      event: 'AGENT_OUTPUT',
      subtype: 'chunk',
      sender: { kind: 'agent', id: 'guide' },
    },
    { seq: 8, mark: 'out', v: 1, id: 'r1:0/0', event: 'AGENT_OUTPUT', subtype: 'chunk' },
  ].map((line, index) => ({
    ...line,
    target: index === 0 ? 'SYSTEM' : 'FRONTEND',
    ...(index === 0 ? { turn_id: 't', run_id: 'r1' } : {}),
    ts: 1.5,
    ...(index === 0 ? { payload: { message_id: 'm1', n: 0, text: 'hello' } } : { payload_of: 7 }),
  }));
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const [first, second] = decodeSegment('s', { first_seq: 7, last_seq: 8, epoch: 3, time: 0, body });
  expect(first).toEqual(chunk(7));
  expect(second).toMatchObject({ id: 'r1:0/0', seq: 8, target: 'FRONTEND', payload: { text: 'hello' } });
  expect(second?.turn_id).toBeUndefined();
  expect(second?.run_id).toBeUndefined();
});
