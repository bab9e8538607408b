import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, test } from 'vitest';
import { actorPackage, ask, isAlive, keyOf, PoolWorld, privateFolder } from './pool-world.ts';

describe('dying', () => {
  test('a shared process that dies is started again at once', async () => {
    const w = new PoolWorld([actorPackage('actor')]);
    const { connection } = await w.pool.open(keyOf('actor'));
    process.kill(connection.pid!, 'SIGKILL');
    expect(await connection.lost).toBe('The runner was ended by SIGKILL.');
    await expect.poll(() => w.pool.ready(keyOf('actor'))).not.toBeNull();
    expect(w.state('actor')).toMatchObject({ state: 'ready', restarts: 1, reason: null });
  });

  test('five deaths within a minute are a quarantine, and the sentence says how to end it', async () => {
    const w = new PoolWorld([actorPackage('actor'), actorPackage('other')]);
    for (let crash = 1; crash <= limits.runner_crashes; crash++) {
      const { connection } = await w.pool.open(keyOf('actor'));
      process.kill(connection.pid!, 'SIGKILL');
      await connection.lost;
    }
    const failure = w.pool.open(keyOf('actor'));
    await expect(failure).rejects.toMatchObject({ code: 'runner.quarantined', retryable: true });
    await expect(failure).rejects.toThrow(
      'The runner package actor is quarantined. It died 5 times within 60 s, or again soon after. The runner was ended by SIGKILL. Fix it and run "rostra reload", or wait 60 s.',
    );
    expect(w.state('actor')).toMatchObject({ state: 'quarantined', pids: [] });
    expect((await w.pool.open(keyOf('other'))).manifest.id).toBe('other');
    w.pool.reload();
    await w.pool.discovered();
    expect(w.state('actor')?.state).toBe('ready');
    expect((await w.pool.open(keyOf('actor'))).manifest.id).toBe('actor');
  });

  test('a package that dies at every start rests twice as long each time, up to ten minutes', async () => {
    const dies = { command: process.execPath, args: ['-e', 'process.exit(3)'] };
    const w = new PoolWorld([actorPackage('dies', [], { command: dies })]);
    await w.pool.discovered();
    for (let start = 1; start < limits.runner_crashes; start++) {
      await expect(w.pool.open(keyOf('any'))).rejects.toThrow('exit code 3');
    }
    await expect(w.pool.open(keyOf('any'))).rejects.toThrow('or wait 60 s.');
    for (const seconds of [120, 240, 480, 600, 600]) {
      // The sweep after the end of the quarantine tries once, and once is enough.
      while (w.state('dies')?.state === 'quarantined') w.clock.advance(limits.runner_ping);
      await w.pool.open(keyOf('any')).catch(() => undefined);
      expect(w.state('dies')).toMatchObject({ state: 'quarantined' });
      await expect(w.pool.open(keyOf('any'))).rejects.toThrow(`or wait ${seconds} s.`);
    }
    expect(w.pool.end_quarantine('nobody')).toBe(false);
    expect(w.pool.end_quarantine('dies')).toBe(true);
    await w.pool.discovered();
    expect(w.state('dies')?.state).toBe('stopped');
  });

  test('a process that does not answer the regular ping is killed and counted', async () => {
    const w = new PoolWorld([actorPackage('actor')]);
    const { connection } = await w.pool.open(keyOf('actor'));
    await ask(connection, 'deaf');
    w.clock.advance(limits.runner_ping);
    w.clock.advance(limits.runner_pong);
    expect(await connection.lost).toBe('The runner was stopped: It did not answer a ping within 30 s.');
    expect(w.state('actor')?.restarts).toBe(1);
  });

  test('a line without an end kills the process that sends it', async () => {
    const w = new PoolWorld([actorPackage('actor')]);
    const { connection } = await w.pool.open(keyOf('actor'));
    ask(connection, 'print', { text: 'x'.repeat(1024), times: 5 * 1024 }).catch(() => undefined);
    expect(await connection.lost).toMatch(/^The runner was stopped: The other side sent a line of more than/);
  });

  test('a silent package is given up after the time of a start', async () => {
    const mute = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] };
    const w = new PoolWorld([actorPackage('mute', [], { command: mute })]);
    const failure = expect(w.pool.open(keyOf('any'))).rejects.toMatchObject({ code: 'runner.start_timeout' });
    // The first try is that of the start, the second that of the miss.
    await expect.poll(() => w.state('mute')?.pids.length).toBe(1);
    w.clock.advance(limits.runner_start);
    await expect.poll(() => w.state('mute')?.restarts).toBe(1);
    await expect.poll(() => w.state('mute')?.pids.length).toBe(1);
    w.clock.advance(limits.runner_start);
    await failure;
  });
});

