/** The client package against a host in a process of its own. */

import { randomUUID } from 'node:crypto';
import { RostraClient, RostraError } from '@rostra/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CuttingProxy } from './cutting-proxy.ts';
import { HostProcess } from './host-process.ts';

let host: HostProcess;
let client: RostraClient;
const proxies: CuttingProxy[] = [];
const unhandled: unknown[] = [];
const noteRejection = (reason: unknown) => unhandled.push(reason);

beforeAll(async () => {
  process.on('unhandledRejection', noteRejection);
  host = new HostProcess();
  await host.start();
  client = new RostraClient({ baseUrl: host.url, key: host.key });
});

afterEach(async () => {
  await Promise.all(proxies.splice(0).map((proxy) => proxy.stop()));
});

afterAll(async () => {
  process.off('unhandledRejection', noteRejection);
  await host.dispose();
  expect(unhandled).toEqual([]);
});

async function throughProxy(): Promise<{ proxy: CuttingProxy; cut: RostraClient }> {
  const proxy = new CuttingProxy(host.url);
  proxies.push(proxy);
  return { proxy, cut: new RostraClient({ baseUrl: await proxy.start(), key: host.key }) };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('a run', () => {
  test('gives its events from RUN_STARTED to RUN_FINISHED, and its text is what was said', async () => {
    const run = await client.runs.start({ text: '/stream 3' });
    const events = await all(run);
    expect(events.map(({ type }) => type)).toEqual([
      'RUN_STARTED',
      'CUSTOM',
      'TEXT_MESSAGE_START',
      ...Array.from({ length: 3 }, () => 'TEXT_MESSAGE_CONTENT'),
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ]);
    expect(await run.status()).toMatchObject({ taskId: run.taskId, status: 'completed' });
  });

  test('that is sent again by its own name is the same task', async () => {
    const order = { threadId: randomUUID(), runId: 'order-1', text: 'hello' };
    const first = await client.runs.start(order);
    expect((await client.runs.start(order)).taskId).toBe(first.taskId);
    await all(first);
    expect((await client.runs.start(order)).taskId).toBe(first.taskId);
  });

  test('whose connection is cut again and again has every event once, byte for byte as in a fresh read', async () => {
    const { proxy, cut } = await throughProxy();
    const run = await cut.runs.start({ text: '/slow 120 10' });
    const frames: { id: string; data: string }[] = [];
    for await (const frame of run.frames()) {
      frames.push(frame);
      if (frames.length % 10 === 0) proxy.cut();
    }
    const fresh = await host.events(run.taskId);
    expect(frames.map(({ id, data }) => `id: ${id}\ndata: ${data}`)).toEqual(fresh.map(({ raw }) => raw));
    expect(frames.length).toBeGreaterThan(120);
    // How many frames come at once is the network's to decide, and with it how often there was something to cut.
    expect(proxy.connections).toBeGreaterThanOrEqual(3);
  });

  test('goes on over the death of its host and the start of the next', async () => {
    const own = new HostProcess();
    await own.start();
    try {
      const lasting = new RostraClient({ baseUrl: own.url, key: own.key });
      const run = await lasting.runs.start({ text: '/slow 60 15' });
      const frames: { id: string; data: string }[] = [];
      let restarted = Promise.resolve();
      for await (const frame of run.frames()) {
        if (frames.push(frame) !== 20) continue;
        await own.signal('SIGKILL');
        restarted = own.start({ ROSTRA_PORT: new URL(own.url).port });
      }
      await restarted;
      const fresh = await own.events(run.taskId);
      expect(frames.map(({ id, data }) => `id: ${id}\ndata: ${data}`)).toEqual(fresh.map(({ raw }) => raw));
      expect(new Set(frames.map(({ id }) => id.split('.')[2])).size).toBe(2);
      const rest = await all(lasting.runs.follow(run.taskId, { after: frames[2]?.id }).frames());
      expect(rest).toEqual(frames.slice(3));
    } finally {
      await own.dispose();
    }
  });

  test('that ended gives nothing more to who has it all', async () => {
    const run = await client.runs.start({ text: '/stream 1' });
    await all(run);
    expect(await all(client.runs.follow(run.taskId, { after: run.lastEventId }))).toEqual([]);
  });

  test('is stopped by cancel, which its events tell', async () => {
    const run = await client.runs.start({ text: '/hang' });
    const last = all(run);
    expect(await run.cancel({ wait: true })).toMatchObject({ status: 'cancelled' });
    expect((await last).at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'cancelled' });
  });

  test('ends with a word when its session is deleted under it', async () => {
    const threadId = randomUUID();
    const run = await client.runs.start({ threadId, text: '/slow 400 25' });
    const types: string[] = [];
    for await (const { type } of run) {
      if (type === 'TEXT_MESSAGE_CONTENT' && !types.includes(type)) await client.sessions.delete(threadId);
      types.push(type);
    }
    expect(types.at(-1)).toBe('RUN_ERROR');
  });

  test('that asks goes on in the same iteration when it is answered', async () => {
    const run = await client.runs.start({ text: '/ask' });
    const types: string[] = [];
    for await (const event of run) {
      types.push(event.type);
      if (event.type !== 'RUN_FINISHED' || event.outcome?.type !== 'interrupt') continue;
      for (const { id } of event.outcome.interrupts) {
        const { actions } = await client.interactions.get(id);
        await client.interactions.answer(id, actions[0]?.id ?? '');
      }
    }
    expect(types.filter((type) => type === 'RUN_STARTED')).toHaveLength(2);
    expect(types.at(-1)).toBe('RUN_FINISHED');
    expect(await run.status()).toMatchObject({ status: 'completed' });
  });

  test('is found by the name that its client gave it, and sent twice it is one', async () => {
    const messages = [{ id: 'm', role: 'user' as const, content: '/stream 1' }];
    const request = { threadId: randomUUID(), runId: 'mine', messages };
    const first = await client.runs.submit(request);
    expect((await client.runs.submit(request)).taskId).toBe(first.taskId);
    expect(await client.runs.find(request.threadId, 'mine')).toMatchObject({ taskId: first.taskId });
    expect(await client.runs.find(request.threadId, 'nobody’s')).toBeNull();
  });
});

