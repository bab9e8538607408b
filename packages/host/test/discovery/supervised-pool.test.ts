import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, onTestFinished, test } from 'vitest';
import { actorPackage, ask, keyOf, PoolWorld, privateFolder } from './pool-world.ts';

describe('finding', () => {
  test('runners are listed with their package, the first package in the configuration holds an id', async () => {
    const w = new PoolWorld([actorPackage('one', ['a', 'b']), actorPackage('two', ['b', 'c'])]);
    await w.pool.discovered();
    expect(w.pool.list().map(({ package_name, manifest }) => [package_name, manifest.id])).toEqual([
      ['one', 'a'],
      ['one', 'b'],
      ['two', 'c'],
    ]);
    expect(w.texts()).toContain('runner "b" is left out: the package one has it already');
    expect(w.changes).toBeGreaterThan(0);
  });

  test('ids of the host itself cannot be taken by a package', async () => {
    const w = new PoolWorld([actorPackage('sly', ['rostra/demo/default', 'mine'])]);
    await w.pool.discovered();
    expect(w.pool.list().map(({ manifest }) => manifest.id)).toEqual(['mine']);
  });

  test('a runner that is asked for and not known is looked for once more before it is "not found"', async () => {
    const offers = path.join(privateFolder(), 'offers.json');
    writeFileSync(offers, '["early"]');
    const w = new PoolWorld([actorPackage('actor', `@${offers}`)]);
    await w.pool.discovered();
    expect(w.pool.ready(keyOf('late'))).toBeNull();
    writeFileSync(offers, '["early", "late"]');
    const reads = w.reads;
    const { manifest } = await w.pool.open(keyOf('late'));
    expect(manifest.id).toBe('late');
    expect(w.reads).toBe(reads + 1);
    await expect(w.pool.open(keyOf('never'))).rejects.toMatchObject({ code: 'runner.not_found', retryable: false });
    expect(w.reads).toBe(reads + 2);
  });

  test('a package that appears later is found by the first who asks for its runner', async () => {
    const w = new PoolWorld([]);
    w.packages = [actorPackage('new')];
    expect((await w.pool.open(keyOf('new'))).manifest.id).toBe('new');
  });

  test('a disabled package has no runners, no process and says so', async () => {
    const w = new PoolWorld([actorPackage('off', ['a'], { enabled: false })]);
    await w.pool.discovered();
    expect(w.pool.list()).toEqual([]);
    expect(w.state('off')).toMatchObject({ enabled: false, state: 'stopped', pids: [] });
    const failure = w.pool.open(keyOf('a'));
    await expect(failure).rejects.toMatchObject({ code: 'runner.not_found' });
    await expect(failure).rejects.toThrow('Disabled packages: off.');
  });

  test('a runner outside the packages that an agent is bound to is not authorised, though it exists', async () => {
    const w = new PoolWorld([actorPackage('one', ['a']), actorPackage('two', ['b'])]);
    await w.pool.discovered();
    const key = keyOf('b', { packages: ['one'] });
    expect(w.pool.ready(key)).toBeNull();
    await expect(w.pool.open(key)).rejects.toMatchObject({ code: 'runner.unauthorized', retryable: false });
    expect((await w.pool.open(keyOf('b', { packages: ['one', 'two'] }))).manifest.id).toBe('b');
  });

  test('a source that was skipped stands in the status with its reason', async () => {
    const w = new PoolWorld([]);
    w.skipped = [{ name: './gone', origin: 'path', source: './gone', reason: 'there is no folder ./gone' }];
    w.pool.reload();
    expect(w.pool.status()).toMatchObject([{ name: './gone', state: 'stopped', reason: 'there is no folder ./gone' }]);
    w.pool.reload();
    expect(w.texts()).toEqual(['there is no folder ./gone']);
  });

  test.each([
    ['a manifest of 1 MB', [{ id: 'big', label: { en_US: 'x'.repeat(1_000_000) } }], 'bytes'],
    ['100,000 runners', `[${Array(100_000).fill('0').join()}]`, 'lists 100000 runners'],
    ['two runners with one id', ['twin', 'twin'], 'two runners with the id "twin"'],
  ])('%s puts the package aside and leaves the others alone', async (_, listing, reason) => {
    const file = path.join(privateFolder(), 'listing.json');
    writeFileSync(file, typeof listing === 'string' ? listing : JSON.stringify(listing));
    const w = new PoolWorld([actorPackage('bomb', `@${file}`), actorPackage('good')]);
    await w.pool.discovered();
    expect(w.state('bomb')).toMatchObject({ state: 'quarantined', runners: [] });
    expect(w.state('bomb')?.reason).toContain(reason);
    expect(w.pool.list().map(({ manifest }) => manifest.id)).toEqual(['good']);
    expect((await w.pool.open(keyOf('good'))).manifest.id).toBe('good');
  });

  test('a bad manifest is left out with a reason and an unknown capability only warns (RP-3.2, RP-3.7)', async () => {
    const future = {
      id: 'future',
      name: 'f',
      label: {},
      capabilities: { telepathy: true },
      permissions: {},
      context: {},
    };
    const w = new PoolWorld([actorPackage('mixed', [{ name: 'no id' }, future])]);
    await w.pool.discovered();
    expect(w.pool.list().map(({ manifest }) => manifest.id)).toEqual(['future']);
    expect(w.texts()).toEqual([
      expect.stringMatching(/^runner number 1 is left out: id: /),
      'runner "future" has the unknown capability "telepathy"',
    ]);
    expect(w.state('mixed')).toMatchObject({ state: 'ready', reason: null });
    expect(w.pool.list()[0]?.manifest.capabilities).toMatchObject({ streaming: false, event_context: true });
  });

  test.each([
    ['2.0', 'upgrade the host'],
    ['1.3', 'upgrade the host'],
    ['0.9', 'upgrade the runner package'],
    ['new', 'upgrade the runner package'],
  ])('protocol %s: %s', async (version, sentence) => {
    const w = new PoolWorld([actorPackage('actor', { protocol_version: version, runners: [] })]);
    await w.pool.discovered();
    expect(w.state('actor')?.reason).toContain(sentence);
  });

  test('an answer that nests without end, or is no list, is refused, not followed', async () => {
    const file = path.join(privateFolder(), 'deep.json');
    writeFileSync(file, `{"protocol_version":"1.0","runners":[${'['.repeat(2000)}${']'.repeat(2000)}]}`);
    const w = new PoolWorld([actorPackage('deep', `@${file}`), actorPackage('none', { protocol_version: '1.0' })]);
    await w.pool.discovered();
    for (const name of ['deep', 'none'])
      expect(w.state(name)?.reason).toContain('something that is no list of runners');
  });
});