describe('ending', () => {
  test('a stopped host asks first, and takes no more runs', async () => {
    const w = new PoolWorld([actorPackage('actor')]);
    const { connection } = await w.pool.open(keyOf('actor'));
    const gone = w.pool.stop();
    await gone;
    expect(isAlive(connection.pid!)).toBe(false);
    await expect(w.pool.open(keyOf('actor'))).rejects.toThrow('The host is shutting down.');
  });

  test('a kill asks once, and what ignores that is killed two seconds later', async () => {
    const w = new PoolWorld([actorPackage('actor')]);
    const { connection } = await w.pool.open(keyOf('actor'));
    await ask(connection, 'stubborn');
    const killed = connection.kill('the run was cancelled');
    expect(await connection.ping(1000)).toBe(true);
    w.clock.advance(limits.runner_stop);
    await killed;
    expect(await connection.lost).toBe('The runner was stopped: the run was cancelled');
    expect(w.state('actor')?.restarts).toBe(0);
  });

  test('process groups of a run are killed when they are its own, and die with the process', async () => {
    const w = new PoolWorld([actorPackage('actor')]);
    const { connection } = await w.pool.open(keyOf('actor'));
    const one = Number(await ask(connection, 'spawn'));
    const two = Number(await ask(connection, 'spawn'));
    connection.spawned(one);
    connection.spawned(two);
    connection.spawned(process.pid);
    const killing = connection.killGroups([one, process.ppid, 1, 2 ** 31 - 1]);
    let ended: number | null = null;
    void killing.then((count) => {
      ended = count;
    });
    await expect
      .poll(() => {
        w.clock.advance(50);
        return ended;
      })
      .toBe(1);
    expect(isAlive(two)).toBe(true);
    process.kill(connection.pid!, 'SIGKILL');
    await connection.lost;
    await expect.poll(() => isAlive(two)).toBe(false);
  });

  test('the next host ends what a crashed one left behind, and nothing else', async () => {
    const w = new PoolWorld([actorPackage('actor')]);
    const { connection } = await w.pool.open(keyOf('actor'));
    const child = Number(await ask(connection, 'spawn'));
    connection.spawned(child);
    const file = path.join(w.folder, 'processes.json');
    const recorded = JSON.parse(readFileSync(file, 'utf8'));
    expect(recorded.groups).toMatchObject([{ pid: connection.pid }, { pid: child }]);
    // A process that was given the id of one that is gone: this very one, by another time of its start.
    recorded.groups.push({ pid: process.pid, started: '1' });
    const later = path.join(privateFolder(), 'runners');
    const next = new PoolWorld([], later);
    writeFileSync(path.join(later, 'processes.json'), JSON.stringify(recorded));
    next.pool.start();
    expect(next.texts()).toEqual(['ended 2 runner processes that an earlier host left']);
    expect(await connection.lost).toBe('The runner was ended by SIGKILL.');
    await expect.poll(() => isAlive(child)).toBe(false);
    expect(existsSync(path.join(later, 'processes.json'))).toBe(false);
  });

  test('a list of them that cannot be written ends no host, and is right with the next process', async () => {
    const w = new PoolWorld([actorPackage('actor')]);
    const file = path.join(w.folder, 'processes.json');
    mkdirSync(`${file}.new`);
    const { connection } = await w.pool.open(keyOf('actor'));
    expect(existsSync(file)).toBe(false);
    process.kill(connection.pid!, 'SIGKILL');
    await connection.lost;
    rmdirSync(`${file}.new`);
    const { connection: next } = await w.pool.open(keyOf('actor'));
    const child = Number(await ask(next, 'spawn'));
    next.spawned(child);
    expect(JSON.parse(readFileSync(file, 'utf8')).groups).toMatchObject([{ pid: next.pid }, { pid: child }]);
  });
});
