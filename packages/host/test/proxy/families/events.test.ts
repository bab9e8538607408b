import type { ApiMethodName, ApiParams, ApiResult } from '@rostra/protocol/api/api-methods';
import { AgentEventEnvelope } from '@rostra/protocol/runner/run-context';
import { TurnEvent } from '@rostra/protocol/session/input';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ActiveRun } from '../../../src/orchestrator/run-charter.ts';
import { readRecords } from '../../../src/projection/log-records.ts';
import { CallMeter } from '../../../src/proxy/call-meter.ts';
import { eventsFamily } from '../../../src/proxy/families/events.ts';
import { AgentRunAPIProxy } from '../../../src/proxy/gate.ts';
import { Cursors } from '../../../src/store/cursor.ts';
import { MemoryStore } from '../../../src/store/memory/memory-store.ts';
import { SESSION, TestHost } from '../../session/test-host.ts';
import { RunnerDataWorld, type RunOf, refusalOf } from '../runner-data-world.ts';

const OTHER = '550e8400-e29b-41d4-a716-446655440001';
const nothing = { text: null, contents: [], attachments: [], message_chain: null };

describe('events', () => {
  const store = new MemoryStore();
  const host = new TestHost(store);
  let world: RunnerDataWorld;
  let gate: AgentRunAPIProxy;
  let turns: string[];

  /** An event that is nobody's message, as an entry submits it. */
  async function happen(event: Partial<TurnEvent> & { event_id: string }, session_id = SESSION): Promise<string> {
    const turn_id = `turn of ${event.event_id} in ${session_id}`;
    const told = TurnEvent.parse({ event_type: 'member.joined', source: 'qq', trigger_source: 'platform', ...event });
    const submitted = host.gateway.submitRun({
      session_id,
      principal: { workspace_id: 'w', user_id: 'u' },
      message_id: `event:${event.event_id}`,
      turn_id,
      payload: { input: nothing, data: {}, event: told },
      open: {},
    });
    for (let n = 0; n < 10; n += 1) {
      host.clock.settle();
      await Promise.resolve();
    }
    await submitted;
    return turn_id;
  }

  function finish(sequence: number): void {
    host.output('final', {}, sequence);
  }

  beforeAll(async () => {
    world = await RunnerDataWorld.open();
    gate = new AgentRunAPIProxy({
      services: eventsFamily({
        events: store.events,
        transcript: store.transcript,
        sessions: store,
        records: (session_id, seqs) => readRecords(store, session_id, seqs),
        cursors: new Cursors('key'),
      }),
      workspace_id: 'w',
      clock: world.clock,
      meter: new CallMeter({ calls: 10_000, bytes: limits.run_call_bytes }),
      audit: { add: () => undefined },
      refusals: { refused: () => undefined },
    });
    const { turn_id: first } = await host.say('hello');
    host.ack();
    const parameters = { q: 'x' };
    host.output('tool.call.started', { tool_call_id: 't1', tool_name: 'search', parameters }, 0);
    const result = 'y'.repeat(limits.event_inline_bytes);
    host.output('tool.call.completed', { tool_call_id: 't1', tool_name: 'search', result }, 1);
    finish(2);
    const second = await happen({
      event_id: 'evt-1',
      data: { who: 'ada' },
      conversation: { thread_id: 'x', bot_id: 'bot', launcher_type: null, launcher_id: null },
      actor: { actor_type: 'user', actor_id: 'ada', actor_name: 'Ada', metadata: {} },
      raw_ref: { artifact_id: 'raw', size_bytes: 9, mime_type: 'application/json' },
    });
    host.ack();
    host.output('tool.call.started', { tool_call_id: 't2', tool_name: 'greet' }, 0);
    finish(1);
    await happen({ event_id: 'evt-1' }, OTHER);
    turns = [first, second];
  });

  const run = (of: RunOf & { turn_id?: string } = {}): ActiveRun => {
    const { turn_id = 'turn', ...rest } = of;
    const permissions = { events: ['get' as const, 'page' as const] };
    return { ...world.run({ workspace_id: 'w', conversation_id: SESSION, permissions, ...rest }), turn_id };
  };
  const call = async <M extends ApiMethodName>(of: ActiveRun, method: M, params: ApiParams<M>) => {
    const sent: Json = JSON.parse(JSON.stringify({ run_id: of.run_id, ...params }));
    const { package_name: caller } = of.charter;
    const push = () => Promise.resolve();
    return (await gate.call({ method, params: sent, bytes: 100, run: of, caller, push })) as ApiResult<M>;
  };
  const page = (params: ApiParams<'events.page'> = {}, of = run()) => call(of, 'events.page', params);
  const get = (event_id: string, of = run()) => call(of, 'events.get', { event_id });
  const types = ({ items }: { items: AgentEventEnvelope[] }) => items.map(({ event }) => event.event_type);

  it('are inputs, tool calls and what the session did, newest first (CX-4.9)', async () => {
    const told = await page();
    expect(types(told)).toEqual([
      'tool.call.completed',
      'tool.call.started',
      'session.agent_changed',
      'session.opened',
      'message.received',
    ]);
    for (const item of told.items) expect(AgentEventEnvelope.parse(item)).toEqual(item);
    expect(told.items.at(-1)).toMatchObject({
      event: { event_id: turns[0], source: 'api' },
      conversation: { conversation_id: SESSION, thread_id: null, bot_id: null, workspace_id: 'w' },
      actor: { actor_type: 'user', actor_id: 'u' },
      input: { text: 'hello' },
      delivery: null,
    });
  });

  it('keep what they were, and are no message of anybody (CX-4.10)', async () => {
    const own = run({ thread_id: 'x', bot_id: 'bot' });
    expect(types(await page({}, own))).toEqual(['tool.call.started', 'member.joined']);
    expect(await get('evt-1', own)).toMatchObject({
      event: {
        event_id: 'evt-1',
        event_type: 'member.joined',
        source: 'qq',
        data: { who: 'ada' },
        raw_ref: { artifact_id: 'raw', size_bytes: 9, mime_type: 'application/json' },
      },
      actor: { actor_id: 'ada', actor_name: 'Ada' },
      input: { text: null, contents: [], attachments: [] },
    });
  });

  it('are the same every time, and large payloads are left out (RP-7.18)', async () => {
    const [completed, started] = (await page()).items;
    const event_id = completed?.event.event_id ?? '';
    expect(await get(event_id)).toEqual(completed);
    expect(completed?.event.data.omitted_bytes).toBeGreaterThan(limits.event_inline_bytes);
    expect(started?.event.data).toMatchObject({ tool_name: 'search', parameters: { q: 'x' }, turn_id: turns[0] });
    expect(started?.actor).toMatchObject({ actor_type: 'agent', actor_id: 'guide' });
  });

  it('come in pages, and of the kinds that are asked for (RP-7.17)', async () => {
    const seen: string[] = [];
    let before_cursor: string | null = null;
    do {
      const part: ApiResult<'events.page'> = await page({ limit: 2, before_cursor });
      seen.push(...types(part));
      before_cursor = part.next_cursor;
      expect(part.has_more).toBe(before_cursor !== null);
    } while (before_cursor !== null);
    expect(seen).toEqual(types(await page()));
    expect(types(await page({ event_types: ['message.received'] }))).toEqual(['message.received']);
    expect((await refusalOf(page({ before_cursor: 'made up' }))).code).toBe('invalid_argument');
  });

  it('weigh no more than a page', async () => {
    const data = { text: 'z'.repeat(limits.event_inline_bytes - 100) };
    const count = Math.ceil(limits.page_bytes / limits.event_inline_bytes) + 2;
    for (let n = 0; n < count; n += 1) {
      await happen({ event_id: `heavy-${n}`, event_type: 'heavy', data }, 'heavy');
      host.ack();
      finish(0);
    }
    const own = run({ conversation_id: 'heavy', actor_id: 'u' });
    const first = await page({ event_types: ['heavy'], limit: 100 }, own);
    expect(first.items.length).toBeLessThan(count);
    expect(JSON.stringify(first).length).toBeLessThan(limits.page_bytes + limits.event_inline_bytes);
    const rest = await page({ event_types: ['heavy'], limit: 100, before_cursor: first.next_cursor }, own);
    expect(first.items.length + rest.items.length).toBe(count);
  });

  it('of another conversation, thread or bot are not found, like those that never were (check 35)', async () => {
    const joined = turns[1] ?? '';
    const refusals = await Promise.all([
      refusalOf(get('no such one')),
      refusalOf(get('evt-1')),
      refusalOf(get(turns[0] ?? '', run({ thread_id: 'x' }))),
      refusalOf(get(turns[0] ?? '', run({ conversation_id: OTHER }))),
    ]);
    expect(new Set(refusals.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(refusals[0]).toMatchObject({ code: 'not_found' });
    const [started] = (await page({}, run({ thread_id: 'x', bot_id: 'bot' }))).items;
    expect(started?.event.data.turn_id).toBe(joined);
  });

  it('of the same run are found, wherever they lie (check 35)', async () => {
    expect(await get('evt-1', run({ turn_id: turns[1] ?? '' }))).toMatchObject({ event: { event_id: 'evt-1' } });
    expect(await get('evt-1', run({ conversation_id: OTHER }))).toMatchObject({
      conversation: { conversation_id: OTHER },
    });
  });

  it('of another conversation are paged only with a widened scope (check 33)', async () => {
    const [there, nowhere] = await Promise.all([
      refusalOf(page({ conversation_id: OTHER })),
      refusalOf(page({ conversation_id: 'no such one' })),
    ]);
    expect(there).toEqual(nowhere);
    expect(there?.code).toBe('unauthorized');
    const permissions = { events: ['page' as const], history: ['page' as const] };
    const wide = run({ permissions, grants: { history_scope: 'workspace' } });
    expect(types(await page({ conversation_id: OTHER }, wide))).toContain('member.joined');
  });

  it('are refused to a run that was not granted them (check 36)', async () => {
    const none = run({ permissions: { events: [] } });
    expect((await refusalOf(get(turns[0] ?? '', none))).code).toBe('unauthorized');
    expect((await refusalOf(page({}, none))).code).toBe('unauthorized');
  });
});