describe('the process', () => {
  test('sees a private home and no more of the environment than six names', async () => {
    process.env.ROSTRA_TEST_SECRET = 'canary';
    onTestFinished(() => {
      delete process.env.ROSTRA_TEST_SECRET;
    });
    const { command } = actorPackage('actor');
    const w = new PoolWorld([actorPackage('actor', ['actor'], { command: { ...command, env: { FIXTURE: 'given' } } })]);
    const { connection } = await w.pool.open(keyOf('actor'));
    const { env, cwd } = (await ask(connection, 'facts')) as { env: Record<string, string>; cwd: string };
    const allowed = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'FIXTURE'];
    expect(Object.keys(env).filter((name) => !allowed.includes(name))).toEqual([]);
    const home = path.join(w.folder, 'actor');
    expect(env).toMatchObject({ HOME: home, TMPDIR: path.join(home, 'tmp'), FIXTURE: 'given' });
    expect(cwd).toBe(home);
    expect(statSync(path.join(home, 'tmp')).mode & 0o777).toBe(0o700);
  });

  test('that ends at once, or is none, says how', async () => {
    const dies = { command: process.execPath, args: ['-e', 'console.error("no key"); process.exit(3)'] };
    const none = { command: '/nowhere/to/be/found', args: [] };
    const w = new PoolWorld([actorPackage('dies', [], { command: dies }), actorPackage('none', [], { command: none })]);
    await w.pool.discovered();
    expect(w.state('dies')?.reason).toBe('The runner ended with exit code 3.');
    expect(w.logged).toContainEqual({ runner: 'dies', kind: 'stderr', text: '"no key"' });
    expect(w.state('none')?.reason).toContain('/nowhere/to/be/found ENOENT');
  });

  test('is one, however many ask for it at once', async () => {
    const w = new PoolWorld([actorPackage('actor')]);
    const opened = await Promise.all([1, 2, 3].map((run) => w.pool.open(keyOf('actor', { run_id: `r${run}` }))));
    expect(new Set(opened.map(({ connection }) => connection)).size).toBe(1);
    expect(w.state('actor')?.pids).toHaveLength(1);
  });

  test('may print what it likes: it goes to its log, and nothing obeys it', async () => {
    const w = new PoolWorld([actorPackage('actor')]);
    const { connection } = await w.pool.open(keyOf('actor'));
    await ask(connection, 'print', { text: 'plain\n\u001b[31mred\r\n{"half":\n[1]\n{"jsonrpc":"2.0"}\n' });
    expect(w.logged.filter(({ kind }) => kind === 'stdout').map(({ text }) => text)).toEqual([
      '"plain"',
      '"\\u001b[31mred\\r"',
      '"{\\"half\\":"',
      '"[1]"',
      '"{\\"jsonrpc\\":\\"2.0\\"}"',
    ]);
    expect(await connection.ping(1000)).toBe(true);
  });
});

