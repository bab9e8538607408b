import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { orphansOf } from '../crash/orphans.ts';
import { metric } from './faulty-host.ts';
import { HostProcess, ownGuide, runInput } from './host-process.ts';
import { type Frame, textOf } from './sse-client.ts';
import { suspend } from './suspension.ts';

const RUNS = '/api/v1/agent/runs';

let host: HostProcess;
beforeEach(() => {
  host = new HostProcess({ NODE_ENV: 'test' }, ownGuide);
});
afterEach(async () => host.dispose());

const raws = (frames: readonly Frame[]) => frames.map(({ raw }) => raw);
const otherText = (input: ReturnType<typeof runInput>) => ({
  ...input,
  messages: [{ id: 'msg-001', role: 'user', content: '/stream 9' }],
});

describe('kill -9 around a commit', () => {
  test.each(['commit.begin', 'commit.written'])(
    '%s: nothing of the input is there, and it was not promised',
    async (point) => {
      await host.start({ ROSTRA_FAILPOINTS: `${point}:kill` });
      const input = runInput('/stream 3');
      await expect(host.request('POST', RUNS, { body: input })).rejects.toThrow();
      await host.gone;
      await host.start();
      // The same runId with another body would be refused if the first one had left a trace.
      const reply = await host.request('POST', RUNS, { body: otherText(input) });
      expect(reply.status).toBe(202);
      expect(textOf(await host.events(String(reply.body.taskId)))).toContain('chunk-9');
    },
  );

  test.each(['commit.done', 'publish.begin'])('%s: the input is there once, and is answered', async (point) => {
    await host.start({ ROSTRA_FAILPOINTS: `${point}:kill` });
    const input = runInput('/stream 3');
    await expect(host.request('POST', RUNS, { body: input })).rejects.toThrow();
    await host.gone;
    await host.start();
    expect((await host.request('POST', RUNS, { body: otherText(input) })).status).toBe(409);
    const replies = [1, 2].map(() => host.request('POST', RUNS, { body: input }));
    const [one, two] = await Promise.all(replies);
    expect(one?.status).toBe(202);
    expect(two?.body.taskId).toBe(one?.body.taskId);
    const frames = await host.events(String(one?.body.taskId));
    expect(textOf(frames)).toBe('chunk-1 chunk-2 chunk-3 ');
    expect(new Set(frames.map(({ id }) => id)).size).toBe(frames.length);
  });

  test.each(['publish.sent', 'publish.done', 'run.sent', 'run.accepted', 'outbox.remove', 'run.results'])(
    '%s: whoever hears a message twice acts once',
    async (point) => {
      await host.start();
      const { threadId } = runInput('');
      await host.events(await host.accept('/stream 1', { threadId }));
      await host.signal('SIGKILL');
      await host.start({ ROSTRA_FAILPOINTS: `${point}:kill` });
      const input = runInput('/stream 3', { threadId });
      const first = await host.request('POST', RUNS, { body: input }).catch(() => null);
      await host.gone;
      await host.start();
      const again = await host.request('POST', RUNS, { body: input });
      expect(again.status).toBe(202);
      if (first !== null) expect(again.body.taskId).toBe(first.body.taskId);
      const frames = await host.events(String(again.body.taskId));
      expect(['RUN_FINISHED', 'RUN_ERROR']).toContain(frames.at(-1)?.event.type);
      const texts = frames.filter(({ event }) => event.type === 'TEXT_MESSAGE_CONTENT').map(({ event }) => event.delta);
      expect(texts).toEqual(['chunk-1 ', 'chunk-2 ', 'chunk-3 '].slice(0, texts.length));
      expect(raws(await host.events(String(again.body.taskId)))).toEqual(raws(frames));
    },
  );

  test.each(['claim.raised', 'session.recovered'])(
    '%s: the next host takes the session over all the same',
    async (point) => {
      await host.start();
      const taskId = await host.accept('/slow 60 20');
      const seen = await host.events(taskId, { most: 8 });
      await host.signal('SIGKILL');
      await host.start({ ROSTRA_FAILPOINTS: `${point}:kill` }).catch(() => undefined);
      await host.gone;
      await host.start();
      const frames = await host.events(taskId);
      expect(raws(frames).slice(0, 8)).toEqual(raws(seen));
      // It goes on where the runner can, and ends visibly where it cannot.
      const last = frames.at(-1)?.event;
      if (last?.type === 'RUN_FINISHED') expect(textOf(frames).trim().split(' ')).toHaveLength(60);
      else expect(last).toMatchObject({ type: 'RUN_ERROR', code: 'host.restarted' });
    },
  );

  test.each(['checkpoint.begin', 'checkpoint.done'])('%s: the database opens clean', async (point) => {
    // A moment without a commit is enough: on a busy machine it may come before the run does, more than once.
    const accepted = async (tries: number): Promise<string> => {
      await host.start({ ROSTRA_FAILPOINTS: `${point}:kill` });
      try {
        return await host.accept('/stream 20');
      } catch (error) {
        await host.gone;
        if (tries === 1) throw error;
        return accepted(tries - 1);
      }
    };
    const taskId = await accepted(10);
    const seen = await host.events(taskId).catch(() => []);
    await host.gone;
    await host.start();
    expect(raws(await host.events(taskId)).slice(0, seen.length)).toEqual(raws(seen));
    expect(textOf(await host.events(await host.accept('/stream 2')))).toBe('chunk-1 chunk-2 ');
  });

  test('migration.written: the migration begins again', async () => {
    await expect(host.start({ ROSTRA_FAILPOINTS: 'migration.written:kill' })).rejects.toThrow();
    await host.start();
    expect(textOf(await host.events(await host.accept('/stream 2')))).toBe('chunk-1 chunk-2 ');
  });

  test('leaves no process behind', async () => {
    await host.start();
    await host.events(await host.accept('/slow 500 20'), { most: 4 });
    await host.signal('SIGKILL');
    await host.start();
    await expect.poll(() => orphansOf(host.data, host.pid), { timeout: 8000 }).toEqual([]);
    await host.signal('SIGTERM');
    await expect.poll(() => orphansOf(host.data, null), { timeout: 8000 }).toEqual([]);
  });
});

