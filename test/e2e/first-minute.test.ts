import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess, runInput } from './host-process.ts';
import { textOf } from './sse-client.ts';

let host: HostProcess;

beforeAll(async () => {
  host = new HostProcess();
  await host.start();
});

afterAll(async () => host.dispose());

const types = (frames: { event: { type: string } }[]) => frames.map(({ event }) => event.type);

describe('a run over HTTP', () => {
  test('a POST is answered 202 with a TaskAcceptedResponse that names the run', async () => {
    const input = runInput('What is Rostra?');
    const reply = await host.request('POST', '/api/v1/agent/runs', { body: input });
    expect(reply.status).toBe(202);
    expect(Object.keys(reply.body).sort()).toEqual(['created', 'runId', 'taskId', 'threadId']);
    expect(reply.body).toMatchObject({ threadId: input.threadId, runId: input.runId });
    expect(new Date(String(reply.body.created)).toISOString()).toBe(reply.body.created);
    expect(reply.headers.get('location')).toContain(String(reply.body.taskId));
  });

  test('a question gets an answer in its language, not an echo', async () => {
    const english = textOf(await host.events(await host.accept('What is Rostra?')));
    expect(english).toMatch(/host/i);
    expect(english).not.toContain('What is Rostra?');
    const chinese = textOf(await host.events(await host.accept('Rostra 是什么?')));
    expect(chinese).toMatch(/[\u4e00-\u9fff]/);
  });

  test('/stream 50 delivers exactly 50 chunks in order between RUN_STARTED and RUN_FINISHED', async () => {
    const frames = await host.events(await host.accept('/stream 50'));
    const expected = Array.from({ length: 50 }, (_, i) => `chunk-${i + 1} `);
    const deltas = frames.filter(({ event }) => event.type === 'TEXT_MESSAGE_CONTENT').map(({ event }) => event.delta);
    expect(deltas).toEqual(expected);
    expect(types(frames)[0]).toBe('RUN_STARTED');
    expect(types(frames).at(-1)).toBe('RUN_FINISHED');
  });

  test('cut and resumed after every third frame, a stream has the same bytes as in one reading', async () => {
    const taskId = await host.accept('/slow 30 5');
    const pieces = [];
    let after: string | undefined;
    for (;;) {
      const frames = await host.events(taskId, { most: 3, ...(after !== undefined && { after }) });
      if (frames.length === 0) break;
      pieces.push(...frames);
      after = frames.at(-1)?.id;
    }
    const whole = await host.events(taskId);
    expect(pieces.map(({ raw }) => raw)).toEqual(whole.map(({ raw }) => raw));
    expect(textOf(whole).split(' ')).toHaveLength(31);
  });

  test('two followers of one task get the same bytes', async () => {
    const taskId = await host.accept('/slow 20 5');
    const [one, two] = await Promise.all([host.events(taskId), host.events(taskId)]);
    expect(one.map(({ raw }) => raw)).toEqual(two.map(({ raw }) => raw));
  });

  test('the same run again is the same task; with another body it is a conflict', async () => {
    const input = runInput('/stream 1');
    const first = await host.request('POST', '/api/v1/agent/runs', { body: input });
    const again = await host.request('POST', '/api/v1/agent/runs', { body: input });
    expect(again.status).toBe(202);
    expect(again.body.taskId).toBe(first.body.taskId);
    const other = { ...input, messages: [{ id: 'msg-001', role: 'user', content: '/stream 2' }] };
    const conflict = await host.request('POST', '/api/v1/agent/runs', { body: other });
    expect(conflict.status).toBe(409);
    expect(conflict.body).toMatchObject({ code: 'invalid_argument', details: { reason: 'CONFLICT' } });
  });

  test('inputs of one thread are answered one after another, in order', async () => {
    const threadId = runInput('').threadId;
    const tasks = [];
    for (const n of [3, 4, 5]) tasks.push(await host.accept(`/slow ${n} 5`, { threadId }));
    const streams = await Promise.all(tasks.map((task) => host.events(task)));
    expect(streams.map((frames) => textOf(frames).trim().split(' ').length)).toEqual([3, 4, 5]);
    const [, second] = streams;
    const end = Number(streams[0]?.at(-1)?.id.split('.')[0]);
    expect(Number(second?.[0]?.id.split('.')[0])).toBeGreaterThan(end);
  });

  test('forwardedProps.agentId chooses the agent, and an unknown one is 404 with the agents there are', async () => {
    const taskId = await host.accept('who are you?', { agentId: 'scout' });
    expect(await host.task(taskId)).toMatchObject({ agentId: 'scout' });
    const reply = await host.run('hi', { agentId: 'nobody' });
    expect(reply.status).toBe(404);
    expect(reply.body.details).toMatchObject({ agents: expect.arrayContaining(['guide', 'scout']) });
  });
});

describe('when things go wrong', () => {
  test('/fail ends the turn with its code, and the next message works', async () => {
    const threadId = runInput('').threadId;
    const frames = await host.events(await host.accept('/fail', { threadId }));
    expect(frames.at(-1)?.event).toMatchObject({ type: 'RUN_ERROR', code: 'demo.failed' });
    expect(textOf(await host.events(await host.accept('/stream 1', { threadId })))).toBe('chunk-1 ');
  });

  test('/crash keeps the three chunks, ends the turn visibly, and the next message works', async () => {
    const threadId = runInput('').threadId;
    const taskId = await host.accept('/crash', { threadId });
    const frames = await host.events(taskId);
    expect(textOf(frames)).toBe('chunk-1 chunk-2 chunk-3 ');
    expect(frames.at(-1)?.event).toMatchObject({ type: 'RUN_ERROR', code: 'runner.exited' });
    expect(await host.task(taskId)).toMatchObject({ status: 'failed', error: { code: 'runner.exited' } });
    expect(textOf(await host.events(await host.accept('/stream 2', { threadId })))).toBe('chunk-1 chunk-2 ');
  });

  test('/hang obeys a cancel; a second cancel finds the task ended', async () => {
    const taskId = await host.accept('/hang');
    const cancelled = await host.cancel(taskId);
    expect(cancelled.status).toBe(200);
    expect(cancelled.body).toMatchObject({ status: 'cancelled' });
    const frames = await host.events(taskId);
    expect(frames.at(-1)?.event).toMatchObject({ type: 'RUN_ERROR', code: 'cancelled' });
    expect((await host.cancel(taskId, '')).status).toBe(200);
  });

  test('/hang hard ignores a cancel and is cut off at T_cancel, and the thread goes on', async () => {
    const threadId = runInput('').threadId;
    const taskId = await host.accept('/hang hard', { threadId });
    const started = Date.now();
    const cancelled = await host.cancel(taskId);
    expect(cancelled.body).toMatchObject({ status: 'cancelled' });
    expect(Date.now() - started).toBeGreaterThan(4000);
    expect(textOf(await host.events(await host.accept('/stream 1', { threadId })))).toBe('chunk-1 ');
  });

  test('a cancel in the middle of a stream ends it there', async () => {
    const taskId = await host.accept('/slow 1000 10');
    await host.events(taskId, { most: 6 });
    const { body } = await host.cancel(taskId);
    expect(body).toMatchObject({ status: 'cancelled' });
    const frames = await host.events(taskId);
    expect(types(frames).slice(-2)).toEqual(['TEXT_MESSAGE_END', 'RUN_ERROR']);
  });
});