describe('a session', () => {
  test('followed over cuts gives the messages of all its runs, once each', async () => {
    const { proxy, cut } = await throughProxy();
    const { id } = await client.sessions.create({});
    const leaving = new AbortController();
    const seen: { id: string; data: string }[] = [];
    const following = (async () => {
      for await (const frame of cut.sessions.follow(id, { signal: leaving.signal }).frames()) {
        seen.push(frame);
        if (seen.length % 7 === 0) proxy.cut();
      }
    })();
    for (const text of ['/slow 20 2', '/stream 3']) await all(await client.runs.start({ threadId: id, text }));
    const { lastSeq } = await client.sessions.get(id);
    const fresh: { id: string; data: string }[] = [];
    for await (const frame of client.sessions.follow(id).frames()) {
      fresh.push(frame);
      if (Number(frame.id.split('.')[0]) >= lastSeq - 1) break;
    }
    await expect.poll(() => seen.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(fresh.length);
    leaving.abort();
    await following;
    expect(seen.slice(0, fresh.length)).toEqual(fresh);
  });

  test('is listed, renamed, read and deleted', async () => {
    const { id } = await client.sessions.create({ title: 'Plans' });
    await all(await client.runs.start({ threadId: id, text: '/stream 2' }));
    expect((await client.sessions.rename(id, 'Other plans')).title).toBe('Other plans');
    expect((await all(client.sessions.each())).map((session) => session.id)).toContain(id);
    expect((await all(client.sessions.messages(id))).map(({ role }) => role)).toEqual(['assistant', 'user']);
    expect((await client.history.day({ threadId: id })).messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
    ]);
    await client.sessions.delete(id);
    await expect(client.sessions.get(id)).rejects.toMatchObject({ name: 'RostraError', status: 404 });
  });
});

test('a refusal is an error with status, code, sentence and hint', async () => {
  const stranger = new RostraClient({ baseUrl: host.url, key: 'a-key-that-nobody-has' });
  const refusal: RostraError = await stranger.sessions.list().catch((error) => error);
  expect(refusal).toBeInstanceOf(RostraError);
  expect(refusal).toMatchObject({
    status: 401,
    code: 'unauthorized',
    message: 'this key is not valid',
    retryable: false,
  });
  await expect(all(stranger.runs.follow('nobody'))).rejects.toMatchObject({ status: 401 });
  await expect(all(client.runs.follow('nobody'))).rejects.toMatchObject({ status: 404 });
  await expect(client.runs.submit({ threadId: 'no uuid', text: 'x' })).rejects.toMatchObject({
    status: 422,
    message: 'threadId must be a valid UUID',
  });
});