describe('a host that stands still', () => {
  test('for half a second says so, and loses nothing', async () => {
    await host.start({ ROSTRA_FAILPOINTS: 'run.results:delay=600:1' });
    expect(textOf(await host.events(await host.accept('/stream 5')))).toContain('chunk-5');
    await expect.poll(() => host.output, { timeout: 3000 }).toContain('loop.blocked');
  });

  test('because it was stopped goes on where it was', async () => {
    await host.start();
    const taskId = await host.accept('/slow 40 25');
    const whole = host.events(taskId);
    await host.events(taskId, { most: 4 });
    await suspend(host.pid, 1000);
    const frames = await whole;
    expect(frames.at(-1)?.event.type).toBe('RUN_FINISHED');
    expect(frames.filter(({ event }) => event.type === 'TEXT_MESSAGE_CONTENT')).toHaveLength(40);
  });
});

describe('a slow disk', () => {
  test.each([50, 500])('of %i ms for each commit delays everything and changes nothing', async (ms) => {
    await host.start({ ROSTRA_FAILPOINTS: `commit.begin:delay=${ms}` });
    const tasks = await Promise.all(['/stream 30', '/slow 10 5', '/tool'].map((text) => host.accept(text)));
    const streams = await Promise.all(tasks.map((task) => host.events(task)));
    for (const frames of streams) expect(frames.at(-1)?.event.type).toBe('RUN_FINISHED');
    const numbers = (streams[0] ?? []).map(({ id }) => Number(id.split('.')[0]));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(textOf(streams[0] ?? [])).toBe(Array.from({ length: 30 }, (_, n) => `chunk-${n + 1} `).join(''));
  });
});

