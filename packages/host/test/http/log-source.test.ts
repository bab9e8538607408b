import type { LogRecord } from '@rostra/protocol/record/record';
import { expect, it } from 'vitest';
import { MemoryBus } from '../../src/bus/memory/memory-bus.ts';
import { logSource } from '../../src/http/log-source.ts';
import { SegmentLines } from '../../src/session/record-line.ts';
import type { Segment } from '../../src/store/port.ts';
import { FakeSession } from './fake-session.ts';

function segment(records: LogRecord[], epoch: number): Segment {
  const [first, last] = [records[0]?.seq ?? 0, records.at(-1)?.seq ?? 0];
  const lines = new SegmentLines();
  for (const record of records) lines.add(record);
  return { first_seq: first, last_seq: last, epoch, time: 0, body: lines.take() };
}

it('gives the records of whole segments from the one that was asked for on, as they were', async () => {
  const session = new FakeSession(new MemoryBus(() => undefined));
  const turn = session.addTurn('s', 't');
  session.epoch = 7;
  for (let n = 1; n <= 6; n += 1) session.chunk(turn, n);
  const segments = [segment(session.records.slice(0, 3), 7), segment(session.records.slice(3), 7)];
  const source = logSource(session, { readSegments: () => Promise.resolve(segments) });
  expect(await source.readAfter('s', 1)).toEqual(session.records.slice(1));
  expect(source.tailAfter('s', 4)).toEqual(session.records.slice(4));
});
