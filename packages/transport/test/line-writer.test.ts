import { Writable } from 'node:stream';
import { limits } from '@rostra/protocol/wire/limits';
import { expect, test } from 'vitest';
import { LineWriter } from '../src/line-writer.ts';

/** A stream whose reader takes one write at a time, when told to. */
function heldStream(highWaterMark = 16) {
  const writes: string[] = [];
  const waiting: (() => void)[] = [];
  const stream = new Writable({
    highWaterMark,
    decodeStrings: false,
    write(chunk, _, done) {
      writes.push(chunk);
      waiting.push(done);
    },
  });
  return { stream, writes, read: () => waiting.shift()?.() };
}
const tick = () => new Promise((resolve) => setImmediate(resolve));

test('all lines of one tick are one write', async () => {
  const { stream, writes } = heldStream();
  const writer = new LineWriter(stream);
  writer.send('a', false);
  await Promise.resolve();
  writer.send('b', false);
  await tick();
  expect(writes).toEqual(['a\nb\n']);
});

test('an urgent line overtakes what is queued, in its own tick and behind a full stream', async () => {
  const { stream, writes, read } = heldStream(2);
  const writer = new LineWriter(stream);
  writer.send('data-1', false);
  writer.send('urgent-1', true);
  await tick();
  writer.send('data-2', false);
  writer.send('urgent-2', true);
  await tick();
  read();
  await tick();
  expect(writes).toEqual(['urgent-1\ndata-1\n', 'urgent-2\ndata-2\n']);
});

test('a late line is asked when it leaves and keeps the place it took', async () => {
  const { stream, writes } = heldStream();
  const writer = new LineWriter(stream);
  let text = 'early';
  writer.sendLate(() => text);
  writer.sendLate(() => undefined);
  writer.send('after', false);
  text = 'late';
  await tick();
  expect(writes).toEqual(['late\nafter\n']);
});

test('a full stream is congestion; room comes when the reader has caught up', async () => {
  const { stream, writes, read } = heldStream(2);
  const writer = new LineWriter(stream);
  expect(writer.congested).toBe(false);
  writer.send('0123456789', false);
  await tick();
  expect(writer.congested).toBe(true);
  let asked = false;
  writer.sendLate(() => {
    asked = true;
    return undefined;
  });
  const room = writer.room();
  await tick();
  expect(asked).toBe(false);
  read();
  await room;
  expect(asked).toBe(true);
  expect(writer.congested).toBe(false);
  expect(writes).toHaveLength(1);
});

test('over its bound the queue refuses, and takes lines again when it has emptied', async () => {
  const { stream, read } = heldStream(2);
  const writer = new LineWriter(stream);
  writer.send('first', false);
  await tick();
  const half = 'x'.repeat(limits.peer_queue_bytes / 2);
  writer.send(half, false);
  writer.send(half, false);
  expect(() => writer.send('x', false)).toThrowError(
    expect.objectContaining({ code: 'rate_limited', retryable: true }),
  );
  expect(() => writer.send('control', true)).not.toThrow();
  for (let k = 0; k < 3; k += 1) {
    read();
    await tick();
  }
  expect(() => writer.send('x', false)).not.toThrow();
});

test('a long queue leaves in pieces, so that control can overtake the rest of it', async () => {
  const { stream, writes, read } = heldStream(2);
  const writer = new LineWriter(stream);
  const line = 'x'.repeat(limits.peer_write_bytes / 4);
  for (let k = 0; k < 10; k += 1) writer.send(line, false);
  await tick();
  writer.send('urgent', true);
  read();
  await tick();
  expect(writes[0]).toHaveLength((line.length + 1) * 4);
  expect(writes[1]?.startsWith('urgent\n')).toBe(true);
});

test('order is kept over many pieces', async () => {
  const seen: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _, done) {
      seen.push(...chunk.trimEnd().split('\n'));
      setImmediate(done);
    },
  });
  const writer = new LineWriter(stream);
  const sent = Array.from({ length: 5000 }, (_, k) => `${k} ${'x'.repeat(200)}`);
  for (const line of sent) writer.send(line, false);
  await writer.flushed();
  expect(seen).toEqual(sent);
});

test('flushed waits for the write itself, not for the queue', async () => {
  const { stream, read } = heldStream();
  const writer = new LineWriter(stream);
  await writer.flushed();
  writer.send('a', false);
  let isFlushed = false;
  const flushed = writer.flushed().then(() => {
    isFlushed = true;
  });
  await tick();
  expect(isFlushed).toBe(false);
  read();
  await flushed;
});

test('a broken stream swallows what is sent and lets nobody wait', async () => {
  const { stream } = heldStream(2);
  const writer = new LineWriter(stream);
  writer.send('first', false);
  await tick();
  writer.send('second', false);
  const waiting = Promise.all([writer.room(), writer.flushed()]);
  stream.destroy(new Error('EPIPE'));
  await waiting;
  expect(writer.broken).toBe(true);
  writer.send('third', false);
  await writer.flushed();
});
