import { randomBytes } from 'node:crypto';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { RunnerDataWorld, type RunOf, refusalOf } from '../runner-data-world.ts';

const areas = ['plugin', 'workspace', 'binding'] as const;
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('storage', () => {
  it.each(areas)('of the area %s is set, read, listed and deleted (RP-7.24)', async (area) => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    expect(await refusalOf(world.call(run, 'storage.get', { area, key: 'a/b' }))).toMatchObject({ code: 'not_found' });
    await world.call(run, 'storage.set', { area, key: 'a/b', value_base64: base64('first') });
    await world.call(run, 'storage.set', { area, key: 'a/b', value_base64: base64('second') });
    await world.call(run, 'storage.set', { area, key: 'c', value_base64: '' });
    const next = world.run();
    expect(await world.call(next, 'storage.get', { area, key: 'a/b' })).toEqual({
      offset: 0,
      content_base64: base64('second'),
      size_bytes: 6,
      has_more: false,
    });
    expect(await world.call(next, 'storage.get', { area, key: 'a/b', offset: 1, length: 2 })).toMatchObject({
      content_base64: base64('ec'),
      has_more: true,
    });
    expect(await world.call(next, 'storage.list', { area })).toEqual({ keys: ['a/b', 'c'], has_more: false });
    expect(await world.call(next, 'storage.list', { area, prefix: 'a/' })).toMatchObject({ keys: ['a/b'] });
    expect(await world.call(next, 'storage.delete', { area, key: 'a/b' })).toEqual({ success: true });
    expect(await world.call(next, 'storage.delete', { area, key: 'a/b' })).toEqual({ success: true });
    expect(await world.call(next, 'storage.list', { area })).toMatchObject({ keys: ['c'] });
  });

  it('of one package is nothing to another, whatever else they share (check 38)', async () => {
    const world = await RunnerDataWorld.open();
    for (const area of areas) {
      await world.call(world.run({ package_name: 'a' }), 'storage.set', { area, key: 'k', value_base64: base64(area) });
    }
    const keys = async (of: RunOf) => {
      const run = world.run(of);
      const seen = await Promise.all(areas.map((area) => world.call(run, 'storage.list', { area })));
      return areas.filter((_, n) => seen[n]?.keys.length === 1);
    };
    expect(await keys({ package_name: 'b' })).toEqual(['workspace', 'binding']);
    expect(await keys({ package_name: 'a', agent_id: 'scout' })).toEqual(['plugin', 'workspace']);
    expect(await keys({ package_name: 'a', runner_id: 'other' })).toEqual(['plugin', 'workspace']);
    expect(await keys({ package_name: 'a', workspace_id: 'elsewhere' })).toEqual([]);
    expect(await keys({ package_name: 'a', conversation_id: 'd', actor_id: 'bob' })).toEqual([...areas]);
    const read = world.call(world.run({ package_name: 'b' }), 'storage.get', { area: 'plugin', key: 'k' });
    expect(await refusalOf(read)).toMatchObject({ code: 'not_found' });
  });

  it('of an area that was not granted is refused, by manifest or by policy (check 38)', async () => {
    const world = await RunnerDataWorld.open();
    for (const run of [
      world.run({ permissions: { storage: ['plugin'] } }),
      world.run({ grants: { storage: ['plugin'] } }),
    ]) {
      await world.call(run, 'storage.set', { area: 'plugin', key: 'k', value_base64: '' });
      for (const area of ['workspace', 'binding'] as const) {
        for (const ask of [
          world.call(run, 'storage.get', { area, key: 'k' }),
          world.call(run, 'storage.set', { area, key: 'k', value_base64: '' }),
          world.call(run, 'storage.delete', { area, key: 'k' }),
          world.call(run, 'storage.list', { area }),
        ]) {
          expect(await refusalOf(ask)).toMatchObject({ code: 'unauthorized' });
        }
      }
    }
    const piece = { upload_id: 'u', offset: 0, content_base64: '' };
    const none = world.run({ grants: { storage: [] } });
    expect(await refusalOf(world.call(none, 'storage.write', piece))).toMatchObject({ code: 'unauthorized' });
  });

  it('has keys that are rows and no paths (case 48)', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    const bad = { code: 'invalid_argument' };
    for (const key of ['../a', 'a/../b', '..', '..\\a', 'a\u0000b', 'a\r\nb', '\ud800', 'k'.repeat(513)]) {
      for (const ask of [
        world.call(run, 'storage.get', { area: 'plugin', key }),
        world.call(run, 'storage.set', { area: 'plugin', key, value_base64: '' }),
        world.call(run, 'storage.delete', { area: 'plugin', key }),
        world.call(run, 'storage.list', { area: 'plugin', prefix: key }),
      ]) {
        expect(await refusalOf(ask), JSON.stringify(key)).toMatchObject(bad);
      }
    }
    expect(await refusalOf(world.call(run, 'storage.list', { area: '../plugin' }))).toMatchObject(bad);
    expect(await refusalOf(world.call(run, 'storage.list', { area: 'host' }))).toMatchObject(bad);
    await world.call(run, 'storage.set', { area: 'plugin', key: 'a..b/%/*', value_base64: '' });
    expect((await world.call(run, 'storage.list', { area: 'plugin', prefix: 'a..b/%' })).keys).toEqual(['a..b/%/*']);
    expect((await world.call(run, 'storage.list', { area: 'plugin', prefix: '%' })).keys).toEqual([]);
  });

  it(`takes an object of ${limits.storage_object_bytes} bytes in pieces, and none that is larger (RP-7.25)`, async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    const bytes = randomBytes(limits.storage_object_bytes);
    await world.upload(run, 'storage.write', 'u', bytes);
    const more = world.call(run, 'storage.write', { upload_id: 'u', offset: bytes.byteLength, content_base64: 'AAAA' });
    expect(await refusalOf(more)).toMatchObject({ code: 'payload_too_large' });
    await world.call(run, 'storage.set', { area: 'binding', key: 'big', upload_id: 'u' });
    expect(world.uploaded()).toEqual([]);
    const reader = world.run();
    const pieces: Buffer[] = [];
    for (let offset = 0, isMore = true; isMore; ) {
      const piece = await world.call(reader, 'storage.get', { area: 'binding', key: 'big', offset });
      const read = Buffer.from(piece.content_base64, 'base64');
      pieces.push(read);
      offset += read.byteLength;
      isMore = piece.has_more;
    }
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
  });

  it('is set from one value or one upload', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    const set = (change: { [key: string]: Json }) =>
      refusalOf(world.call(run, 'storage.set', { area: 'plugin', key: 'k', ...change }));
    expect(await set({})).toMatchObject({ code: 'invalid_argument' });
    expect(await set({ value_base64: '', upload_id: 'u' })).toMatchObject({ code: 'invalid_argument' });
    expect(await set({ upload_id: 'nobody' })).toMatchObject({ code: 'not_found' });
    expect(await set({ value_base64: 'no base64' })).toMatchObject({ code: 'invalid_argument' });
    expect(await set({ value_base64: 'A'.repeat(2 * limits.piece_bytes) })).toMatchObject({
      code: 'payload_too_large',
    });
  });

  it('lists in pages', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    const owner = JSON.stringify([world.workspace_id, run.charter.package_name]);
    const names = Array.from({ length: limits.page_items + 1 }, (_, n) => `k${String(n).padStart(3, '0')}`);
    const at = world.clock.now();
    await Promise.all(
      names.map((key) => world.store.storage.set({ scope: 'plugin', owner, key }, new Uint8Array(1), { at })),
    );
    const first = await world.call(run, 'storage.list', { area: 'plugin' });
    expect([first.keys, first.has_more]).toEqual([names.slice(0, -1), true]);
    const after = first.keys.at(-1) ?? null;
    expect(await world.call(run, 'storage.list', { area: 'plugin', after })).toEqual({
      keys: names.slice(-1),
      has_more: false,
    });
  });
});
