import { limits } from '@rostra/protocol/wire/limits';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HostStore } from '../../../src/store/host-store.ts';
import type { TranscriptSearch } from '../../../src/store/ports/transcript.ts';
import { commit, SessionUnits, transcriptRow } from '../session-units.ts';

const said = [
  '今天天气很好，我们去公园吧',
  '数据库的连接串是 postgres://user@host/db',
  '用户昨天登录了系统',
  'The database is down again, and the backup too',
  'データベースの接続情報を教えてください',
  '데이터베이스 연결 정보',
  'backup backup backup',
  'Nothing to see here',
];

/** The contract of searching the transcript, on a store of its own: the order depends on everything that is in it. */
export function describeSearch(open: () => Promise<HostStore>): void {
  describe('search', () => {
    let store: HostStore;
    beforeAll(async () => {
      store = await open();
      const rows = said.map((content, index) => transcriptRow('talk', index + 1, { content }));
      await commit(store, new SessionUnits('talk').next(rows.length, { transcript: rows }));
      const threads = ['x', null, 'x'].map((thread_id, index) =>
        transcriptRow('threads', index + 1, {
          thread_id,
          bot_id: index === 2 ? 'other bot' : 'bot',
          actor_id: index === 0 ? 'ada' : 'bob',
          content: `a common secret number ${index}`,
        }),
      );
      await commit(store, new SessionUnits('threads').next(3, { transcript: threads }));
    });
    const found = async (query: string, search: Partial<TranscriptSearch> = {}) => {
      const wanted = { query, workspace_id: 'workspace', limit: 10, ...search };
      const { rows } = await store.transcript.search(wanted);
      return rows.map(({ session_id, seq }) => (session_id === 'talk' ? said[seq - 1] : `${session_id} ${seq}`));
    };
    const talk = { session_id: 'talk' };

    it('finds text without spaces by pairs of characters (RP-7.15)', async () => {
      expect((await found('用户之前提到的数据库连接信息', talk))[0]).toBe(said[1]);
      expect((await found('接続情報', talk))[0]).toBe(said[4]);
      expect((await found('연결 정보', talk))[0]).toBe(said[5]);
      expect(await found('园', talk)).toEqual([said[0]]);
      expect(await found('吧', talk)).toEqual([said[0]]);
    });

    it('ranks by how many, how rare and how often: the same on every engine', async () => {
      expect(await found('backup of the DATABASE', talk)).toEqual([said[3], said[6]]);
      expect(await found('backup', talk)).toEqual([said[6], said[3]]);
      expect(await found('backup', { ...talk, limit: 1 })).toEqual([said[6]]);
      expect(await found('unheard', talk)).toEqual([]);
      expect(await found('…!', talk)).toEqual([]);
    });

    it.each([
      '"',
      '""',
      'backup"',
      'backup AND nothing',
      'NEAR(backup down)',
      'words:backup',
      '-backup',
      'backup*',
      '%',
    ])('takes %j as words and nothing else (case 42)', async (query) => {
      const all = await found(query, talk);
      if (query.includes('backup')) expect(all).toContain(said[6]);
      else expect(all).toEqual([]);
    });

    it('stays within the conversation, or within the workspace', async () => {
      expect(await found('secret number', talk)).toEqual([]);
      expect(await found('secret number')).toHaveLength(3);
      expect(await found('secret number', { workspace_id: 'elsewhere' })).toEqual([]);
      expect(await found('backup', { ...talk, workspace_id: 'elsewhere' })).toEqual([]);
      expect(await found('backup', { session_id: 'nobody' })).toEqual([]);
    });

    it('leaves out other threads, bots and actors: no thread is not a thread (check 34)', async () => {
      const within = (where: NonNullable<TranscriptSearch['where']>) =>
        found('secret', { session_id: 'threads', where });
      expect(await within({ thread_id: null, bot_id: 'bot' })).toEqual(['threads 2']);
      expect(await within({ thread_id: 'x', bot_id: 'bot' })).toEqual(['threads 1']);
      expect(await within({ bot_id: null })).toEqual([]);
      expect(await found('secret', { where: { actor_id: 'bob' } })).toEqual(['threads 3', 'threads 2']);
    });

    it('filters by kind, role and time', async () => {
      const within = (where: NonNullable<TranscriptSearch['where']>) => found('secret', { where });
      expect(await within({ roles: ['assistant'] })).toEqual(['threads 2']);
      expect(await within({ event_types: ['message.received'] })).toEqual(['threads 3', 'threads 1']);
      expect(await within({ since: 1_001, until: 1_003 })).toEqual(['threads 2']);
      expect(await within({ roles: [] })).toEqual([]);
      expect(await within({ roles: ["a') OR 1=1--"] })).toEqual([]);
    });

    it('finds what was committed just before, and nothing of a deleted session', async () => {
      const units = new SessionUnits('fleeting');
      await commit(store, units.next(1, { transcript: [transcriptRow('fleeting', 1, { content: 'ephemeral' })] }));
      expect(await found('ephemeral')).toEqual(['fleeting 1']);
      await commit(store, units.next(1, { transcript: [transcriptRow('fleeting', 2, { content: 'ephemeral' })] }));
      expect(await found('ephemeral')).toEqual(['fleeting 2', 'fleeting 1']);
      await store.sessions.remove('fleeting', { at: 1, why: 'test' });
      expect(await found('ephemeral')).toEqual([]);
      while (await store.sessions.purge());
      expect(await found('ephemeral')).toEqual([]);
    });

    it('goes on finding what comes after messages that are gone', async () => {
      for (const name of ['first', 'second']) {
        const row = transcriptRow(name, 1, { content: 'recurring' });
        await commit(store, new SessionUnits(name).next(1, { transcript: [row] }));
        expect(await found('recurring')).toEqual([`${name} 1`]);
        await store.sessions.remove(name, { at: 1, why: 'test' });
        while (await store.sessions.purge());
      }
    });

    it('knows whether a conversation has messages of a bot or an actor', async () => {
      expect(await store.transcript.has('threads', { bot_id: 'bot' })).toBe(true);
      expect(await store.transcript.has('threads', { actor_id: 'eve' })).toBe(false);
      expect(await store.transcript.has('nobody', { bot_id: 'bot' })).toBe(false);
    });

    it('refuses to give less than one and cuts what is too many', async () => {
      await expect(found('secret', { limit: 0 })).rejects.toMatchObject({ code: 'invalid_argument' });
      expect(await found('secret', { limit: limits.search_top_k + 1 })).toHaveLength(3);
    });

    it('gives no more than a page weighs, and one row in any case', async () => {
      const heavy = 'heavy '.padEnd(limits.page_bytes * 0.6, 'x');
      const rows = [1, 2, 3].map((seq) => transcriptRow('heavy', seq, { content: heavy }));
      await commit(store, new SessionUnits('heavy').next(3, { transcript: rows }));
      expect(await found('heavy')).toEqual(['heavy 3']);
      const page = await store.transcript.page('heavy');
      expect([page.rows.map(({ seq }) => seq), page.has_more]).toEqual([[3], true]);
      const forward = await store.transcript.page('heavy', { after: 0 });
      expect([forward.rows.map(({ seq }) => seq), forward.has_more]).toEqual([[1], true]);
    });
  });
}
