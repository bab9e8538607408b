import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { faultyHost } from './faulty-host.ts';
import { HostProcess, runInput } from './host-process.ts';
import { textOf } from './sse-client.ts';

let host: HostProcess;

beforeEach(async () => {
  host = new HostProcess();
  await host.start();
});

afterEach(async () => host.dispose());

describe('kill -9 and start again', () => {
  test('nothing that was seen is lost, and a turn that can go on does, in the same message', async () => {
    const threadId = runInput('').threadId;
    const taskId = await host.accept('/slow 60 20', { threadId });
    const seen = await host.events(taskId, { most: 30 });
    await host.signal('SIGKILL');
    await host.start();
    const frames = await host.events(taskId);
    expect(frames.slice(0, 30).map(({ raw }) => raw)).toEqual(seen.map(({ raw }) => raw));
    expect(textOf(frames)).toBe(Array.from({ length: 60 }, (_, index) => `chunk-${index + 1} `).join(''));
    expect(frames.filter(({ event }) => event.type === 'TEXT_MESSAGE_START')).toHaveLength(1);
    expect(await host.task(taskId)).toMatchObject({ status: 'completed' });
    const last = seen.at(-1)?.id ?? '';
    const resumed = await host.events(taskId, { after: last });
    expect(resumed.map(({ raw }) => raw)).toEqual(frames.slice(30).map(({ raw }) => raw));
    expect(textOf(await host.events(await host.accept('/stream 3', { threadId })))).toBe('chunk-1 chunk-2 chunk-3 ');
  });

  test('a turn that cannot go on ends FAILED host.restarted, with its text kept', async () => {
    const other = faultyHost();
    try {
      await other.start();
      const taskId = await other.accept('tick');
      const seen = await other.events(taskId, { most: 10 });
      await other.signal('SIGKILL');
      await other.start();
      const frames = await other.events(taskId);
      expect(frames.slice(0, 10).map(({ raw }) => raw)).toEqual(seen.map(({ raw }) => raw));
      expect(frames.at(-1)?.event).toMatchObject({ type: 'RUN_ERROR', code: 'host.restarted' });
      const error = { code: 'host.restarted', retryable: true };
      expect(await other.task(taskId)).toMatchObject({ status: 'failed', error });
      expect(textOf(await other.events(await other.accept('ok')))).toBe('fine');
    } finally {
      await other.dispose();
    }
  });

  test('a queued turn is answered after the restart', async () => {
    const threadId = runInput('').threadId;
    await host.accept('/slow 60 20', { threadId });
    const queued = await host.accept('/stream 2', { threadId });
    expect(await host.task(queued)).toMatchObject({ status: 'queued' });
    await host.signal('SIGKILL');
    await host.start();
    expect(textOf(await host.events(queued))).toBe('chunk-1 chunk-2 ');
  });

  test('a run submitted again after the kill is the same task', async () => {
    const input = runInput('/slow 500 20');
    const first = await host.request('POST', '/api/v1/agent/runs', { body: input });
    await host.signal('SIGKILL');
    await host.start();
    const again = await host.request('POST', '/api/v1/agent/runs', { body: input });
    expect(again.body.taskId).toBe(first.body.taskId);
  });
});

describe('stopping', () => {
  test('SIGINT drains: the running turn is finished, the process ends with 0', async () => {
    const taskId = await host.accept('/slow 40 20');
    const whole = host.events(taskId);
    await host.events(taskId, { most: 4 });
    expect(await host.signal('SIGINT')).toBe(0);
    expect((await whole).at(-1)?.event.type).toBe('RUN_FINISHED');
    expect(host.output).toMatch(/wait/i);
  });

  test('a second host on the same data is refused with a sentence that names the first', async () => {
    const second = new HostProcess({ ROSTRA_DATA: host.data });
    await expect(second.start()).rejects.toThrow(new RegExp(String(host.pid)));
    await second.dispose();
  });
});
