import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HostProcess } from './host-process.ts';
import { StreamReader } from './stream-reader.ts';

const CUT_MS = 200;
const CLIENTS = 1000;

let host: HostProcess;
beforeAll(async () => {
  host = new HostProcess();
  await host.start();
});
afterAll(() => host.dispose());

function eventsOf(taskId: string): string {
  return `${host.url}/api/v1/agent/runs/${taskId}/events`;
}

async function wholeOf(taskId: string): Promise<string> {
  const reader = new StreamReader(eventsOf(taskId), host.key);
  await reader.read();
  expect(reader.isComplete).toBe(true);
  return reader.text;
}

async function until(condition: () => boolean, limit: number): Promise<void> {
  const end = performance.now() + limit;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`it did not happen within ${limit} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('a client whose connection is cut again and again', () => {
  it.each([
    ['/stream 5000', 48 * 1024],
    ['/slow 300 5', Number.POSITIVE_INFINITY],
  ])('receives every event of %s once, in order, with the bytes of a fresh read', async (command, most) => {
    const taskId = await host.accept(command);
    const reader = new StreamReader(eventsOf(taskId), host.key);
    while (!reader.isComplete) {
      const timer = setTimeout(() => reader.cut(), CUT_MS);
      await reader.read((received) => received > most);
      clearTimeout(timer);
    }
    const whole = await wholeOf(taskId);
    expect(reader.connections).toBeGreaterThan(3);
    expect(reader.text.length).toBe(whole.length);
    expect(reader.text === whole).toBe(true);
    const ids = [...whole.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(whole.match(/"type":"RUN_FINISHED"/g)).toHaveLength(1);
  });
});

describe('a thousand clients of one run', () => {
  it('that all come back within a second go on where they were within ten', async () => {
    const taskId = await host.accept('/slow 200 200');
    const readers = Array.from({ length: CLIENTS }, () => new StreamReader(eventsOf(taskId), host.key));
    const reading = readers.map((reader) => reader.read());
    await until(() => readers.every(({ fresh }) => fresh > 0), 10_000);
    for (const reader of readers) reader.cut();
    await Promise.all(reading);
    const began = performance.now();
    const again = readers.map((reader) => reader.read());
    const sent = performance.now() - began;
    await until(() => readers.every(({ fresh, isComplete }) => fresh > 0 || isComplete), 10_000);
    expect(sent).toBeLessThan(1_000);
    expect(performance.now() - began).toBeLessThan(10_000);
    await host.cancel(taskId);
    await Promise.all(again);
    const whole = await wholeOf(taskId);
    const wrong = readers.filter(({ text, status, isComplete }) => !(isComplete && status === 200 && text === whole));
    expect(wrong).toHaveLength(0);
  }, 30_000);
});

describe('a run that is over', () => {
  it('replays after a restart of the host, whole and after any id, and so does its session', async () => {
    const threadId = randomUUID();
    const taskId = await host.accept('/stream 200', { threadId });
    const before = await wholeOf(taskId);
    const session = `${host.url}/api/v1/sessions/${threadId}/events`;
    const told = new StreamReader(session, host.key);
    await told.read(() => told.text.includes('TURN_COMPLETED'));
    await host.signal('SIGKILL');
    await host.start();
    expect((await wholeOf(taskId)) === before).toBe(true);
    const half = before.slice(0, before.indexOf('\n\n', before.length / 2) + 2);
    const resumed = new StreamReader(eventsOf(taskId), host.key);
    resumed.text = half;
    await resumed.read();
    expect(resumed.text === before).toBe(true);
    const retold = new StreamReader(`${host.url}/api/v1/sessions/${threadId}/events`, host.key);
    await retold.read(() => retold.text.includes('TURN_COMPLETED'));
    expect(retold.text === told.text).toBe(true);
  });
});
