import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import type { ApiMethodName, ApiParams, ApiResult } from '@rostra/protocol/api/api-methods';
import type { HistoryScope } from '@rostra/protocol/runner/resources';
import { limits } from '@rostra/protocol/wire/limits';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ActiveRun } from '../../../src/orchestrator/run-charter.ts';
import { CallMeter } from '../../../src/proxy/call-meter.ts';
import { historyFamily } from '../../../src/proxy/families/history.ts';
import { AgentRunAPIProxy } from '../../../src/proxy/gate.ts';
import { Cursors } from '../../../src/store/cursor.ts';
import { commit, SessionUnits, transcriptRow } from '../../store/session-units.ts';
import { RunnerDataWorld, type RunOf, refusalOf } from '../runner-data-world.ts';

const cursors = new Cursors('key');
const asksForHistory = { permissions: { history: ['page' as const, 'search' as const] } };

describe('history', () => {
  let world: RunnerDataWorld;
  let gate: AgentRunAPIProxy;
  const audited: { action: string; scope: string | null; resource: string | null; result: string }[] = [];

  beforeAll(async () => {
    world = await RunnerDataWorld.open();
    const { store, clock } = world;
    const { transcript, artifacts } = store;
    gate = new AgentRunAPIProxy({
      services: historyFamily({ transcript, artifacts, sessions: store, cursors, now: () => clock.now() }),
      workspace_id: 'workspace',
      clock,
      meter: new CallMeter({ calls: 10_000, bytes: limits.run_call_bytes }),
      audit: { add: ({ action, scope, resource, result }) => void audited.push({ action, scope, resource, result }) },
      refusals: { refused: () => undefined },
    });
    const rows = Array.from({ length: 9 }, (_, index) =>
      transcriptRow('c', index + 1, { content: `word number ${index + 1}` }),
    );
    await commit(store, new SessionUnits('c').next(9, { transcript: rows }));
    const place = (seq: number, change: Partial<TranscriptRow>) =>
      transcriptRow('group', seq, { content: `shared secret ${seq}`, ...change });
    const group = [
      place(1, { thread_id: null, bot_id: 'bot' }),
      place(2, { thread_id: 'x', bot_id: 'bot' }),
      place(3, { thread_id: 'x', bot_id: 'other' }),
      place(4, { thread_id: null, bot_id: null, actor_id: 'ann' }),
    ];
    await commit(store, new SessionUnits('group').next(4, { transcript: group }));
    const abroad = { ...new SessionUnits('abroad').next(1, { transcript: [transcriptRow('abroad', 1)] }) };
    await commit(store, { ...abroad, created: { workspace_id: 'elsewhere', owner_id: 'owner' } });
  });

  const run = (of: RunOf & { reach?: HistoryScope } = {}) => {
    const grants = of.reach === undefined ? {} : { grants: { history_scope: of.reach } };
    return world.run({ workspace_id: 'workspace', ...asksForHistory, ...grants, ...of });
  };
  const call = async <M extends ApiMethodName>(of: ActiveRun, method: M, params: ApiParams<M> | object) => {
    const sent = { run_id: of.run_id, ...params } as never;
    const { package_name: caller } = of.charter;
    const push = () => Promise.resolve();
    return (await gate.call({ method, params: sent, bytes: 100, run: of, caller, push })) as ApiResult<M>;
  };
  const page = (params: ApiParams<'history.page'>, of: ActiveRun = run()) => call(of, 'history.page', params);
  const search = (params: ApiParams<'history.search'>, of: ActiveRun = run()) => call(of, 'history.search', params);
  const seqs = ({ items }: { items: { seq: number }[] }) => items.map(({ seq }) => seq);

  describe('by pages', () => {
    it('goes back from the newest and forward from the oldest, in the order of the talk (RP-7.14)', async () => {
      const newest = await page({ limit: 3 });
      expect([seqs(newest), newest.has_more]).toEqual([[7, 8, 9], true]);
      const older = await page({ limit: 3, before_cursor: newest.next_cursor });
      expect(seqs(older)).toEqual([4, 5, 6]);
      const newer = await page({ limit: 3, direction: 'forward', after_cursor: older.prev_cursor });
      expect(seqs(newer)).toEqual([7, 8, 9]);
      expect([newer.has_more, newer.next_cursor]).toEqual([false, null]);
      const oldest = await page({ limit: 2, direction: 'forward' });
      expect(seqs(oldest)).toEqual([1, 2]);
      expect(seqs(await page({ direction: 'forward', after_cursor: oldest.next_cursor }))).toEqual([
        3, 4, 5, 6, 7, 8, 9,
      ]);
      expect(seqs(await page({ before_cursor: oldest.prev_cursor }))).toEqual([]);
    });

    it('takes a window between two cursors from either end', async () => {
      const { items } = await page({});
      const [after_cursor, before_cursor] = [items[1]?.cursor ?? null, items[7]?.cursor ?? null];
      expect(seqs(await page({ after_cursor, before_cursor, limit: 2 }))).toEqual([6, 7]);
      expect(seqs(await page({ after_cursor, before_cursor, limit: 2, direction: 'forward' }))).toEqual([3, 4]);
    });

    it('goes on from the cursor that the run was told at its start', async () => {
      const own = run();
      const latest = cursors.ofRun(own.charter.grant.scope).seal(9);
      expect(seqs(await page({ before_cursor: latest, limit: 2 }, own))).toEqual([7, 8]);
    });

    it('gives whole items, whose clocks count seconds (RP-7.16)', async () => {
      const { items } = await page({ limit: 1 });
      expect(items).toEqual([
        {
          item_id: 'c/9',
          seq: 9,
          cursor: expect.any(String),
          conversation_id: 'c',
          thread_id: null,
          run_id: 't.1',
          event_id: 't',
          role: 'user',
          item_type: 'message',
          actor: 'owner',
          content: 'word number 9',
          attachments: [],
          created_at: 1,
          metadata: {},
        },
      ]);
    });

    it('clamps a page that is too large and refuses one that is none (case 44)', async () => {
      expect(seqs(await page({ limit: 1e9 }))).toHaveLength(9);
      for (const limit of [0, -1, Number.NaN, '50']) {
        expect(await refusalOf(call(run(), 'history.page', { limit }))).toMatchObject({ code: 'invalid_argument' });
      }
    });

    it('refuses a cursor that it did not give for this conversation and thread (case 43)', async () => {
      const { next_cursor } = await page({ limit: 1 });
      const others = [
        page({ before_cursor: `${next_cursor}x` }),
        page({ before_cursor: 'h9' }),
        page({ before_cursor: next_cursor }, run({ conversation_id: 'group' })),
        page({ before_cursor: next_cursor }, run({ thread_id: 'x' })),
        page({ before_cursor: next_cursor, conversation_id: 'c' }, run({ conversation_id: 'x', reach: 'workspace' })),
      ];
      for (const other of others.slice(0, 4)) expect((await refusalOf(other)).code).toBe('invalid_argument');
      // Whoever may read the conversation from outside may go on from there: its cursor has no thread either.
      expect(seqs(await (others[4] as ReturnType<typeof page>))).toHaveLength(8);
    });

    it('names artifacts, and says more of them when asked (CX-4.6)', async () => {
      const { store } = world;
      const about = { workspace_id: 'workspace', session_id: 'files', bot_id: null, thread_id: null, run_id: null };
      const made = { agent_id: null, created_at: 1000, expires_at: null, metadata: { lang: 'zh' } };
      const file = { artifact_id: 'a1', name: 'a.txt', mime_type: 'text/plain', ...about, ...made };
      const { size_bytes, sha256 } = await store.artifacts.create(file, Buffer.from('abc'));
      const ref = { artifact_id: 'a1', name: 'a.txt', mime_type: 'text/plain', size_bytes, sha256 };
      const lost = { ...ref, artifact_id: 'a2' };
      const row = transcriptRow('files', 1, { attachments: [ref, lost] });
      await commit(store, new SessionUnits('files').next(1, { transcript: [row] }));
      const own = run({ conversation_id: 'files' });
      expect((await page({}, own)).items[0]).toMatchObject({ attachments: [ref, lost], metadata: {} });
      const [item] = (await page({ include_artifacts: true }, own)).items;
      expect(item?.metadata.artifacts).toEqual([{ ...ref, created_at: 1, expires_at: null, metadata: { lang: 'zh' } }]);
    });
  });

  describe('of its own bot and thread', () => {
    const of = (thread_id: string | null, bot_id: string | null) =>
      run({ conversation_id: 'group', thread_id, bot_id });

    it.each<[string | null, string | null, number[]]>([
      [null, 'bot', [1]],
      ['x', 'bot', [2]],
      ['x', 'other', [3]],
      [null, null, [4]],
      ['y', 'bot', []],
      [null, 'unheard', []],
    ])('thread %s and bot %s see nothing else (check 34)', async (thread_id, bot_id, expected) => {
      expect(seqs(await page({}, of(thread_id, bot_id)))).toEqual(expected);
      const found = await search({ query: 'shared secret' }, of(thread_id, bot_id));
      expect([seqs(found), found.total_count]).toEqual([expected, expected.length]);
    });
  });

  describe('of another conversation', () => {
    const elsewhere = (of: ActiveRun) => [
      page({ conversation_id: 'group' }, of),
      page({ conversation_id: 'no such one' }, of),
      search({ query: 'secret', filters: { conversation_id: 'group' } }, of),
      search({ query: 'secret', filters: { conversation_id: 'no such one' } }, of),
      search({ query: 'secret', filters: { thread_id: 'x' } }, of),
    ];

    it('is refused without a widened scope, with the same words whether or not it exists (check 33, case 40)', async () => {
      const refusals = await Promise.all(elsewhere(run()).map(refusalOf));
      expect(new Set(refusals.map((each) => JSON.stringify(each)))).toHaveProperty('size', 1);
      expect(refusals[0]).toMatchObject({ code: 'unauthorized' });
    });

    it('is read with one, and audited with it (check 33, CX-4.5)', async () => {
      const wide = run({ reach: 'workspace', bot_id: 'bot' });
      expect(seqs(await page({ conversation_id: 'group' }, wide))).toEqual([1, 2, 3, 4]);
      expect(audited.at(-1)).toEqual({ action: 'history.page', scope: 'workspace', resource: 'group', result: 'ok' });
      const named = await search({ query: 'secret', filters: { conversation_id: 'group', thread_id: 'x' } }, wide);
      expect(seqs(named).sort()).toEqual([2, 3]);
      const everywhere = await search({ query: 'secret number' }, wide);
      expect(new Set(everywhere.items.map(({ conversation_id }) => conversation_id))).toEqual(new Set(['c', 'group']));
    });

    it('is read as far as the bot or the actor goes, and no further', async () => {
      const ofBot = run({ reach: 'bot', bot_id: 'bot' });
      expect(seqs(await page({ conversation_id: 'group' }, ofBot))).toEqual([1, 2]);
      expect(seqs(await search({ query: 'secret' }, ofBot)).sort()).toEqual([1, 2]);
      const mine = run({ reach: 'bot', bot_id: 'bot', conversation_id: 'mine' });
      expect((await refusalOf(page({ conversation_id: 'c' }, mine))).code).toBe('unauthorized');
      const ofActor = run({ reach: 'actor', actor_id: 'ann' });
      expect(seqs(await page({ conversation_id: 'group' }, ofActor))).toEqual([4]);
      expect(seqs(await search({ query: 'secret' }, ofActor))).toEqual([4]);
      const stranger = run({ reach: 'actor', actor_id: 'eve', conversation_id: 'mine' });
      expect((await refusalOf(page({ conversation_id: 'group' }, stranger))).code).toBe('unauthorized');
    });

    it('of another workspace is never read', async () => {
      const wide = run({ reach: 'workspace' });
      const refusals = [page({ conversation_id: 'abroad' }, wide), page({ conversation_id: 'no such one' }, wide)];
      const [there, nowhere] = await Promise.all(refusals.map(refusalOf));
      expect(there).toEqual(nowhere);
      expect(there?.code).toBe('unauthorized');
      const found = await search({ query: 'line 1 你好' }, wide);
      expect(found.items.map(({ conversation_id }) => conversation_id)).not.toContain('abroad');
    });

    it('that was deleted is refused like one that never was', async () => {
      const wide = run({ reach: 'workspace' });
      await commit(world.store, new SessionUnits('gone').next(1, { transcript: [transcriptRow('gone', 1)] }));
      await world.store.sessions.remove('gone', { at: 1, why: 'test' });
      const [gone, never] = await Promise.all(
        ['gone', 'no such one'].map((conversation_id) => refusalOf(page({ conversation_id }, wide))),
      );
      expect(gone).toEqual(never);
    });
  });

  describe('by words', () => {
    it('finds the best matches and how many there are (RP-7.15)', async () => {
      const found = await search({ query: 'number 7', top_k: 2 });
      expect(found.items[0]).toMatchObject({ seq: 7, content: 'word number 7', conversation_id: 'c' });
      expect([found.items.length, found.total_count]).toEqual([2, 9]);
      const { cursor = null } = found.items[0] ?? {};
      expect(seqs(await page({ before_cursor: cursor, limit: 1 }))).toEqual([6]);
    });

    it('narrows by kind, role and time', async () => {
      const within = async (filters: ApiParams<'history.search'>['filters']) =>
        seqs(await search({ query: 'word', filters })).sort();
      expect(await within({ roles: ['assistant'] })).toEqual([2, 4, 6, 8]);
      expect(await within({ event_types: ['message.received'] })).toEqual([1, 3, 5, 7, 9]);
      expect(await within({ after: 0, before: 2 })).toHaveLength(9);
      expect(await within({ after: 1 })).toEqual([]);
      expect(await within({ before: 1 })).toEqual([]);
      expect(await within({ conversation_id: 'c', roles: [] })).toEqual([]);
    });

    it.each([{ "a') OR 1=1--": 'x' }, { session: 'group' }, { conversation_id: 7 }, { roles: 'user' }, { after: '0' }])(
      'takes %j for no filter (case 41)',
      async (filters) => {
        const refused = refusalOf(call(run(), 'history.search', { query: 'word', filters }));
        expect((await refused).code).toBe('invalid_argument');
      },
    );

    it('takes no query that is empty or longer than a kilobyte (case 42)', async () => {
      for (const query of ['', 'x'.repeat(limits.query_chars + 1), 7]) {
        expect((await refusalOf(call(run(), 'history.search', { query }))).code).toBe('invalid_argument');
      }
      expect(await search({ query: '%'.repeat(limits.query_chars) })).toEqual({ items: [], total_count: 0 });
      expect(seqs(await search({ query: 'NEAR("word" number) AND * OR' }))).toHaveLength(9);
    });
  });

  it('is refused to a run whose manifest or policy does not ask for it (check 36, 37)', async () => {
    const none = run({ permissions: { history: [] } });
    const denied = run({ grants: { history: ['page'] } });
    expect((await refusalOf(page({}, none))).code).toBe('unauthorized');
    expect((await refusalOf(search({ query: 'x' }, denied))).code).toBe('unauthorized');
    expect(seqs(await page({ limit: 1 }, denied))).toEqual([9]);
  });
});
