import { createHash, randomBytes } from 'node:crypto';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { Retention } from '../../../src/store/retention.ts';
import { RunnerDataWorld, type RunOf, refusalOf, type TestRun } from '../runner-data-world.ts';

const MIB = 1024 * 1024;

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Makes an artifact as a runner does; answers with its id. */
async function make(world: RunnerDataWorld, run: TestRun, said: { [key: string]: Json } = {}): Promise<string> {
  const { upload_id } = said;
  const content = upload_id === undefined ? { content_base64: Buffer.from('some text').toString('base64') } : {};
  const outcome = await world.effects.artifact(run, { name: 'a.txt', mime_type: 'text/plain', ...content, ...said });
  if (!('tell' in outcome)) throw new Error(outcome.drop);
  return String(outcome.tell.artifact_id);
}

async function readAll(world: RunnerDataWorld, run: TestRun, artifact_id: string, length: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let offset = 0, more = true; more; ) {
    const piece = await world.call(run, 'artifacts.read_range', { artifact_id, offset, length });
    const bytes = Buffer.from(piece.content_base64, 'base64');
    pieces.push(bytes);
    offset += bytes.byteLength;
    more = piece.has_more;
  }
  return Buffer.concat(pieces);
}

describe('an artifact', () => {
  it('of 15 MiB that came in pieces is read back in ranges, byte by byte, and expires (RP-7.20, CX-4.12)', async () => {
    const world = await RunnerDataWorld.open();
    const [writer, reader] = [world.run(), world.run()];
    const bytes = randomBytes(15 * MIB);
    const sha256 = sha256Of(bytes);
    expect(await world.upload(writer, 'artifacts.write', 'big', bytes)).toBe(bytes.byteLength);
    const expires_at = Math.floor(world.clock.now() / 1000) + 60;
    const about = { name: 'big.bin', mime_type: 'application/x-thing', size_bytes: bytes.byteLength, sha256 };
    const outcome = await world.effects.artifact(writer, { ...about, expires_at, upload_id: 'big' });
    expect(outcome).toEqual({
      tell: {
        ...about,
        artifact_id: expect.any(String),
        conversation_id: 'c',
        run_id: writer.run_id,
        created_at: Math.floor(world.clock.now() / 1000),
        expires_at,
        metadata: {},
      },
    });
    expect(world.uploaded()).toEqual([]);
    const artifact_id = 'tell' in outcome ? String(outcome.tell.artifact_id) : '';
    expect(await world.call(reader, 'artifacts.metadata', { artifact_id })).toMatchObject({ ...about, expires_at });
    expect(sha256Of(await readAll(world, reader, artifact_id, limits.piece_bytes))).toBe(sha256);

    world.clock.advance(60_000);
    const late = world.run();
    const unknown = await refusalOf(world.call(late, 'artifacts.metadata', { artifact_id: 'nothing' }));
    expect(await refusalOf(world.call(late, 'artifacts.metadata', { artifact_id }))).toEqual(unknown);
    expect(await refusalOf(world.call(late, 'artifacts.read_range', { artifact_id }))).toEqual(unknown);
  });

  it('streams in pieces, each when there is room for it, and never whole (RP-7.21)', async () => {
    const world = await RunnerDataWorld.open();
    const [writer, reader] = [world.run(), world.run()];
    const bytes = randomBytes(2 * MIB + 17);
    await world.upload(writer, 'artifacts.write', 'big', bytes);
    const artifact_id = await make(world, writer, { upload_id: 'big' });
    const pieces: Buffer[] = [];
    let take: () => void = () => undefined;
    const taken = new Promise<void>((resolve) => {
      take = resolve;
    });
    const streaming = world.call(reader, 'artifacts.open_stream', { artifact_id }, async (piece) => {
      const { offset, content_base64 } = piece as { offset: number; content_base64: string };
      expect(offset).toBe(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
      pieces.push(Buffer.from(content_base64, 'base64'));
      await taken;
    });
    while (pieces.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await world.store.artifacts.read(artifact_id, { offset: 0, length: limits.stream_piece_bytes }, world.clock.now());
    await world.store.artifacts.read(artifact_id, { offset: 0, length: limits.stream_piece_bytes }, world.clock.now());
    expect(pieces).toHaveLength(1);
    take();
    const metadata = await streaming;
    expect(metadata).toMatchObject({ artifact_id, size_bytes: bytes.byteLength });
    expect(sha256Of(Buffer.concat(pieces))).toBe(sha256Of(bytes));
    expect(Math.max(...pieces.map(({ byteLength }) => byteLength))).toBe(limits.stream_piece_bytes);
  });

  it('stops streaming when the caller wants no more or its run is over', async () => {
    const world = await RunnerDataWorld.open();
    const [writer, reader] = [world.run(), world.run()];
    await world.upload(writer, 'artifacts.write', 'big', Buffer.alloc(2 * MIB));
    const artifact_id = await make(world, writer, { upload_id: 'big' });
    let pieces = 0;
    const stream = world.call(reader, 'artifacts.open_stream', { artifact_id }, async () => {
      pieces += 1;
      if (pieces === 2) reader.end();
    });
    expect(await refusalOf(stream)).toMatchObject({ code: 'unauthorized' });
    for (let n = 0; n < 20; n += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(pieces).toBe(2);
  });

  it.each<[string, RunOf]>([
    ['conversation', { conversation_id: 'd' }],
    ['thread', { thread_id: 't' }],
    ['bot', { bot_id: 'b' }],
    ['workspace', { workspace_id: 'elsewhere' }],
  ])('of a conversation is not found by a run of another %s, in the words for none (CX-4.11)', async (_, change) => {
    const world = await RunnerDataWorld.open();
    const artifact_id = await make(world, world.run());
    const other = world.run(change);
    const theirs = await make(world, other);
    expect(await refusalOf(world.call(world.run(), 'artifacts.metadata', { artifact_id: theirs }))).toMatchObject({
      code: 'not_found',
    });
    expect(await world.call(world.run(change), 'artifacts.metadata', { artifact_id: theirs })).toMatchObject({
      artifact_id: theirs,
    });
    const unknown = await refusalOf(world.call(other, 'artifacts.metadata', { artifact_id: 'nothing' }));
    expect(unknown.code).toBe('not_found');
    expect(await refusalOf(world.call(other, 'artifacts.metadata', { artifact_id }))).toEqual(unknown);
    expect(await refusalOf(world.call(other, 'artifacts.read_range', { artifact_id }))).toEqual(unknown);
    expect(await refusalOf(world.call(other, 'artifacts.open_stream', { artifact_id }))).toEqual(unknown);
    const neighbour = world.run({ agent_id: 'scout', runner_id: 'other', actor_id: 'bob' });
    expect(await world.call(neighbour, 'artifacts.metadata', { artifact_id })).toMatchObject({ artifact_id });
  });

  it('is its agent’s everywhere, or its own run’s only, where its maker says so (CX-4.11)', async () => {
    const world = await RunnerDataWorld.open();
    const maker = world.run();
    const bound = await make(world, maker, { visibility: 'binding' });
    const own = await make(world, maker, { visibility: 'run' });
    const see = (of: RunOf, artifact_id: string) => world.call(world.run(of), 'artifacts.metadata', { artifact_id });
    expect(await see({ conversation_id: 'd', thread_id: 't' }, bound)).toMatchObject({ conversation_id: null });
    expect(await refusalOf(see({ agent_id: 'scout' }, bound))).toMatchObject({ code: 'not_found' });
    expect(await refusalOf(see({ workspace_id: 'elsewhere' }, bound))).toMatchObject({ code: 'not_found' });
    expect(await world.call(maker, 'artifacts.metadata', { artifact_id: own })).toMatchObject({
      expires_at: Math.floor(maker.deadline_at / 1000),
    });
    expect(await refusalOf(see({}, own))).toMatchObject({ code: 'not_found' });
  });

  it('is read within bounds only: offset, length, expiry, scope (case 45, RP-7.22)', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    const artifact_id = await make(world, run);
    const read = (change: { [key: string]: Json }) =>
      world.call(run, 'artifacts.read_range', { artifact_id, ...change });
    for (const change of [{ offset: -1 }, { offset: 2 ** 53 }, { offset: 0.5 }, { length: 0 }, { length: '5' }]) {
      expect(await refusalOf(read(change)), JSON.stringify(change)).toMatchObject({ code: 'invalid_argument' });
    }
    expect(await refusalOf(read({ length: 1024 * MIB }))).toMatchObject({ code: 'payload_too_large' });
    expect(await refusalOf(read({ length: limits.piece_bytes + 1 }))).toMatchObject({ code: 'payload_too_large' });
    expect(await read({ offset: 5, length: limits.piece_bytes })).toMatchObject({
      content_base64: Buffer.from('text').toString('base64'),
      size_bytes: 9,
      has_more: false,
    });
    expect(await read({ offset: 2 ** 53 - 1 })).toMatchObject({ content_base64: '', has_more: false });
    const foreign = await make(world, world.run({ conversation_id: 'd' }));
    expect(await refusalOf(world.call(run, 'artifacts.read_range', { artifact_id: foreign }))).toMatchObject({
      code: 'not_found',
    });
  });

  it('needs its operation in the grant', async () => {
    const world = await RunnerDataWorld.open();
    const artifact_id = await make(world, world.run());
    const looker = world.run({ grants: { artifacts: ['metadata'] } });
    await world.call(looker, 'artifacts.metadata', { artifact_id });
    expect(await refusalOf(world.call(looker, 'artifacts.read_range', { artifact_id }))).toMatchObject({
      code: 'unauthorized',
    });
    const none = world.run({ permissions: { artifacts: [] } });
    const piece = { upload_id: 'u', offset: 0, content_base64: '' };
    expect(await refusalOf(world.call(none, 'artifacts.write', piece))).toMatchObject({ code: 'unauthorized' });
  });

  it('that has expired is removed by the sweep that the host drives', async () => {
    const world = await RunnerDataWorld.open();
    const artifact_id = await make(world, world.run(), { expires_at: Math.floor(world.clock.now() / 1000) + 1 });
    const swept: number[] = [];
    const retention = new Retention({
      store: world.store,
      clock: world.clock,
      policy: () => ({ sessions: null, audit: null, artifacts: null }),
      swept: ({ artifacts }) => swept.push(artifacts),
      failed: (error) => expect.unreachable(String(error)),
    });
    retention.start();
    world.clock.advance(limits.sweep_every);
    while (swept.length === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      world.clock.advance(limits.sweep_pause);
    }
    await retention.stop();
    // Seen from before its expiry it would still be there, had it not been removed.
    expect(await world.store.artifacts.get(artifact_id, 0)).toBeNull();
  });
});
