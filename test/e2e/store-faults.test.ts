import { execFileSync } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { connect as dial, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connect } from '../../packages/host/src/store/sqlite/driver.ts';
import { metric } from './faulty-host.ts';
import { HostProcess, ownGuide, runInput } from './host-process.ts';
import { textOf } from './sse-client.ts';

let host: HostProcess;
beforeEach(() => {
  host = new HostProcess({ NODE_ENV: 'test' }, ownGuide);
});
afterEach(async () => host.dispose());

/** Another program that has the write lock of the host's database for a while. */
async function holdDatabase(ms: number): Promise<void> {
  const db = await connect(join(host.data, 'rostra.db'), { readOnly: false });
  db.exec('BEGIN IMMEDIATE');
  setTimeout(() => {
    db.exec('ROLLBACK');
    db.close();
  }, ms);
}

describe('a database that another program locks', () => {
  test('for a second delays a run by that', async () => {
    await host.start();
    await holdDatabase(1000);
    expect(textOf(await host.events(await host.accept('/stream 2')))).toBe('chunk-1 chunk-2 ');
  });

  test('for longer than it waits refuses the run as one to try again, and leaves nothing of it', async () => {
    await host.start();
    const input = runInput('/stream 2');
    await holdDatabase(7000);
    const refused = await host.request('POST', '/api/v1/agent/runs', { body: input });
    expect(refused).toMatchObject({ status: 503, body: { retryable: true } });
    const retried = () => host.request('POST', '/api/v1/agent/runs', { body: input });
    await expect.poll(async () => (await retried()).status, { timeout: 10_000, interval: 200 }).toBe(202);
    const { taskId } = (await retried()).body;
    expect(textOf(await host.events(String(taskId)))).toBe('chunk-1 chunk-2 ');
  });
});

describe('a database file that is taken away', () => {
  test('stops every write with a sentence, and no new one is made in its place', async () => {
    await host.start();
    const done = await host.accept('/stream 2');
    await host.events(done);
    const file = join(host.data, 'rostra.db');
    renameSync(file, `${file}.away`);
    const refused = await host.run('/stream 1');
    expect(refused.status).toBeGreaterThanOrEqual(500);
    expect(existsSync(file)).toBe(false);
    await host.signal('SIGKILL');
    await expect(host.start()).rejects.toThrow(/deleted or replaced|restore/);
    expect(existsSync(file)).toBe(false);
    renameSync(`${file}.away`, file);
    await host.start();
    expect(textOf(await host.events(done))).toBe('chunk-1 chunk-2 ');
  });
});

describe('a thread that writes the database', () => {
  test('that ends makes the host not ready, and the log says why', async () => {
    await host.start({ ROSTRA_FAILPOINTS: 'checkpoint.begin:throw' });
    await host.events(await host.accept('/stream 1'));
    const missing = ['a sound database (the thread that writes it has ended)'];
    await expect
      .poll(() => host.request('GET', '/readyz'), { timeout: 8000 })
      .toMatchObject({ status: 503, body: { missing } });
    await expect.poll(() => host.output).toMatch(/failpoint checkpoint\.begin.*store\.failed/);
  });
});

const hasPrlimit = existsSync('/usr/bin/prlimit');

describe('a host without file descriptors', () => {
  test.runIf(hasPrlimit)('survives more connections than it may have, and serves when they are gone', async () => {
    await host.start();
    await host.events(await host.accept('/stream 1'));
    const port = Number(new URL(host.url).port);
    execFileSync('/usr/bin/prlimit', ['--pid', String(host.pid), '--nofile=70:70']);
    const sockets: Socket[] = [];
    for (let n = 0; n < 120; n += 1) sockets.push(dial(port, '127.0.0.1').on('error', () => undefined));
    await expect.poll(() => sockets.some(({ destroyed }) => destroyed), { timeout: 8000 }).toBe(true);
    expect(host.isUp).toBe(true);
    for (const socket of sockets) socket.destroy();
    await expect
      .poll(
        () =>
          host.run('/stream 2').then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 8000 },
      )
      .toBe(202);
    expect(host.isUp).toBe(true);
  });
});

describe('a runner that dies at every start', () => {
  test('rests after five times, with a sentence on how to end that, while others answer', async () => {
    await host.dispose();
    const looping = { name: 'looping', command: [process.execPath, '-e', 'process.exit(3)'] };
    host = new HostProcess(
      { NODE_ENV: 'test' },
      { runners: [looping], agents: { loop: { runner: 'test/looping/default' } } },
    );
    await host.start();
    for (let n = 0; n < 7; n += 1) {
      const began = Date.now();
      const frames = await host.events(await host.accept('hello', { agentId: 'loop' }));
      expect(frames.at(-1)?.event.type).toBe('RUN_ERROR');
      expect(Date.now() - began).toBeLessThan(5000);
    }
    expect(await metric(host, 'rostra_runner_processes{state="quarantined"}')).toBe(1);
    const frames = await host.events(await host.accept('hello', { agentId: 'loop' }));
    expect(String(frames.at(-1)?.event.message)).toMatch(/quarantined.*rostra reload/);
    expect(textOf(await host.events(await host.accept('/stream 2', { agentId: 'guide' })))).toBe('chunk-1 chunk-2 ');
  });
});