describe('sharing', () => {
  test('all runs of a workspace share a warm process, another workspace has its own', async () => {
    const w = new PoolWorld([actorPackage('actor')]);
    await w.pool.discovered();
    const first = await w.pool.open(keyOf('actor'));
    expect(w.pool.ready(keyOf('actor', { session_id: 's2', run_id: 'r2' }))?.connection).toBe(first.connection);
    expect(w.pool.ready(keyOf('actor', { workspace_id: 'other' }))).toBeNull();
    const other = await w.pool.open(keyOf('actor', { workspace_id: 'other' }));
    expect(other.connection.pid).not.toBe(first.connection.pid);
    expect(w.state('actor')?.pids).toHaveLength(2);
  });

  test('the process that was started to ask what it offers takes the first run', async () => {
    const w = new PoolWorld([actorPackage('actor', ['actor'], { processes: 'run' })]);
    await w.pool.discovered();
    const [pid] = w.state('actor')?.pids ?? [];
    const one = await w.pool.open(keyOf('actor'));
    expect(one).toMatchObject({ processes: 'run', connection: { pid } });
    const two = await w.pool.open(keyOf('actor', { run_id: 'r2' }));
    expect(two.connection.pid).not.toBe(pid);
  });

  test('a process of one run ends with it', async () => {
    const w = new PoolWorld([actorPackage('actor', ['actor'], { processes: 'run' })]);
    const { connection } = await w.pool.open(keyOf('actor'));
    connection.enter('r');
    connection.leave('r');
    await connection.lost;
    expect(w.state('actor')).toMatchObject({ state: 'ready', pids: [], restarts: 0 });
  });

  test('an agent may ask for a process per session; it ends when nobody has used it for long', async () => {
    const w = new PoolWorld([actorPackage('actor')]);
    const key = keyOf('actor', { processes: 'session' });
    const { connection } = await w.pool.open(key);
    expect((await w.pool.open({ ...key, run_id: 'r2' })).connection).toBe(connection);
    expect((await w.pool.open({ ...key, session_id: 's2' })).connection).not.toBe(connection);
    connection.enter('r');
    w.clock.advance(limits.runner_idle + limits.runner_ping);
    expect(w.pool.ready(key)?.connection).toBe(connection);
    connection.leave('r');
    w.clock.advance(limits.runner_idle + limits.runner_ping);
    await connection.lost;
    expect(w.pool.ready(key)).toBeNull();
  });

  test('a process that drains keeps its runs, takes no new ones and stops after the last', async () => {
    const w = new PoolWorld([actorPackage('actor')]);
    const { connection } = await w.pool.open(keyOf('actor'));
    connection.enter('r1');
    connection.enter('r2');
    connection.drain();
    const fresh = await w.pool.open(keyOf('actor'));
    expect(fresh.connection.pid).not.toBe(connection.pid);
    connection.leave('r1');
    expect(await connection.ping(1000)).toBe(true);
    connection.leave('r2');
    expect(await connection.lost).toBe('The runner was stopped: The host has stopped it.');
    expect(w.state('actor')).toMatchObject({ restarts: 0, pids: [fresh.connection.pid] });
  });
});

describe('the id of a runner', () => {
  test('is the same in the next process and in the next version of its package: who is bound to it finds it (RP-3.3)', async () => {
    const id = 'plugin:acme/pack/default';
    const listing = (version: string) => {
      const whole = { id, name: 'default', label: {}, capabilities: {}, permissions: {}, context: {} };
      return [{ ...whole, metadata: { version } }];
    };
    const w = new PoolWorld([actorPackage('pack', listing('1.0.0'))]);
    const first = await w.pool.open(keyOf(id));
    await first.connection.kill('as asked');
    const second = await w.pool.open(keyOf(id));
    w.packages = [actorPackage('pack', listing('2.0.0'))];
    w.pool.reload();
    const third = await w.pool.open(keyOf(id));
    expect(new Set([first, second, third].map(({ connection }) => connection.pid)).size).toBe(3);
    expect([first, second, third].map(({ manifest }) => [manifest.id, manifest.metadata.version])).toEqual([
      [id, '1.0.0'],
      [id, '1.0.0'],
      [id, '2.0.0'],
    ]);
  });
});

describe('reloading', () => {
  test('a package that changed gets a new process for new runs, an unchanged one keeps its own', async () => {
    const w = new PoolWorld([actorPackage('same'), actorPackage('other')]);
    await w.pool.discovered();
    const same = await w.pool.open(keyOf('same'));
    const other = await w.pool.open(keyOf('other'));
    other.connection.enter('r');
    w.packages = [actorPackage('same'), actorPackage('other', ['other', 'more'])];
    w.pool.reload();
    expect((await w.pool.open(keyOf('more'))).connection.pid).not.toBe(other.connection.pid);
    expect(w.pool.ready(keyOf('same'))?.connection).toBe(same.connection);
    expect(await other.connection.ping(1000)).toBe(true);
    other.connection.leave('r');
    await other.connection.lost;
    w.packages = [];
    w.pool.reload();
    expect(w.pool.list()).toEqual([]);
    await same.connection.lost;
  });
});
