import { createHash, randomBytes } from 'node:crypto';
import { limits } from '@rostra/protocol/wire/limits';
import { expect, test } from 'vitest';
import { type Content, piecesOf } from '../src/content.ts';
import { text } from '../src/result.ts';
import { defineRunner, type RunFunction } from '../src/runner.ts';
import { testHost, testKeep } from '../src/testing.ts';

const manifest = { id: 'test/transfers/default', name: 'default', label: {} };
const MIB = 1024 * 1024;

/** Runs it once, in a host that keeps what it is given. */
async function ran(run: RunFunction, keep = testKeep()) {
  const host = testHost(defineRunner({ manifest, run }), { keep });
  const one = host.run('go');
  const [, type, data] = await one.ended;
  await host.close();
  expect({ type, data }).toEqual({ type: 'run.completed', data: {} });
  return { keep, results: one.results, said: one.text, methods: host.calls.map(({ method }) => method) };
}

async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

test.each([
  ['bytes', (bytes: Buffer): Content => bytes],
  [
    'a list of bytes',
    (bytes: Buffer): Content => [bytes.subarray(0, 7), bytes.subarray(7, 2_000), bytes.subarray(2_000)],
  ],
  [
    'bytes as they come',
    async function* (bytes: Buffer) {
      for (let from = 0; from < bytes.length; from += 333) yield bytes.subarray(from, from + 333);
    },
  ],
])('%s are cut into pieces of one size, and nothing is lost', async (_, given) => {
  const bytes = randomBytes(10_001);
  const pieces: Uint8Array[] = [];
  for await (const piece of piecesOf(given(bytes), 1_000)) pieces.push(Buffer.from(piece));
  expect(pieces.slice(0, -1).every(({ length }) => length === 1_000)).toBe(true);
  expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
});

test('a small file goes with its result, and no call is made', async () => {
  const { keep, methods, results } = await ran(async function* (_, { api }) {
    yield await api.artifacts.upload('数据库', { name: 'a.txt' });
  });
  const sha256 = createHash('sha256').update('数据库').digest('hex');
  expect(results[0]).toMatchObject([
    1,
    'artifact.created',
    { name: 'a.txt', mime_type: 'text/plain', size_bytes: 9, sha256 },
  ]);
  expect(keep.artifacts.get('artifact-1')?.bytes.toString()).toBe('数据库');
  expect(methods).toEqual([]);
});

test('a large one goes in pieces, is hashed on its way, and is read back byte by byte', async () => {
  const bytes = randomBytes(3 * MIB + 1);
  let back: Buffer = Buffer.alloc(0);
  const { methods, results } = await ran(async function* (_, { api, flushed }) {
    yield await api.artifacts.upload(bytes, { name: 'large.bin', mime_type: 'application/x-test' });
    await flushed();
    back = await joined(api.artifacts.read('artifact-1'));
  });
  expect(back.equals(bytes)).toBe(true);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const [, , data] = results[0] ?? [];
  expect(data).toEqual({
    name: 'large.bin',
    mime_type: 'application/x-test',
    size_bytes: bytes.length,
    sha256,
    upload_id: 'upload-1',
  });
  expect(methods.filter((method) => method === 'artifacts.write')).toHaveLength(4);
  expect(methods.filter((method) => method === 'artifacts.read_range')).toHaveLength(4);
});

test('a stream of nothing is a file of nothing', async () => {
  const { keep } = await ran(async function* (_, { api }) {
    yield await api.artifacts.upload([], { name: 'empty' });
  });
  expect(keep.artifacts.get('artifact-1')?.bytes).toHaveLength(0);
});

test.each([0, 5, limits.piece_bytes, limits.piece_bytes + 1])('storage keeps %i bytes as they are', async (length) => {
  const bytes = randomBytes(length);
  const at = { area: 'plugin', key: 'k/1' } as const;
  let back: Buffer | undefined;
  await ran(async function* (_, { api }) {
    await api.storage.put(at, bytes);
    back = await joined(api.storage.read(at));
    yield text('done');
  });
  expect(back?.equals(bytes)).toBe(true);
});

test('the whole history is read page by page, the newest first unless told otherwise', async () => {
  const history = Array.from({ length: 250 }, (_, index) => `m${index + 1}`);
  const read: string[][] = [[], []];
  const { methods } = await ran(async function* (_, { api }) {
    for await (const { content } of api.history.items()) read[0]?.push(content);
    for await (const { content } of api.history.items({ direction: 'forward' })) read[1]?.push(content);
    yield text('done');
  }, testKeep({ history }));
  expect(read).toEqual([[...history].reverse(), history]);
  expect(methods).toHaveLength(6);
});

test('who has read enough of the history asks no further', async () => {
  const { methods } = await ran(
    async function* (_, { api }) {
      for await (const { content } of api.history.items()) {
        yield text(content);
        break;
      }
    },
    testKeep({ history: Array.from({ length: 250 }, () => 'm') }),
  );
  expect(methods).toEqual(['history.page']);
});

test('state that a run sets is there for the next, by a call and by a result', async () => {
  const keep = testKeep();
  await ran(async function* (_, { api }) {
    await api.state.set({ scope: 'actor', key: 'a', value: [1] });
    yield { type: 'state.updated', data: { scope: 'actor', key: 'b', value: 2 } };
  }, keep);
  const { said } = await ran(async function* (_, { api }) {
    const { keys } = await api.state.list({ scope: 'actor' });
    for (const key of keys) yield text(JSON.stringify((await api.state.get({ scope: 'actor', key })).value));
  }, keep);
  expect(said).toBe('[1]2');
});
