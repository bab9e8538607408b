import { limits } from '@rostra/protocol/wire/limits';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HostStore } from '../../../src/store/host-store.ts';
import type { TranscriptPage } from '../../../src/store/ports/transcript.ts';
import { commit, SessionUnits, transcriptRow } from '../session-units.ts';

/** The contract of the transcript (RP-13.2). */
export function describeTranscript(open: () => Promise<HostStore>): void {
  describe('transcript', () => {
    let store: HostStore;
    const rows = [1, 3, 4, 7, 9].map((seq) => transcriptRow('talk', seq));
    beforeAll(async () => {
      store = await open();
      const units = new SessionUnits('talk');
      await commit(store, units.next(9, { transcript: rows }));
      await commit(store, new SessionUnits('other').next(2, { transcript: [transcriptRow('other', 2)] }));
    });
    const seqs = async (page: TranscriptPage) => {
      const { rows, has_more } = await store.transcript.page('talk', page);
      return [...rows.map(({ seq }) => seq), has_more];
    };

    it('keeps every part of an item', async () => {
      const row = transcriptRow('full', 1, {
        thread_id: 'thread',
        bot_id: 'bot',
        actor_id: 'ada',
        event_id: 'e',
        event_type: 'message.completed',
        actor: null,
        content_json: [{ type: 'text', text: 'a' }, null],
        attachments: [{ artifact_id: 'a', name: 'n', mime_type: 'text/plain', size_bytes: 3, sha256: 'x' }],
        ui_schema: { root: { kind: 'card' } },
        metadata: { lang: 'zh' },
      });
      await commit(store, new SessionUnits('full').next(1, { transcript: [row] }));
      expect(await store.transcript.get('full', 1)).toEqual(row);
      expect(await store.transcript.get('full', 2)).toBeNull();
      expect(await store.transcript.get('nobody', 1)).toBeNull();
    });

    it.each<[TranscriptPage, (number | boolean)[]]>([
      [{}, [1, 3, 4, 7, 9, false]],
      [{ limit: 2 }, [7, 9, true]],
      [{ before: 7, limit: 2 }, [3, 4, true]],
      [{ before: 3 }, [1, false]],
      [{ before: 1 }, [false]],
      [{ after: 1, limit: 2 }, [3, 4, true]],
      [{ after: 4 }, [7, 9, false]],
      [{ after: 0, limit: 1 }, [1, true]],
      [{ after: 9 }, [false]],
      [{ after: 1, before: 9, limit: 2 }, [3, 4, true]],
      [{ after: 1, before: 9, limit: 2, from: 'newest' }, [4, 7, true]],
      [{ limit: 2, from: 'oldest' }, [1, 3, true]],
    ])('pages %j in the order of the log', async (page, expected) => {
      expect(await seqs(page)).toEqual(expected);
    });

    describe('where a message takes others back', () => {
      beforeAll(async () => {
        const said = (seq: number, change: object) => transcriptRow('branch', seq, { turn_id: `t${seq}`, ...change });
        const units = new SessionUnits('branch');
        await commit(
          store,
          units.next(9, {
            transcript: [
              said(1, { client_id: 'u1', item_id: 't1', content: 'first' }),
              said(2, { item_id: 'm1' }),
              said(3, { client_id: 'u2', item_id: 't3', content: 'zebra', content_json: [{ type: 'image' }] }),
              said(4, { item_id: 't4.call-1', role: 'tool', item_type: 'tool_result' }),
              said(6, { item_id: 'm2' }),
              said(7, { client_id: 'u2', item_id: 't7', content: 'edited', role: 'user', supersedes: 3 }),
              said(8, { item_id: 'm3' }),
            ],
          }),
        );
      });

      it('shows what stands, and the rest to whoever asks for it', async () => {
        const shown = await store.transcript.page('branch', {});
        expect(shown.rows.map(({ seq }) => seq)).toEqual([1, 2, 7, 8]);
        const all = await store.transcript.page('branch', { where: { superseded: true } });
        expect(all.rows.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 6, 7, 8]);
        expect(await store.transcript.count('branch', 8)).toBe(3);
        const search = { workspace_id: 'workspace', session_id: 'branch', limit: 10 };
        expect((await store.transcript.search({ ...search, query: 'zebra' })).rows).toEqual([]);
        expect((await store.transcript.search({ ...search, query: 'edited' })).rows.map(({ seq }) => seq)).toEqual([7]);
      });

      it('knows what stands by every name that clients have for it', async () => {
        const ids = ['u1', 'm1', 'u2', 't3', 'call-1', 'm2', 't7', 'm3', 'nobody'];
        const found = await store.transcript.said('branch', ids);
        expect(found.map(({ id, role, seq }) => `${role} ${id} ${seq}`).sort()).toEqual([
          'assistant m1 2',
          'assistant m3 8',
          'user t7 7',
          'user u1 1',
          'user u2 7',
        ]);
        expect(found.find(({ id }) => id === 'u1')).toMatchObject({ text: 'first', media: [] });
        expect(await store.transcript.said('nobody', ids)).toEqual([]);
      });

      it('knows a call of a tool by its own id', async () => {
        const row = { turn_id: 't9', item_id: 't9.call-9', role: 'tool', item_type: 'tool_result' };
        await commit(store, new SessionUnits('called').next(1, { transcript: [transcriptRow('called', 1, row)] }));
        expect((await store.transcript.said('called', ['call-9'])).map(({ role }) => role)).toEqual(['tool']);
      });
    });

    it('pages within one thread and bot: no thread is not a thread (check 34)', async () => {
      const places = [
        { thread_id: null, bot_id: null },
        { thread_id: 'x', bot_id: null },
        { thread_id: 'x', bot_id: 'b' },
      ];
      const rows = [1, 2, 3, 4, 5, 6].map((seq) => transcriptRow('threads', seq, places[seq % 3]));
      await commit(store, new SessionUnits('threads').next(6, { transcript: rows }));
      for (const [index, where] of places.entries()) {
        const page = await store.transcript.page('threads', { where, limit: 1 });
        expect(page).toMatchObject({ rows: [{ ...where, seq: index === 0 ? 6 : index + 3 }], has_more: true });
        const rest = await store.transcript.page('threads', { where, before: page.rows[0]?.seq ?? 0 });
        expect(rest.rows.map(({ seq }) => seq)).toEqual([index === 0 ? 3 : index]);
      }
    });

    describe('what readers are shown of messages', () => {
      const everything = { after: 0, before: Number.MAX_SAFE_INTEGER };
      const file = { artifact_id: 'a', name: 'ä"', mime_type: 'text/plain', size_bytes: 3, sha256: 'x' };
      const odd = 'a "quote", \\, \u2028, \u0001, \n and \u{1F600}';

      it('is all of it that a reader sees, between two places', async () => {
        const said = (seq: number, change: object) => transcriptRow('shown', seq, { created_at: seq, ...change });
        const card = { root: { text: odd } };
        const rows = [
          said(1, { role: 'user', content: odd, attachments: [file, file] }),
          said(2, { role: 'assistant', ui_schema: card, metadata: { status: 'failed' } }),
          said(4, { role: 'system', item_type: 'note' }),
          said(5, { role: 'tool', item_type: 'tool_result', content: '' }),
        ];
        await commit(store, new SessionUnits('shown').next(5, { transcript: rows }));
        const where = { roles: ['user', 'assistant', 'tool'] };
        expect(await store.transcript.shown('shown', { ...everything, where })).toEqual(
          [0, 1, 3].map((index) => {
            const { seq, item_id, role, created_at, content, attachments, ui_schema } = rows[index] ?? said(0, {});
            return { seq, item_id, role, created_at, content, attachments, ui_schema };
          }),
        );
        const between = await store.transcript.shown('shown', { after: 1, before: 5 });
        expect(between.map(({ seq }) => seq)).toEqual([2, 4]);
        expect(await store.transcript.shown('shown', { after: 5, before: 9 })).toEqual([]);
        expect(await store.transcript.shown('nobody', everything)).toEqual([]);
      });

      it('are the last words of an agent, and none of what was taken back', async () => {
        const said = (seq: number, item_id: string, change: object) =>
          transcriptRow('changed', seq, { item_id, role: 'assistant', content: `${seq}`, ...change });
        const edited = { item_type: 'message.edited' };
        const transcript = [
          said(1, 'm1', {}),
          said(2, 'm2', { ui_schema: { root: 1 } }),
          said(3, 'u1', { role: 'user' }),
          said(4, 'm2', edited),
          said(5, 'm1', edited),
          said(6, 'm1', { item_type: 'message.deleted', content: '' }),
          said(7, 'm2', edited),
          said(8, 'u1', edited),
          said(9, 'm3', {}),
          said(10, 'u2', { role: 'user', supersedes: 9 }),
        ];
        await commit(store, new SessionUnits('changed').next(10, { transcript }));
        const where = { item_types: ['message'] };
        const shown = await store.transcript.shown('changed', { ...everything, where });
        expect(shown.map(({ seq, content }) => [seq, content])).toEqual([
          [1, null],
          [2, '7'],
          [3, '3'],
          [10, '10'],
        ]);
        expect(shown[1]).toMatchObject({ item_id: 'm2', ui_schema: { root: 1 } });
      });

      it('comes in pages that are bounded in messages and in bytes, and never empty before the end', async () => {
        const count = limits.shown_items + 5;
        const rows = Array.from({ length: count }, (_, n) => transcriptRow('long', n + 1, { item_id: `m${n + 1}` }));
        await commit(store, new SessionUnits('long').next(count, { transcript: rows }));
        const said = (seq: number, item_id: string, share: number, item_type = 'message') => {
          const content = 'x'.repeat(limits.page_bytes * share);
          return transcriptRow('heavy', seq, { item_id, item_type, role: 'assistant', content });
        };
        const units = new SessionUnits('heavy');
        const own = [said(1, 'm1', 1.2), said(2, 'm2', 0.6), said(3, 'm3', 0), said(4, 'm4', 0)];
        await commit(store, units.next(4, { transcript: own }));
        await commit(store, units.next(1, { transcript: [said(5, 'm3', 0.6, 'message.edited')] }));
        const sizes = async (session_id: string, item_types: string[]) => {
          const found: number[] = [];
          for (let after = 0; ; ) {
            const page = await store.transcript.shown(session_id, { ...everything, after, where: { item_types } });
            found.push(page.length);
            const last = page.at(-1);
            if (last === undefined) return found;
            after = last.seq;
          }
        };
        expect(await sizes('long', ['message'])).toEqual([limits.shown_items, 5, 0]);
        // A message weighs what its last words do.
        expect(await sizes('heavy', ['message'])).toEqual([1, 1, 2, 0]);
      });
    });

    it('refuses a page of less than one row and cuts one of too many', async () => {
      await expect(store.transcript.page('talk', { limit: 0 })).rejects.toMatchObject({ code: 'invalid_argument' });
      expect((await store.transcript.page('talk', { limit: limits.page_items + 1 })).rows).toHaveLength(5);
    });

    it('holds one item per record', async () => {
      const units = new SessionUnits('twice');
      await commit(store, units.next(1, { transcript: [transcriptRow('twice', 1)] }));
      await expect(commit(store, units.next(1, { transcript: [transcriptRow('twice', 1)] }))).rejects.toMatchObject({
        details: { reason: 'STORE_DUPLICATE' },
      });
    });
  });
}
