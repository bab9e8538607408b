import { TaskResponse } from '@rostra/protocol/run-api/task';
import { v4 } from 'uuid';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ContinuedRuns } from '../../src/session/continued-run.ts';
import { ADA, BOB, ConversationWorld } from './conversation-world.ts';
import { KEY, RUNS } from './test-host.ts';

let world: ConversationWorld;
beforeEach(async () => {
  world = await ConversationWorld.start();
});
afterEach(() => world.stop());

async function task(path: string): Promise<TaskResponse> {
  return TaskResponse.strict().parse(await world.read(path));
}

async function page(query: string, key = ADA): Promise<{ tasks: unknown[]; nextCursor: string | null }> {
  const { items, nextCursor } = (await world.read(`${RUNS}?${query}`, key)) as {
    items: unknown[];
    nextCursor: string | null;
  };
  return { tasks: items.map((item) => TaskResponse.strict().parse(item).taskId), nextCursor };
}

describe('how a run is', () => {
  it('tells status, agent, attempts, usage, cost and timings from its acceptance to its end', async () => {
    const id = await world.open();
    const busy = await world.say(id, 'first');
    const taskId = await world.say(id, 'second');
    const queued = await task(`${RUNS}/${taskId}`);
    expect(queued).toMatchObject({
      status: 'queued',
      started: null,
      ended: null,
      attempts: [],
      usage: null,
      cost: null,
    });
    await (await world.agent(busy)).end();
    world.host.clock.advance(1_000);
    const agent = await world.agent(taskId);
    world.host.clock.advance(1_000);
    await agent.chunk(agent.messageId, 0, 'so ');
    const running = await task(`${RUNS}/${taskId}`);
    expect(running).toMatchObject({ status: 'running', agentId: 'guide', firstOutput: '2023-11-14T22:13:22.000Z' });
    world.host.clock.advance(1_000);
    await agent.end({ model: 'model-1', input_tokens: 3, output_tokens: 2 });
    const ended = await task(`${RUNS}/${taskId}`);
    expect(ended).toMatchObject({
      status: 'completed',
      created: '2023-11-14T22:13:20.000Z',
      started: '2023-11-14T22:13:21.000Z',
      ended: '2023-11-14T22:13:23.000Z',
      usage: { model: 'model-1', inputTokens: 3, cachedTokens: 0, outputTokens: 2, totalTokens: 5 },
      cost: 7,
      error: null,
    });
    expect(ended.attempts).toMatchObject([{ runId: `${taskId}.1`, attempt: 1, status: 'completed', cost: 7 }]);
  });

  it('what the runner did not tell is unknown, not zero', async () => {
    const id = await world.open();
    const taskId = await world.talk(id, 'one', 'first');
    expect(await task(`${RUNS}/${taskId}`)).toMatchObject({
      usage: null,
      cost: null,
      attempts: [{ usage: null, cost: null }],
    });
    const other = await world.say(id, 'two');
    await (await world.agent(other)).end({ model: 'free', input_tokens: 1, output_tokens: 1 });
    expect(await task(`${RUNS}/${other}`)).toMatchObject({ usage: { totalTokens: 2 }, cost: null });
  });

  it('is found by the thread and the name that the client gave it', async () => {
    const id = await world.open();
    const taskId = await world.sayWith(id, 'hello', [], 'run-7');
    expect(await task(`${RUNS}?threadId=${id}&runId=run-7`)).toMatchObject({ taskId, runId: 'run-7', threadId: id });
    for (const [query, key, status] of [
      [`threadId=${id}&runId=run-8`, ADA, 404],
      [`threadId=${v4()}&runId=run-7`, ADA, 404],
      [`threadId=${id}&runId=run-7`, BOB, 404],
      ['runId=run-7', ADA, 422],
    ] as const) {
      expect((await world.get(`${RUNS}?${query}`, key)).status, query).toBe(status);
    }
  });

  it('is found by the name of a run that only went on with it', async () => {
    const principal = { workspace_id: 'local', user_id: 'key:ada' };
    const continued = new ContinuedRuns({ ...world, log: world.host.store, bus: world.host.bus, newId: v4 });
    const id = await world.open();
    const goOn = (client_run_id: string, status: 'resolved' | 'cancelled', interaction_id: string) => {
      const answers = [{ interaction_id, status, payload: { approved: status === 'resolved' } }];
      return continued.resume({ session_id: id, principal, client_run_id, payload_hash: '', answers });
    };
    const asking = await world.sayWith(id, 'may you?', [], 'run-1');
    const guide = await world.agent(asking);
    for (const interaction_id of ['first', 'second']) {
      const request = { kind: 'confirmation', title: 'May I?', actions: [{ id: 'confirm', label: 'Yes' }] };
      const question = { interaction_id, purpose: 'question', kind: 'confirmation', request } as const;
      await guide.control('INTERACTION_REQUESTED', question, true);
      await goOn(`after-${interaction_id}`, 'resolved', interaction_id);
    }
    const handOver = async () => {
      await guide.control('HANDOVER_REQUEST', { target_agent_id: 'scout', reason: 'knows', summary: '' }, true);
      const [handover] = await continued.openQuestions(id, principal);
      return handover?.interaction_id ?? '';
    };
    await goOn('refused', 'cancelled', await handOver());
    const tx_id = await handOver();
    await guide.end();
    await goOn('handed', 'resolved', tx_id);
    for (const [runId, taskId] of [
      ['run-1', asking],
      ['after-first', asking],
      ['after-second', asking],
      ['handed', `${tx_id}.turn`],
    ]) {
      expect(await task(`${RUNS}?threadId=${id}&runId=${runId}`), runId).toMatchObject({ taskId });
    }
    // No task went on with it.
    expect((await world.get(`${RUNS}?threadId=${id}&runId=refused`)).status).toBe(404);
  });

  it('of a thread or of all of the caller’s own, the newest first, page by page', async () => {
    const [a, b] = [await world.open(), await world.open()];
    const tasks: string[] = [];
    for (const session of [a, b, a]) tasks.unshift(await world.talk(session, 'go', 'gone'));
    const ofBob = await world.talk(await world.open(BOB), 'go', 'gone', BOB);
    expect((await page('')).tasks).toEqual(tasks);
    expect((await page(`threadId=${a}`)).tasks).toEqual([tasks[0], tasks[2]]);
    expect((await page('', BOB)).tasks).toEqual([ofBob]);
    expect((await page('', KEY)).tasks).toEqual([ofBob, ...tasks]);
    const first = await page('limit=2');
    const rest = await page(`limit=2&cursor=${first.nextCursor}`);
    expect([...first.tasks, ...rest.tasks]).toEqual(tasks);
    expect(rest.nextCursor).toBeNull();
    expect((await world.get(`${RUNS}?cursor=${first.nextCursor}`, BOB)).status).toBe(422);
    expect((await world.get(`${RUNS}?threadId=${a}`, BOB)).status).toBe(404);
  });

  it('another one’s run is answered like one that never was', async () => {
    const taskId = await world.talk(await world.open(BOB), 'go', 'gone', BOB);
    const [foreign, unknown] = [await world.get(`${RUNS}/${taskId}`), await world.get(`${RUNS}/${v4()}`)];
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
  });
});
