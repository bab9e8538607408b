import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Sandbox } from '../../../src/discovery/isolation/sandbox.ts';
import { actor, actorPackage, ask, keyOf, PoolWorld, privateFolder } from '../pool-world.ts';

const search = process.env.PATH;

/** Every way that this machine may have to reach a level; the tests of one that it has not are skipped, by name. */
const ways = await Promise.all(
  (['bwrap', 'unshare'] as const).flatMap((tool) =>
    (['confined', 'strict'] as const).map(async (level) => {
      const sandbox = new Sandbox(search, [tool]);
      const works = (await sandbox.tool(level)) !== null;
      return {
        tool,
        level,
        sandbox,
        works,
        title: `${level} by ${tool}${works ? '' : ': not possible on this machine'}`,
      };
    }),
  ),
);

/** Processes of this machine that have this word among their arguments. */
function marked(mark: string): number[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(mark) ? Number(pid) : [];
    } catch {
      // It ended while we looked.
      return [];
    }
  });
}

describe.each(ways)('$title', ({ level, sandbox, works }) => {
  async function start(folder?: string) {
    const w = new PoolWorld([actorPackage('actor', ['actor'], { isolation: level })], folder, sandbox);
    const { connection } = await w.pool.open(keyOf('actor'));
    return { w, connection, home: path.join(w.folder, 'actor') };
  }

  test.skipIf(!works)('the host, its data and other packages are out of sight', async () => {
    const data = privateFolder();
    const folder = path.join(data, 'runners');
    mkdirSync(path.join(folder, 'other'), { recursive: true });
    writeFileSync(path.join(folder, 'other', 'secret'), 'x');
    writeFileSync(path.join(data, 'rostra.db'), 'x');
    const elsewhere = privateFolder();
    writeFileSync(path.join(elsewhere, 'main.js'), 'x');
    process.env.ROSTRA_TEST_SECRET = 'canary';
    onTestFinished(() => {
      delete process.env.ROSTRA_TEST_SECRET;
    });
    const { connection, home } = await start(folder);
    const { env, cwd, uid } = (await ask(connection, 'facts')) as { env: object; cwd: string; uid: number };
    const allowed = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'PWD', 'SHLVL', '_', 'OLDPWD'];
    expect(Object.keys(env).filter((name) => !allowed.includes(name))).toEqual([]);
    expect(env).toMatchObject({ HOME: home, TMPDIR: path.join(home, 'tmp') });
    expect(cwd).toBe(home);
    if (level === 'strict' && process.getuid?.() === 0) expect(uid).toBe(65_534);
    for (const file of [
      `/proc/${process.pid}/environ`,
      path.join(data, 'rostra.db'),
      path.join(folder, 'other', 'secret'),
      path.join(folder, 'processes.json'),
      path.join(elsewhere, 'main.js'),
      '/etc/shadow',
    ]) {
      await expect(ask(connection, 'read', { path: file }), file).rejects.toThrow(/^(ENOENT|EACCES)$/);
    }
    await expect(ask(connection, 'write', { path: path.join(home, 'note') })).resolves.toBeNull();
    await expect(ask(connection, 'write', { path: '/tmp/note' })).resolves.toBeNull();
    expect(readFileSync(path.join(home, 'tmp', 'note'), 'utf8')).toBe('x');
    for (const file of ['/usr/note', '/note', path.join(import.meta.dirname, 'note'), '/etc/note']) {
      await expect(ask(connection, 'write', { path: file }), file).rejects.toThrow(/^(EROFS|EACCES|ENOENT)$/);
    }
  });

  test.skipIf(!works)('a package can be read wherever it lies, and only read', async () => {
    const place = privateFolder();
    chmodSync(place, 0o755);
    writeFileSync(path.join(place, 'part.txt'), 'abc');
    const folders = [place, path.dirname(actor)];
    const w = new PoolWorld([actorPackage('actor', ['actor'], { isolation: level, folders })], undefined, sandbox);
    const { connection } = await w.pool.open(keyOf('actor'));
    expect(await ask(connection, 'read', { path: path.join(place, 'part.txt') })).toBe(3);
    await expect(ask(connection, 'write', { path: path.join(place, 'new') })).rejects.toThrow(/^(EROFS|EACCES)$/);
  });

  test.skipIf(!works)('there is no network, not even that of this machine', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const { connection } = await start();
    expect(await ask(connection, 'dial', { port, host: '127.0.0.1' })).toMatch(/^(ECONNREFUSED|ENETUNREACH)$/);
    expect(await ask(connection, 'dial', { port: 80, host: '169.254.169.254' })).toBe('ENETUNREACH');
    expect(await ask(connection, 'dial', { port: 443, host: '192.0.2.1' })).toBe('ENETUNREACH');
  });

  test.skipIf(!works)('what left its group and its parent does not survive it', async () => {
    const { w, connection } = await start();
    const mark = `daemon-${process.pid}-${level}`;
    await ask(connection, 'daemon', { mark });
    await ask(connection, 'stubborn');
    await expect.poll(() => marked(mark).length).toBe(1);
    const killed = connection.kill('the test is over');
    w.clock.advance(limits.runner_stop);
    await killed;
    await expect.poll(() => marked(mark)).toEqual([]);
  });

  if (level === 'confined') return;
  describe.skipIf(!works)('is bounded', () => {
    test('in processes', async () => {
      const { connection } = await start();
      const mark = `crowd-${process.pid}`;
      await ask(connection, 'crowd', { count: 2 * limits.strict_pids, mark }).catch(() => undefined);
      expect(marked(mark).length).toBeLessThanOrEqual(limits.strict_pids);
    });

    test('in memory', async () => {
      const { connection } = await start();
      const eaten = ask(connection, 'devour', { mebibytes: 2 * (limits.strict_memory_bytes / 2 ** 20) });
      await expect(eaten).rejects.toThrow();
      expect(await connection.lost).toMatch(/SIGKILL|exit code (137|1)\.$/);
    });

    test('in open files and in the size of a file', async () => {
      const { connection, home } = await start();
      const big = { path: path.join(home, 'big'), offset: limits.strict_file_bytes };
      await expect(ask(connection, 'fill', big)).rejects.toThrow('EFBIG');
      const many = { path: '/dev/null', count: limits.strict_open_files };
      await expect(ask(connection, 'files', many)).rejects.toThrow('EMFILE');
    });
  });
});

test('where no wall can be built the runner does not start, and the sentence says what to do', async () => {
  const w = new PoolWorld(
    [actorPackage('actor', ['actor'], { isolation: 'confined' })],
    undefined,
    new Sandbox('/nowhere'),
  );
  const failure = w.pool.open(keyOf('actor'));
  await expect(failure).rejects.toMatchObject({ code: 'runner.start_failed', retryable: false });
  await expect(failure).rejects.toThrow(
    'The runner package actor is not started: this system cannot reach the isolation level confined. Install the package bubblewrap (and allow user namespaces), or set "isolation: trusted" for it if you trust it.',
  );
  expect(w.state('actor')).toMatchObject({ state: 'stopped', isolation: 'confined', restarts: 0, pids: [] });
});
