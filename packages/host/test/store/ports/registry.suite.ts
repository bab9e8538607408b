import { beforeAll, describe, expect, it } from 'vitest';
import type { HostStore } from '../../../src/store/host-store.ts';

/** The contract of the registry. */
export function describeRegistry(open: () => Promise<HostStore>): void {
  describe('registry', () => {
    let store: HostStore;
    beforeAll(async () => {
      store = await open();
    });
    const by = (expected?: number | null) => ({ at: 5, by: 'owner', ...(expected === undefined ? {} : { expected }) });
    const mismatch = { code: 'invalid_argument', details: { reason: 'REVISION_MISMATCH' } };

    it('keeps values by kind and key', async () => {
      const row = await store.registry.put('agent', 'a', { label: 'A' }, by());
      expect(row).toMatchObject({ kind: 'agent', key: 'a', value: { label: 'A' }, updated_at: 5, updated_by: 'owner' });
      expect(await store.registry.get('agent', 'a')).toEqual(row);
      expect(await store.registry.get('setting', 'a')).toBeNull();
      await store.registry.put('agent', 'B', null, by());
      expect((await store.registry.list('agent')).map(({ key }) => key)).toEqual(['B', 'a']);
      expect(await store.registry.list('nothing')).toEqual([]);
    });

    it('a change names the revision that it was made from, and fails on any other', async () => {
      const first = await store.registry.put('setting', 's', 1, by(null));
      await expect(store.registry.put('setting', 's', 2, by(null))).rejects.toMatchObject(mismatch);
      const second = await store.registry.put('setting', 's', 2, by(first.revision));
      await expect(store.registry.put('setting', 's', 3, by(first.revision))).rejects.toMatchObject(mismatch);
      await expect(store.registry.delete('setting', 's', by(first.revision))).rejects.toMatchObject(mismatch);
      expect(await store.registry.get('setting', 's')).toEqual(second);
      expect(await store.registry.delete('setting', 's', by(second.revision))).toBe(true);
      await expect(store.registry.put('setting', 's', 4, by(second.revision))).rejects.toMatchObject(mismatch);
      expect(await store.registry.delete('setting', 's', by())).toBe(false);
    });

    it('of two changes from one revision exactly one is made', async () => {
      const { revision } = await store.registry.put('setting', 'race', 0, by());
      const changes = [1, 2, 3].map((value) => store.registry.put('setting', 'race', value, by(revision)));
      const results = await Promise.allSettled(changes);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('a revision is never given again, also not after a deletion', async () => {
      const first = await store.registry.put('setting', 'again', 1, by());
      await store.registry.delete('setting', 'again', by());
      const second = await store.registry.put('setting', 'again', 1, by());
      expect(second.revision).toBeGreaterThan(first.revision);
    });
  });
}
