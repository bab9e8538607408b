/** What `rostra` says when something is not as it should be: a sentence and what to do, never a stack. */

import { spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from '@rostra/host/store/sqlite/driver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess } from './host-process.ts';

const cli = fileURLToPath(new URL('../../packages/host/dist/cli.js', import.meta.url));
const host = new HostProcess();
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rostra-refusals-'));
  await host.start();
});

afterAll(async () => {
  await host.dispose();
  rmSync(folder, { recursive: true });
});

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

function rostra(args: string[], more: Record<string, string> = {}): Promise<Ended> {
  const env = { ...process.env, ROSTRA_DATA: host.data, ROSTRA_PORT: '0', ROSTRA_DETECT: 'off', ...more };
  const child = spawn(process.execPath, [cli, ...args], { cwd: folder, env });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  child.stdin.end();
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
}

describe('a damaged database', () => {
  const named = (name: string) => join(folder, name);

  beforeAll(async () => {
    await host.events(await host.accept('/stream 3'));
    expect(await rostra(['backup', named('whole.backup')])).toMatchObject({ code: 0 });
    for (const name of ['cut', 'torn']) {
      expect(await rostra(['restore', named('whole.backup'), '--data', named(name)])).toMatchObject({ code: 0 });
    }
    truncateSync(join(named('cut'), 'rostra.db'), 9000);
    const db = await connect(join(named('torn'), 'rostra.db'), { readOnly: false });
    db.exec(`UPDATE transcript SET content_json = '{' WHERE rowid = (SELECT min(rowid) FROM transcript)`);
    db.close();
    mkdirSync(named('empty'));
    copyFileSync('/dev/null', join(named('empty'), 'rostra.db'));
  });

  test('is refused by replay, for machines as JSON', async () => {
    const words =
      'The database file is damaged.\n→ Stop the host, keep a copy of the data folder and restore a backup.\n';
    expect(await rostra(['replay', '--data', named('cut')])).toEqual({ code: 1, out: '', err: words });
    const spoken = await rostra(['replay', '--json', '--data', named('cut')]);
    expect(JSON.parse(spoken.err)).toMatchObject({ details: { reason: 'STORE_CORRUPT' } });
  });

  test('is a failed look of doctor, which goes on with the others', async () => {
    const { code, out } = await rostra(['doctor', '--data', named('cut')]);
    expect(code).toBe(1);
    expect(out).toMatch(/^FAIL {2}store: The database file is damaged\.$/m);
    expect(out).toMatch(/^ok {4}clock: /m);
  });

  test('has a transcript that cannot be read: replay names the session', async () => {
    const { code, out } = await rostra(['replay', '--data', named('torn')]);
    expect(code).toBe(1);
    expect(out).toMatch(/^What is kept beside the log of session \S+ cannot be read\.$/m);
  });

  test('without a byte is no database', async () => {
    for (const args of [['replay'], ['backup', named('of-nothing.backup')]]) {
      const { code, err } = await rostra([...args, '--data', named('empty')]);
      expect({ code, err }).toEqual({
        code: 1,
        err: `There is no database in ${named('empty')}.\n→ Name the folder of the host with --data.\n`,
      });
    }
  });
});

describe('a file where a folder should be', () => {
  test.each([[['runs', 'list']], [['reload']], [['start']], [['restore', 'whole.backup']]])(
    '%j says so',
    async (args) => {
      writeFileSync(join(folder, 'readme'), '');
      const { code, err } = await rostra([...args, '--data', 'readme']);
      expect(code).toBe(1);
      expect(err).toBe(
        `${join(folder, 'readme')} is no folder.\n→ Name the folder of the data with --data or ROSTRA_DATA.\n`,
      );
    },
  );

  test('is a failed look of doctor, which goes on with the others', async () => {
    const { code, out, err } = await rostra(['doctor', '--data', 'readme']);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toContain(`FAIL  data: ${join(folder, 'readme')} is no folder\n`);
    expect(out).toMatch(/^ok {4}clock: /m);
    const named = await rostra(['doctor', '--data', 'readme', '--url', host.url]);
    expect(named.out).toContain(`FAIL  ready: ${join(folder, 'readme')} is no folder.\n`);
  });
});

test.each([
  [['start', '--port', 'x'], '--port must be a port number from 0 to 65535.'],
  [['start', '--log-level', 'loud'], '--log-level must be'],
  [['create-runner', 'mine', '--lang', 'cobol'], 'There is no template for "cobol".'],
])('a value that an option cannot have is wrong usage: %j', async (args, sentence) => {
  expect(await rostra(args)).toEqual({ code: 2, out: '', err: expect.stringContaining(sentence) });
});

test('a data folder that cannot be looked into is not taken for an empty one', async () => {
  symlinkSync('loop', join(folder, 'loop'));
  for (const command of [['replay'], ['backup', 'b.backup']]) {
    expect(await rostra([...command, '--data', 'loop'])).toEqual({
      code: 1,
      out: '',
      err: `The data folder ${join(folder, 'loop')} cannot be used (ELOOP).\n→ Check that this user may write it, or name another folder with --data or ROSTRA_DATA.\n`,
    });
  }
});