describe('a message that makes a step throw', () => {
  test('is left out and told, and the session goes on', async () => {
    await host.start({ ROSTRA_FAILPOINTS: 'session.step:throw:1' });
    const { threadId } = runInput('');
    const refused = await host.run('/stream 1', { threadId });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    await expect.poll(() => host.output, { timeout: 3000 }).toContain('session.poisoned');
    expect(textOf(await host.events(await host.accept('/stream 2')))).toBe('chunk-1 chunk-2 ');
  });

  test('three times makes its session read-only, with its turns ended; others do not notice', async () => {
    const points = [12, 13, 14].map((pass) => `session.step:throw:${pass}`).join(',');
    await host.start({ ROSTRA_FAILPOINTS: points });
    const { threadId } = runInput('');
    const hanging = await host.accept('/hang', { threadId });
    let refusal = '';
    for (let n = 0; n < 15 && !refusal.includes('read-only'); n += 1) {
      const { status, body } = await host.run('/stream 1', { threadId });
      if (status !== 202) refusal = String(body.message);
    }
    expect(refusal).toContain('read-only');
    const frames = await host.events(hanging);
    expect(frames.at(-1)?.event.type).toBe('RUN_ERROR');
    expect(await host.task(hanging)).toMatchObject({ status: 'failed' });
    expect(textOf(await host.events(await host.accept('/stream 2')))).toBe('chunk-1 chunk-2 ');
  });
});

describe('SIGTERM under load', () => {
  test('takes no new runs, lets the live ones end, loses nothing and ends with 0', async () => {
    await host.start();
    const tasks = await Promise.all(Array.from({ length: 20 }, (_, n) => host.accept(`/slow ${20 + n} 20`)));
    const streams = Promise.all(tasks.map((task) => host.events(task)));
    await Promise.all(tasks.map((task) => host.events(task, { most: 3 })));
    const began = Date.now();
    const gone = host.signal('SIGTERM');
    await expect.poll(() => host.run('/stream 1').then(({ status }) => status), { interval: 5 }).toBe(503);
    for (const frames of await streams) expect(frames.at(-1)?.event.type).toBe('RUN_FINISHED');
    expect(await gone).toBe(0);
    expect(Date.now() - began).toBeLessThan(25_000);
    await host.start();
    for (const [n, task] of tasks.entries())
      expect(
        textOf(await host.events(task))
          .trim()
          .split(' '),
      ).toHaveLength(20 + n);
  });
});

describe('many sessions', () => {
  test('that rest leave memory, and answer when they are asked again', async () => {
    await host.dispose();
    host = new HostProcess({ NODE_ENV: 'test' }, { ...ownGuide, session: { idle: 300 } });
    await host.start();
    const threads = Array.from({ length: 200 }, () => runInput('').threadId);
    for (let at = 0; at < threads.length; at += 20) {
      const some = threads.slice(at, at + 20);
      await Promise.all(some.map(async (threadId) => host.events(await host.accept('/stream 1', { threadId }))));
    }
    await expect.poll(() => metric(host, 'rostra_sessions_in_memory'), { timeout: 10_000 }).toBe(0);
    const [threadId] = threads;
    expect(textOf(await host.events(await host.accept('/stream 2', { threadId: threadId ?? '' })))).toBe(
      'chunk-1 chunk-2 ',
    );
    expect(await metric(host, 'rostra_sessions_in_memory')).toBe(1);
  });

  test('are not held up by one that says a lot', async () => {
    await host.start();
    const timed = async () => {
      const began = performance.now();
      await host.events(await host.accept('/stream 1'));
      return performance.now() - began;
    };
    for (let n = 0; n < 5; n += 1) await timed();
    const hot = host.accept('/stream 20000').then((task) => host.events(task));
    const during: number[] = [];
    while (during.length < 10) during.push(await timed());
    // One burst, and nobody waits for it as a whole: it takes a second or more.
    expect(Math.max(...during)).toBeLessThan(1000);
    expect((await hot).at(-1)?.event.type).toBe('RUN_FINISHED');
  });
});
