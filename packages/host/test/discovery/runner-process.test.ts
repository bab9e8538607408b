import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunnerLogEntry } from '../../src/discovery/runner-log.ts';
import { type RunnerCommand, RunnerProcess } from '../../src/discovery/runner-process.ts';
import { ManualClock } from '../orchestrator/manual-clock.ts';
import { fixture, privateFolder, World } from '../orchestrator/world.ts';

function start(command: RunnerCommand) {
  const clock = new ManualClock();
  const logged: RunnerLogEntry[] = [];
  const runner = new RunnerProcess({
    name: 'fixture',
    command,
    home: path.join(privateFolder(), 'home'),
    clock,
    log: (entry) => void logged.push(entry),
    environment: process.env,
  });
  onTestFinished(async () => {
    const gone = runner.stop();
    clock.advance(limits.runner_stop);
    await gone;
  });
  return { runner, clock, logged };
}

describe('discovery', () => {
  test('a bad manifest is left out with a reason and an unknown capability only warns (RP-3.2, RP-3.7)', async () => {
    const { runner, logged } = start(fixture('bad-manifest'));
    const { runners } = await runner.connect();
    expect([...runners.keys()]).toEqual(['fixture']);
    expect(runners.get('fixture')?.capabilities).toMatchObject({
      streaming: true,
      tool_calling: false,
      knowledge_retrieval: false,
      multimodal_input: false,
      event_context: true,
      platform_api: false,
      interrupt: false,
      stateful_session: false,
      self_managed_context: true,
    });
    expect(logged.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^runner "unlabelled" is left out: label: /),
      'runner "fixture" has the unknown capability "telepathy"',
      'runner "fixture" is left out: its id is given twice',
      expect.stringMatching(/^runner number 4 is left out: manifest: /),
    ]);
  });

  test.each([
    ['2.0', 'upgrade the host'],
    ['1.1', 'upgrade the host'],
    ['0.9', 'upgrade the runner package'],
    ['new', 'upgrade the runner package'],
  ])('protocol %s: %s', async (version, sentence) => {
    const { runner } = start(fixture('other-version', version));
    const failure = runner.connect();
    await expect(failure).rejects.toMatchObject({ code: 'runner.start_failed', retryable: false });
    await expect(failure).rejects.toThrow(sentence);
  });

  test('a runner of the same version is served', async () => {
    const { runner } = start(fixture('other-version', '1.0'));
    expect((await runner.connect()).runners.size).toBe(1);
  });

  test('an answer that nests without end is refused, not followed', async () => {
    const { runner } = start(fixture('no-list', 'deep'));
    await expect(runner.connect()).rejects.toMatchObject({ code: 'runner.start_failed' });
  });
});

describe('the process', () => {
  test('is one, however many ask for it at once', async () => {
    const { runner } = start(fixture('behaviours'));
    expect(runner.connection).toBeNull();
    const [one, two] = await Promise.all([runner.connect(), runner.connect()]);
    expect(two).toBe(one);
    expect(await runner.connect()).toBe(one);
    expect(runner.connection).toBe(one);
    expect(await runner.ping(1000)).toBe(true);
  });

  test('that dies is known to be dead and started again when it is needed', async () => {
    const { runner } = start(fixture('behaviours'));
    const first = await runner.connect();
    process.kill(first.pid!, 'SIGKILL');
    expect(await first.lost).toBe('The runner was ended by SIGKILL.');
    expect(runner.connection).toBeNull();
    expect(await runner.ping(1000)).toBe(false);
    expect((await runner.connect()).pid).not.toBe(first.pid);
  });

  test('that says nothing within the time of a start is given up', async () => {
    const { runner, clock } = start(fixture('no-list', 'mute'));
    const failure = expect(runner.connect()).rejects.toMatchObject({ code: 'runner.start_timeout', retryable: true });
    clock.advance(limits.runner_start);
    await failure;
  });

  test('that ends at once says how', async () => {
    const { runner, logged } = start(fixture('dies'));
    await expect(runner.connect()).rejects.toThrow('The runner ended with exit code 3.');
    expect(logged).toContainEqual({ runner: 'fixture', kind: 'stderr', text: '"no configuration"' });
  });

  test('of a command that does not exist fails with its name', async () => {
    const { runner } = start({ command: '/nowhere/to/be/found', args: [] });
    const failure = runner.connect();
    await expect(failure).rejects.toMatchObject({ code: 'runner.start_failed' });
    await expect(failure).rejects.toThrow('/nowhere/to/be/found ENOENT');
  });

  test('that dies at every start is left to rest, and tried again later', async () => {
    const { runner, clock } = start(fixture('dies'));
    for (let start = 0; start < limits.runner_starts; start++) {
      await expect(runner.connect()).rejects.toThrow('exit code 3');
    }
    const resting = runner.connect();
    await expect(resting).rejects.toMatchObject({ code: 'runner.start_failed', retryable: true });
    await expect(resting).rejects.toThrow('try again in 60 s');
    clock.advance(limits.runner_starts_window - 1);
    await expect(runner.connect()).rejects.toThrow('try again in 1 s');
    clock.advance(1);
    await expect(runner.connect()).rejects.toThrow('exit code 3');
  });

  test('that is stopped ends by itself and is not started again', async () => {
    const { runner } = start(fixture('behaviours'));
    const { lost } = await runner.connect();
    await runner.stop();
    expect(await lost).toBe('The runner ended with exit code 0.');
    await expect(runner.connect()).rejects.toThrow('The host is shutting down.');
  });

  test('sees a private home and no more of the environment than six names', async () => {
    const secret = 'ROSTRA_TEST_SECRET';
    process.env[secret] = 'canary';
    onTestFinished(() => {
      delete process.env[secret];
    });
    const command = { ...fixture('behaviours'), env: { FIXTURE: 'given' } };
    const w = new World(command);
    const turn = w.input('environment');
    const { payload } = await w.heard(turn, 'message');
    const { env, cwd } = payload.content as { env: Record<string, string>; cwd: string };
    const allowed = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'FIXTURE'];
    expect(Object.keys(env).filter((name) => !allowed.includes(name))).toEqual([]);
    expect(env).toMatchObject({ HOME: w.home, TMPDIR: path.join(w.home, 'tmp'), FIXTURE: 'given' });
    expect(cwd).toBe(w.home);
    expect(existsSync(path.join(w.home, 'tmp'))).toBe(true);
    expect(statSync(path.join(w.home, 'tmp')).mode & 0o777).toBe(0o700);
  });
});