test('a lock that tells no address: commands say that the host has told none', async () => {
  const data = join(folder, 'locked');
  mkdirSync(data);
  writeFileSync(join(data, 'host.lock'), JSON.stringify({ pid: process.pid, address: 'foo' }));
  const { code, err } = await rostra(['runs', 'list', '--data', data]);
  expect({ code, err }).toEqual({
    code: 1,
    err: `The host (process ${process.pid}) has not told its address.\n→ Try again in a moment, or name its address with --url.\n`,
  });
});

describe('doctor of a host that is named by its address', () => {
  const elsewhere = () => ['--data', join(folder, 'none'), '--url'];

  test('looks at that host, and not at the folder, the lock and the port of here', async () => {
    const { code, out } = await rostra(['doctor', ...elsewhere(), host.url, '--key', host.key]);
    expect(code).toBe(0);
    expect(out).toMatch(/^ok {4}ready: version \S+ at http/m);
    expect(out).not.toMatch(/^(ok|warn|FAIL) +(data|disk|key|host|port): /m);
    const own = await rostra(['doctor'], { ROSTRA_URL: host.url });
    expect(own.out).toMatch(/^ok {4}host: process \d+/m);
  });

  test('fails where nobody answers, with what starts one', async () => {
    for (const args of [
      [...elsewhere(), 'http://127.0.0.1:9'],
      ['--url', 'http://127.0.0.1:9'],
    ]) {
      const { code, out } = await rostra(['doctor', ...args]);
      expect(code).toBe(1);
      expect(out).toMatch(
        /^FAIL {2}ready: No host answers at http:\/\/127\.0\.0\.1:9\.\n {6}→ Start one with `rostra start`/m,
      );
      expect(out).not.toMatch(/host: process/);
    }
  });

  test('tells whose key may not look which scope it lacks', async () => {
    const made = JSON.parse((await rostra(['keys', 'create', 'plain', '--json'])).out);
    const { code, out } = await rostra(['doctor', '--key', made.key]);
    expect(code).toBe(1);
    expect(out).toContain(
      `${host.url} answers: This key may not be used for that.\n      → Use a key that has the scope admin.`,
    );
  });
});

describe('what is not there', () => {
  test.each([
    [['agents', 'show', 'nope'], 'agents list'],
    [['runs', 'show', 'nope'], 'runs list'],
    [['runs', 'events', 'nope'], 'runs list'],
    [['runs', 'cancel', 'nope'], 'runs list'],
    [['sessions', 'show', 'nope'], 'sessions list'],
    [['sessions', 'export', 'nope'], 'sessions list'],
    [['sessions', 'delete', 'nope', '--yes'], 'sessions list'],
    [['keys', 'revoke', 'nope'], 'keys list'],
    [['models', 'test', 'nope'], 'models list'],
    [['models', 'remove', 'nope'], 'models list'],
    [['tools', 'approve', 'nope'], 'tools servers'],
    [['tools', 'remove', 'nope'], 'tools servers'],
    [['knowledge', 'show', 'nope'], 'knowledge list'],
    [['knowledge', 'search', 'nope', 'words'], 'knowledge list'],
    [['knowledge', 'remove', 'nope', 'none'], 'knowledge list'],
  ])('%j names the command that shows what is', async (args, listing) => {
    const { code, err } = await rostra(args);
    expect(code).toBe(1);
    expect(err).toMatch(/^[A-Z][^\n]*\.\n→ [^\n]+\n$/);
    expect(err).toContain(`→ \`rostra ${listing}\` shows`);
  });
});

test('a time that is none is named by its option, and a field that is wrong by its own name', async () => {
  for (const time of ['yesterday', '2020-01-01T00:00:00Z']) {
    expect(await rostra(['keys', 'create', 'a', '--expires', time])).toEqual({
      code: 2,
      out: '',
      err: `--expires is a time to come, like 2027-01-31T00:00:00Z, not "${time}".\n`,
    });
  }
  const { code, err } = await rostra(['knowledge', 'create', 'Bad Id']);
  expect(code).toBe(1);
  expect(err).toMatch(/^id: has 1 to 64 .*\.\n→ The same command with --help says what it takes\.\n$/);
});

/** util-linux: runs a command at a terminal of its own. */
const SCRIPT = '/usr/bin/script';

test.skipIf(!existsSync(SCRIPT)).each([
  ['Ctrl-C', '\u0003', 130],
  ['Ctrl-D', '\u0004', 1],
  ['a no', 'n\r', 1],
])('%s at the question of sessions delete deletes nothing', async (_, typed, expected) => {
  const threadId = crypto.randomUUID();
  await host.events(await host.accept('/stream 1', { threadId }));
  const env = { ...process.env, ROSTRA_DATA: host.data, NO_COLOR: '1', TERM: 'dumb' };
  const command = `${process.execPath} ${cli} sessions delete ${threadId}`;
  const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], { cwd: folder, env });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  await expect.poll(() => out, { timeout: 20_000, interval: 20 }).toContain('[y/N] ');
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdin.write(typed);
  expect(await ended).toBe(expected);
  expect(out).toMatch(/\[y\/N\] (n|\^C)?[\r\n]+Nothing was deleted\.\r\n$/);
  expect(await rostra(['sessions', 'show', threadId])).toMatchObject({ code: 0 });
});
