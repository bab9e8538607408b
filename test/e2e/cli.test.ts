/** The commands of `rostra` as people and scripts use them, each in a process of its own, against a built host. */

import { chmodSync, closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@rostra/host/store/sqlite/driver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess } from './host-process.ts';
import { begin, rostraIn } from './rostra-command.ts';

let host: HostProcess;

beforeAll(async () => {
  host = new HostProcess();
  await host.start();
});

afterAll(async () => host.dispose());

const rostra = (args: string[], env: Record<string, string> = {}) => rostraIn(host.data, args, { env });

/** Takes no byte, as a full disk would not. */
const FULL = '/dev/full';

async function json(args: string[]): Promise<unknown> {
  const { code, out, err } = await rostra([...args, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

describe('runs and sessions', () => {
  let taskId: string;
  let threadId: string;

  beforeAll(async () => {
    threadId = crypto.randomUUID();
    taskId = await host.accept('/stream 3', { threadId });
    await host.events(taskId);
  });

  test('runs list, show and events tell of a run', async () => {
    expect(await json(['runs', 'list', '--session', threadId])).toMatchObject([{ taskId, status: 'completed' }]);
    expect(await json(['runs', 'show', taskId])).toMatchObject({ taskId, threadId, agentId: 'guide' });
    expect((await rostra(['runs', 'show', taskId])).out).toMatch(/^status +completed$/m);
    const { out } = await rostra(['runs', 'events', taskId]);
    expect(out).toMatch(/^\d+\.\d+\.1 +RUN_STARTED /);
    expect(out).toContain('TEXT_MESSAGE_CONTENT');
    expect(out.trimEnd().split('\n').at(-1)).toContain('RUN_FINISHED');
  });

  test('runs cancel stops a run', async () => {
    const hanging = await host.accept('/hang');
    expect(await json(['runs', 'cancel', hanging, '--wait'])).toMatchObject({ status: 'cancelled' });
    expect((await rostra(['runs', 'cancel', hanging])).out).toBe(`${hanging} is cancelled.\n`);
  });

  test('sessions list, show, export and delete work on one', async () => {
    expect((await rostra(['sessions', 'list', '--limit', '0'])).out).toContain(threadId);
    expect((await rostra(['sessions', 'show', threadId])).out).toMatch(/^agents +guide \(active\), scout$/m);
    expect(await json(['sessions', 'export', threadId])).toMatchObject({
      session: { id: threadId },
      messages: [{ role: 'user' }, { role: 'assistant', content: 'chunk-1 chunk-2 chunk-3 ' }],
      runs: [{ taskId }],
    });
    const file = join(host.data, 'talk.md');
    expect((await rostra(['sessions', 'export', threadId, '--format', 'md', '--out', file])).out).toContain(
      '2 messages',
    );
    expect(readFileSync(file, 'utf8')).toContain('## guide, ');
    expect(statSync(file).mode & 0o077).toBe(0);
    const refused = await rostra(['sessions', 'export', threadId, '--out', file]);
    expect(refused).toMatchObject({ code: 1, err: `${file} exists already.\n→ Name another file with --out.\n` });
    expect(await rostra(['sessions', 'delete', threadId])).toMatchObject({
      code: 2,
      err: 'There is no terminal to ask at.\n→ Add --yes.\n',
    });
    expect((await rostra(['sessions', 'delete', threadId, '--yes'])).code).toBe(0);
    expect((await rostra(['sessions', 'show', threadId])).code).toBe(1);
  });
});

test('keys are made, work, and are revoked', async () => {
  const made = (await json(['keys', 'create', 'a script', '--scopes', 'runs'])) as { id: string; key: string };
  const theirs = { ROSTRA_API_KEY: made.key };
  expect((await rostra(['agents', 'list'], theirs)).code).toBe(0);
  expect(await rostra(['keys', 'list'], theirs)).toMatchObject({
    code: 1,
    err: expect.stringContaining('This key may not be used for that.'),
  });
  expect((await rostra(['keys', 'list'])).out).toContain(made.id);
  expect((await rostra(['keys', 'revoke', made.id])).code).toBe(0);
  expect((await rostra(['agents', 'list'], theirs)).err).toContain('Give a key of this host with --key');
});

test('open prints a link that logs a browser in', async () => {
  const { code, out } = await rostra(['open']);
  expect(code).toBe(0);
  const reply = await fetch(out.trim(), { redirect: 'manual' });
  expect(reply.headers.get('set-cookie')).toMatch(/HttpOnly/);
});

describe('what goes wrong', () => {
  test('no host in the data folder: says how to start one', async () => {
    const data = mkdtempSync(join(tmpdir(), 'rostra-cli-'));
    try {
      const { code, err } = await rostraIn(data, ['sessions', 'list']);
      expect(code).toBe(1);
      expect(err).toContain(`No host is running in ${data}.`);
      expect(err).toContain('→ Start one with `rostra start`');
      const spoken = await rostraIn(data, ['sessions', 'list', '--json']);
      expect(JSON.parse(spoken.err)).toMatchObject({ code: 'not_found' });
    } finally {
      rmSync(data, { recursive: true });
    }
  });

  test('an address at which nobody answers is named', async () => {
    const { code, err } = await rostra(['agents', 'list', '--url', 'http://127.0.0.1:9', '--key', 'x']);
    expect({ code, err }).toEqual({
      code: 1,
      err: 'No host answers at http://127.0.0.1:9.\n→ Start one with `rostra start`, or name another with --url.\n',
    });
  });

  test('a key that cannot be one is named as what is wrong, and not the host', async () => {
    const { code, err } = await rostra(['runs', 'list', '--key', 'ключ']);
    expect(code).toBe(1);
    expect(err).toMatch(/^The key that was given is no key of a host\.\n→ Give it with --key/);
  });

  test('the owner’s key is not shown to a host that only its address names', async () => {
    const { createServer } = await import('node:http');
    const shown: (string | undefined)[] = [];
    const stranger = createServer((req, res) => {
      shown.push(req.headers.authorization);
      res.writeHead(401).end('{}');
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const address = stranger.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await rostra(['agents', 'list', '--url', `http://127.0.0.1:${port}`]);
    stranger.close();
    expect(shown).toEqual([undefined]);
  });

  test.each([
    ['an unknown command', ['chats'], 'Did you mean "chat"?'],
    ['an unknown option', ['runs', 'list', '--sesion', 'x'], 'Did you mean "--session"?'],
    ['a missing word', ['runs', 'show'], 'runs show needs RUN.'],
    ['a missing word behind dashes', ['runs', 'show', '--'], 'runs show needs RUN.'],
    ['a word too many behind dashes', ['runs', 'list', '--', 'extra'], 'runs list takes no "extra".'],
    ['a runner check of nothing', ['runners', 'check', '--'], 'runners check needs COMMAND.'],
    ['a number that is none', ['runs', 'list', '--limit', 'many'], '--limit is a number'],
    ['a scope that is none', ['keys', 'create', 'x', '--scopes', 'all'], '--scopes is a list of'],
  ])('%s is wrong usage, with exit code 2', async (_, args, sentence) => {
    const { code, err } = await rostra(args);
    expect(code).toBe(2);
    expect(err).toContain(sentence);
  });
});

test.each([
  [
    'a command that there is not',
    ['agents', 'shwo', 'x', '--json'],
    'There is no command "agents shwo". Did you mean "show"?',
  ],
  ['a missing word', ['runs', 'show', '--json'], 'runs show needs RUN.'],
  ['a missing value', ['runs', 'list', '--json', '--limit'], 'runs list needs a value after --limit.'],
])('--json: %s is told as every error is', async (_, args, message) => {
  const { code, out, err } = await rostra(args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  const hint = expect.stringMatching(/^`rostra \S.* --help` tells what it takes\.$/);
  expect(JSON.parse(err)).toMatchObject({ code: 'invalid_argument', message, details: { hint } });
});

describe('output that nobody takes', () => {
  test('a command whose reader leaves ends at once and without a word', async () => {
    const taskId = await host.accept('/slow 1000 20');
    const child = begin(host.data, ['runs', 'events', taskId]);
    let err = '';
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString();
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect({ code, err }).toEqual({ code: 141, err: '' });
    expect(await host.task(taskId)).toMatchObject({ status: 'running' });
    await host.cancel(taskId);
  });

  test.skipIf(!existsSync(FULL))('a full disk is told in a sentence', async () => {
    const stdout = openSync(FULL, 'w');
    const { code, err } = await rostraIn(host.data, ['agents', 'list'], { stdout });
    closeSync(stdout);
    expect({ code, err }).toEqual({
      code: 1,
      err: 'The output cannot be written (ENOSPC).\n→ Make room where it goes, or send it elsewhere.\n',
    });
  });

  test('a host goes on without whoever read its log', async () => {
    const own = new HostProcess({}, { log: { format: 'pretty' } });
    await own.start();
    own.leaveOutput();
    try {
      await own.events(await own.accept('/stream 1'));
      await own.events(await own.accept('/stream 1'));
      expect(own.isUp).toBe(true);
    } finally {
      await own.dispose();
    }
  });
});

describe('rostra doctor', () => {
  test('finds a running host in order', async () => {
    const findings = (await json(['doctor'])) as { what: string; state: string }[];
    expect(findings.filter(({ state }) => state === 'fail')).toEqual([]);
    const looked = findings.map(({ what }) => what);
    expect(looked).toEqual(
      expect.arrayContaining(['node', 'data', 'disk', 'key', 'isolation', 'host', 'clock', 'store']),
    );
    expect(looked).toContain('runner demo');
  });

  test('fails on a key that others can read, and says what to do', async () => {
    const file = join(host.data, 'owner.key');
    chmodSync(file, 0o644);
    const { code, out } = await rostra(['doctor']);
    chmodSync(file, 0o600);
    expect(code).toBe(1);
    expect(out).toContain(`FAIL  key: ${file} can be read by other users\n      → Run \`chmod 600 ${file}\`.`);
  });

  test('says of a folder without a host that there is none', async () => {
    const data = mkdtempSync(join(tmpdir(), 'rostra-cli-'));
    const { code, out } = await rostraIn(data, ['doctor']);
    rmSync(data, { recursive: true });
    expect(code).toBe(0);
    expect(out).toContain('warn  host: No host is running\n      → Run `rostra start`.');
    expect(out).toMatch(/ok {4}port: /);
  });
});

describe('rostra replay', () => {
  test('proves a host that runs, one session or all of them', async () => {
    const threadId = crypto.randomUUID();
    await host.events(await host.accept('/stream 3', { threadId }));
    expect(await json(['replay', threadId])).toMatchObject({ sessions: 1, problems: [] });
    expect(await json(['replay'])).toMatchObject({ problems: [] });
    expect((await rostra(['replay', 'nobody'])).err).toContain('There is no session "nobody".');
  });

  test('fails on a flipped byte of the log, of a context and of a transcript, and names where', async () => {
    const own = new HostProcess();
    await own.start();
    const threadId = crypto.randomUUID();
    await own.events(await own.accept('/stream 3', { threadId }));
    await own.signal('SIGTERM');
    const file = join(own.data, 'rostra.db');
    const change = async (sql: string) => {
      const db = await connect(file, { readOnly: false });
      db.exec(sql);
      db.close();
    };
    const said = async () => {
      const { code, out } = await rostraIn(own.data, ['replay']);
      expect(code).toBe(1);
      return out.split('\n')[0];
    };
    try {
      expect((await rostraIn(own.data, ['replay'])).code).toBe(0);
      await change(`UPDATE transcript SET content = replace(content, 'chunk-2', 'chunk-9')`);
      expect(await said()).toMatch(
        new RegExp(`^The transcript of session ${threadId} has at record \\d+ what its log does not say\\.$`),
      );
      await change(`UPDATE transcript SET content = replace(content, 'chunk-9', 'chunk-2')`);
      await change(`UPDATE session_context SET context = replace(context, '"guide"', '"scout"')
        WHERE session = (SELECT key FROM session WHERE id = '${threadId}')`);
      expect(await said()).toMatch(/the context saved at record \d+ was changed/);
      await change(`UPDATE segment SET body = replace(body, 'chunk-2', 'chunk-9')`);
      expect(await said()).toMatch(
        new RegExp(`^The log of session ${threadId} is damaged: the segment of records \\d+ to \\d+ was changed\\.$`),
      );
    } finally {
      await own.dispose();
    }
  });
});
