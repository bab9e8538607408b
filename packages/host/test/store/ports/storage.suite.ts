import { createHash } from 'node:crypto';
import { limits } from '@rostra/protocol/wire/limits';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HostStore } from '../../../src/store/host-store.ts';

/** The contract of storage (RP-7.24, RP-13.4). */
export function describeStorage(open: () => Promise<HostStore>): void {
  describe('storage', () => {
    let store: HostStore;
    beforeAll(async () => {
      store = await open();
    });
    const at = (key: string, owner = 'demo') => ({ scope: 'plugin', owner, key });

    it.each([
      ['an empty', 0],
      ['a small', 10],
      ['the largest in a row', limits.storage_inline_bytes],
      ['the smallest in a file', limits.storage_inline_bytes + 1],
      ['a large', 3 * 1024 * 1024],
    ])('gives back %s object byte by byte', async (name, size) => {
      const bytes = Uint8Array.from({ length: size }, (_, n) => n % 251);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const object = await store.storage.set(at(name), bytes, { at: 7, mime_type: 'a/b' });
      expect(object).toEqual({
        ...at(name),
        size_bytes: size,
        sha256,
        mime_type: 'a/b',
        created_at: 7,
        updated_at: 7,
      });
      const found = await store.storage.get(at(name));
      expect(found?.object).toEqual(object);
      expect(Buffer.compare(found?.bytes ?? new Uint8Array(1), bytes)).toBe(0);
      expect(await store.storage.head(at(name))).toEqual(object);
    });

    it('replaces an object and keeps when it was made', async () => {
      await store.storage.set(at('again'), new Uint8Array(100_000), { at: 1 });
      const object = await store.storage.set(at('again'), new Uint8Array([1]), { at: 2 });
      expect(object).toMatchObject({ created_at: 1, updated_at: 2, size_bytes: 1, mime_type: null });
      expect((await store.storage.get(at('again')))?.bytes).toEqual(new Uint8Array([1]));
    });

    it('another owner or scope sees nothing', async () => {
      await store.storage.set(at('mine'), new Uint8Array([1]), { at: 1 });
      expect(await store.storage.get(at('mine', 'other'))).toBeNull();
      expect(await store.storage.get({ ...at('mine'), scope: 'workspace' })).toBeNull();
      expect(await store.storage.delete(at('mine', 'other'))).toBe(false);
      expect(await store.storage.list({ scope: 'plugin', owner: 'other' })).toEqual([]);
    });

    it('lists by prefix, sorted, in pages', async () => {
      for (const key of ['a/2', 'a/1', 'b', 'a%'])
        await store.storage.set(at(key, 'lister'), new Uint8Array(1), { at: 1 });
      const place = { scope: 'plugin', owner: 'lister' };
      const keys = async (page: Parameters<typeof store.storage.list>[1]) =>
        (await store.storage.list(place, page)).map(({ key }) => key);
      expect(await keys({})).toEqual(['a%', 'a/1', 'a/2', 'b']);
      expect(await keys({ prefix: 'a/' })).toEqual(['a/1', 'a/2']);
      expect(await keys({ prefix: 'a%' })).toEqual(['a%']);
      expect(await keys({ after: 'a/1', limit: 1 })).toEqual(['a/2']);
    });

    it('deletes', async () => {
      await store.storage.set(at('gone'), new Uint8Array(1), { at: 1 });
      expect(await store.storage.delete(at('gone'))).toBe(true);
      expect(await store.storage.delete(at('gone'))).toBe(false);
      expect(await store.storage.get(at('gone'))).toBeNull();
    });

    it('refuses an object that is too large, and a key that is empty or too long', async () => {
      const large = new Uint8Array(limits.storage_object_bytes + 1);
      await expect(store.storage.set(at('x'), large, { at: 1 })).rejects.toMatchObject({ code: 'payload_too_large' });
      for (const key of ['', 'k'.repeat(limits.storage_key_chars + 1)]) {
        await expect(store.storage.set(at(key), new Uint8Array(1), { at: 1 })).rejects.toMatchObject({
          code: 'invalid_argument',
          details: { reason: 'BAD_KEY' },
        });
      }
    });
  });
}
