import { createHash } from 'node:crypto';
import { limits } from '@rostra/protocol/wire/limits';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HostStore } from '../../../src/store/host-store.ts';
import type { NewArtifact } from '../../../src/store/ports/artifact.ts';

export function newArtifact(artifact_id: string, change: Partial<NewArtifact> = {}): NewArtifact {
  return {
    artifact_id,
    workspace_id: 'w',
    session_id: 's',
    bot_id: 'b',
    thread_id: 't',
    run_id: 'r.1',
    agent_id: 'guide',
    name: `${artifact_id}.txt`,
    mime_type: 'text/plain',
    created_at: 1,
    expires_at: null,
    metadata: { from: 'test' },
    ...change,
  };
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));
const later = Date.now() + 2 * limits.orphan_age;

/** The contract of artifacts (RP-13.3, RP-7.19 to RP-7.22). */
export function describeArtifacts(open: () => Promise<HostStore>): void {
  describe('artifacts', () => {
    let store: HostStore;
    beforeAll(async () => {
      store = await open();
    });

    async function sweepAll(now: number) {
      let [expired, orphans] = [0, 0];
      for (let more = true; more; ) {
        const step = await store.artifacts.sweep(now);
        expired += step.expired;
        orphans += step.orphans;
        more = step.more;
      }
      return { expired, orphans };
    }

    it('keeps what is said about it and its bytes, also from pieces', async () => {
      async function* pieces() {
        yield bytesOf('hello ');
        yield bytesOf('你好');
      }
      const row = await store.artifacts.create(newArtifact('a1'), pieces());
      const sha256 = createHash('sha256').update('hello 你好').digest('hex');
      expect(row).toEqual({ ...newArtifact('a1'), user_id: null, size_bytes: 12, sha256 });
      expect(await store.artifacts.get('a1', 5)).toEqual(row);
      const read = await store.artifacts.read('a1', { offset: 0, length: 100 }, 5);
      expect(Buffer.from(read ?? []).toString()).toBe('hello 你好');
      expect(await store.artifacts.get('nothing', 5)).toBeNull();
      expect(await store.artifacts.read('nothing', { offset: 0, length: 1 }, 5)).toBeNull();
    });

    it('is read by range, shorter at its end', async () => {
      await store.artifacts.create(newArtifact('a2'), bytesOf('0123456789'));
      const read = async (offset: number, length: number) =>
        Buffer.from((await store.artifacts.read('a2', { offset, length }, 5)) ?? []).toString();
      expect(await read(2, 3)).toBe('234');
      expect(await read(8, 50)).toBe('89');
      expect(await read(10, 5)).toBe('');
      expect(await read(99, 5)).toBe('');
    });

    it.each([
      [-1, 5],
      [0, 0],
      [0, limits.piece_bytes + 1],
      [0.5, 1],
    ])('refuses the range from %i of %i bytes', async (offset, length) => {
      await expect(store.artifacts.read('a2', { offset, length }, 5)).rejects.toMatchObject({
        code: 'invalid_argument',
        details: { reason: 'BAD_RANGE' },
      });
    });

    it('refuses content that is not what was announced, and keeps no row', async () => {
      const content = bytesOf('abc');
      for (const claim of [{ size_bytes: 4 }, { sha256: 'f'.repeat(64) }]) {
        await expect(store.artifacts.create(newArtifact('a3'), content, claim)).rejects.toMatchObject({
          details: { reason: 'CONTENT_MISMATCH' },
        });
      }
      expect(await store.artifacts.get('a3', 5)).toBeNull();
    });

    it('refuses more bytes than an artifact may have, and keeps no row', async () => {
      async function* endless() {
        for (;;) yield new Uint8Array(limits.piece_bytes);
      }
      await expect(store.artifacts.create(newArtifact('a4'), endless())).rejects.toMatchObject({
        code: 'payload_too_large',
      });
      expect(await store.artifacts.get('a4', 5)).toBeNull();
    });

    it('keeps no row when the sender breaks off', async () => {
      async function* broken() {
        yield bytesOf('half');
        throw new Error('connection lost');
      }
      await expect(store.artifacts.create(newArtifact('a5'), broken())).rejects.toThrow('connection lost');
      expect(await store.artifacts.get('a5', 5)).toBeNull();
    });

    it('gives an id once', async () => {
      await store.artifacts.create(newArtifact('a6'), bytesOf('x'));
      await expect(store.artifacts.create(newArtifact('a6'), bytesOf('y'))).rejects.toMatchObject({
        details: { reason: 'STORE_DUPLICATE' },
      });
    });

    it('pages those of a session, newest first, without the expired', async () => {
      for (const n of [1, 2, 3, 4]) {
        const expires_at = n === 2 ? 100 : null;
        await store.artifacts.create(newArtifact(`p${n}`, { session_id: 'paged', expires_at }), bytesOf(`${n}`));
      }
      const ids = async (now: number, page: Parameters<typeof store.artifacts.page>[2]) => {
        const { rows, has_more } = await store.artifacts.page('paged', now, page);
        return [...rows.map(({ artifact_id }) => artifact_id), has_more];
      };
      expect(await ids(50, { limit: 2 })).toEqual(['p4', 'p3', true]);
      expect(await ids(50, { before: 'p3' })).toEqual(['p2', 'p1', false]);
      expect(await ids(100, {})).toEqual(['p4', 'p3', 'p1', false]);
    });

    it('is not found from its expiry on', async () => {
      await store.artifacts.create(newArtifact('e1', { expires_at: 100 }), bytesOf('x'));
      expect(await store.artifacts.get('e1', 99)).not.toBeNull();
      expect(await store.artifacts.get('e1', 100)).toBeNull();
      expect(await store.artifacts.read('e1', { offset: 0, length: 1 }, 100)).toBeNull();
    });

    const upload = (artifact_id: string, user_id = 'ann') =>
      newArtifact(artifact_id, { session_id: null, run_id: null, agent_id: null, user_id, expires_at: 100 });
    const claim = (artifact_id: string, session_id: string, now = 50) =>
      store.artifacts.claim({ artifact_id, session_id, copy_id: `${artifact_id}@${session_id}`, now });

    it('makes an upload a file of the session that names it first, for good, and a copy of it for any other', async () => {
      const made = await store.artifacts.create(upload('u1'), bytesOf('image'));
      const claimed = { ...made, session_id: 'first', expires_at: null };
      expect(await claim('u1', 'first')).toEqual(claimed);
      expect(await claim('u1', 'first')).toEqual(claimed);
      const copy = { ...claimed, artifact_id: 'u1@second', session_id: 'second', created_at: 50 };
      expect(await claim('u1', 'second')).toEqual(copy);
      expect(await claim('u1', 'second', 60)).toEqual(copy);
      expect(await store.artifacts.get('u1', 1000)).toEqual(claimed);
      const read = await store.artifacts.read('u1@second', { offset: 0, length: 9 }, 1000);
      expect(Buffer.from(read ?? []).toString()).toBe('image');
    });

    it('claims nothing that is expired, unknown or no upload', async () => {
      await store.artifacts.create(upload('u2'), bytesOf('x'));
      await store.artifacts.create(newArtifact('u3', { session_id: null }), bytesOf('x'));
      expect(await claim('u2', 's1', 100)).toBeNull();
      expect(await claim('u3', 's1')).toBeNull();
      expect(await claim('nothing', 's1')).toBeNull();
    });

    it('counts the bytes that a user has uploaded and named nowhere', async () => {
      await store.artifacts.create(upload('u4', 'bob'), bytesOf('four'));
      await store.artifacts.create(upload('u5', 'bob'), bytesOf('fives'));
      await store.artifacts.create(upload('u6', 'eve'), bytesOf('x'));
      expect(await store.artifacts.unclaimed('w', 'bob')).toBe(9);
      await claim('u4', 's1');
      expect(await store.artifacts.unclaimed('w', 'bob')).toBe(5);
      expect(await store.artifacts.unclaimed('other', 'bob')).toBe(0);
    });

    it('sweeps the expired and then the bytes that nothing names, and only those', async () => {
      await sweepAll(later);
      await store.artifacts.create(newArtifact('o1', { expires_at: 100 }), bytesOf('shared content'));
      await store.artifacts.create(newArtifact('o2'), bytesOf('shared content'));
      await store.artifacts.create(newArtifact('o3'), bytesOf('lonely content'));
      const large = new Uint8Array(limits.storage_inline_bytes + 1).fill(7);
      await store.artifacts.create(newArtifact('o4'), large);
      await store.storage.set({ scope: 'plugin', owner: 'o', key: 'large' }, large, { at: 1 });
      expect(await store.artifacts.delete('o3')).toBe(true);
      expect(await store.artifacts.delete('o3')).toBe(false);
      await store.artifacts.delete('o4');
      expect(await sweepAll(Date.now())).toEqual({ expired: 1, orphans: 0 });
      expect(await sweepAll(later)).toEqual({ expired: 0, orphans: 1 });
      expect(await store.artifacts.read('o2', { offset: 0, length: 6 }, 5)).toEqual(bytesOf('shared'));
      expect((await store.storage.get({ scope: 'plugin', owner: 'o', key: 'large' }))?.bytes).toHaveLength(
        large.length,
      );
    });
  });
}
