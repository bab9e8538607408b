/** `rostra chat` over a pipe and at a terminal, in a process of its own, against a built host. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess } from './host-process.ts';
import { cli, rostraIn } from './rostra-command.ts';

let host: HostProcess;

beforeAll(async () => {
  host = new HostProcess();
  await host.start();
});

afterAll(async () => host.dispose());

const rostra = (args: string[], input = '') => rostraIn(host.data, args, { input });

describe('rostra chat over a pipe', () => {
  test('answers line by line, agents by @name, and its own commands', async () => {
    const { code, out, err } = await rostra(['chat'], '/stream 2\n@scout who are you?\n/agents\n');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out.split('\n');
    expect(lines[0]).toBe('chunk-1 chunk-2 ');
    expect(lines[1]).toContain('As scout');
    expect(out).toMatch(/^guide +yes/m);
    expect(out).toMatch(/^scout +active/m);
  });

  test('a number in a new session chooses nothing from a card of the one before', async () => {
    const { out } = await rostra(['chat'], '/ui\n/new\n1\nno\n');
    expect(out).toContain('1) More commands');
    expect(out).not.toContain('this list');
    expect(out).toContain('? guide → scout');
  });

  test('puts a question of an agent and goes on with the answer', async () => {
    const { code, out } = await rostra(['chat'], '/ask\nGo on\n');
    expect(code).toBe(0);
    expect(out).toContain('? Shall I go on?');
    expect(out).toContain('You confirmed it');
  });

  test('puts a handover and shows what the next agent says', async () => {
    const { code, out } = await rostra(['chat'], '/handover scout because\ny\n');
    expect(code).toBe(0);
    expect(out).toContain('? guide → scout');
    expect(out).toContain('I am scout, and I go on from here.');
  });

  test('leaves a question open when nobody is there to answer, and --resume asks it again', async () => {
    const left = await rostra(['chat'], '/ask\n');
    expect(left.code).toBe(1);
    expect(left.err).toContain('A question stays open');
    const again = await rostra(['chat', '--resume']);
    expect(again).toEqual({
      code: 1,
      out: '? Shall I go on?\n  The demo asks because you told it to.\n',
      err: 'A question stays open.\n→ `rostra chat --resume` asks it again.\n',
    });
    const { code, out } = await rostra(['chat', '--resume'], '1\n');
    expect(code).toBe(0);
    expect(out).toContain('You confirmed it');
  });

  test('tells of a failed run on stderr and by its exit code', async () => {
    expect(await rostra(['chat'], '/fail\n')).toEqual({
      code: 1,
      out: '',
      err: 'The demo failed because it was asked to. (demo.failed)\n',
    });
  });

  test('names the agents that there are when one is unknown', async () => {
    const { code, err } = await rostra(['chat'], '@nobody hello\n');
    expect(code).toBe(1);
    expect(err).toBe('There is no agent "nobody".\n→ There are guide, scout.\n');
  });

  test('gives machines events, questions and agents, a line of JSON each, and keeps words from them', async () => {
    const { code, out, err } = await rostra(['chat', '--json'], '/ask\n1\n/agents\n/commands\n');
    expect(code).toBe(0);
    const lines: Record<string, unknown>[] = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ taskId: expect.any(String), event: { type: 'RUN_STARTED' } });
    const other = lines.filter((line) => !('event' in line));
    expect(other).toMatchObject([
      { question: { title: 'Shall I go on?', actions: [{ id: 'confirm' }, { id: 'cancel' }] } },
      {
        agents: [
          { id: 'guide', isHere: true, isActive: true },
          { id: 'scout', isHere: true, isActive: false },
        ],
      },
    ]);
    expect(lines.at(-2)).toMatchObject({ event: { type: 'RUN_FINISHED' } });
    expect(err).toMatch(/^@NAME TEXT /);
  });

  test('tells machines of errors in JSON too', async () => {
    const { code, err } = await rostra(['chat', '--json'], '@nobody hello\n/ask\nperhaps\n');
    expect(code).toBe(1);
    const errors = err
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(errors).toMatchObject([
      { code: 'not_found', message: 'There is no agent "nobody".' },
      { code: 'invalid_argument', details: { hint: 'Answer with a number from 1 to 2.' } },
      { code: 'invalid_argument', message: 'A question stays open.' },
    ]);
  });

  test('never lets an agent move the cursor', async () => {
    const { out } = await rostra(['chat'], '/state k \u001b[2J\u0007gone\n/state k\n');
    expect(out).toContain('gone');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
    expect(out).not.toMatch(/[\u001b\u0007]/);
  });
});

/** util-linux: runs a command at a terminal of its own. */
const SCRIPT = '/usr/bin/script';

describe.skipIf(!existsSync(SCRIPT))('rostra chat at a terminal', () => {
  const CTRL_C = '\u0003';
  let child: ChildProcessWithoutNullStreams;
  let ended: Promise<number | null>;
  let out = '';

  function chat(...args: string[]): void {
    out = '';
    const env = { ...process.env, ROSTRA_DATA: host.data, NO_COLOR: '1', TERM: 'xterm' };
    const command = [process.execPath, cli, 'chat', ...args].join(' ');
    child = spawn(SCRIPT, ['-qec', command, '/dev/null'], { cwd: host.data, env });
    ended = new Promise((resolve) => child.once('close', resolve));
    child.stdout.on('data', (chunk: Buffer) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: readline moves the cursor
      out += chunk.toString().replaceAll(/\r|\u001b\[\d*[A-Z]/g, '');
    });
  }

  const until = (words: RegExp) => expect.poll(() => out, { timeout: 20_000, interval: 20 }).toMatch(words);

  /** Types, and looks only at what comes after it. */
  function type(keys: string): void {
    out = '';
    child.stdin.write(keys);
  }

  afterEach(() => child.kill());

  test('Ctrl-C stops the answer, and at the prompt it leaves', async () => {
    chat();
    await until(/> $/);
    type('/stream 2\r');
    await until(/guide chunk-1 chunk-2/);
    type('/slow 1000 20\r');
    await until(/chunk-5 /);
    type(CTRL_C);
    await until(/Stopped\.[\s\S]*> $/);
    type(CTRL_C);
    expect(await ended).toBe(0);
  });

  test('Ctrl-C at a question that --resume asks stops the run behind it', async () => {
    await rostra(['chat'], '/ask\n');
    chat('--resume');
    await until(/\? Shall I go on\?[\s\S]*: $/);
    type(CTRL_C);
    await until(/Stopping\. Ctrl-C again leaves\.\n[\s\S]*Stopped\.\n> $/);
    expect(out).not.toContain('Shall I go on?');
    const { body } = await host.request('GET', '/api/v1/agent/runs?limit=1');
    expect(body.items).toMatchObject([{ status: 'cancelled' }]);
  });

  test('Ctrl-C at a handover, behind which no run stands, rejects it and forgets what was typed', async () => {
    chat();
    await until(/> $/);
    type('/handover scout because\r');
    await until(/1\) Confirm {2}2\) Reject: $/);
    type('not se');
    await until(/not se$/);
    type(CTRL_C);
    await until(/Stopping\. Ctrl-C again leaves\.\nAnswered: Reject\.\n> $/);
    const { body } = await host.request('GET', '/api/v1/interactions?status=pending');
    expect(body.items).not.toContainEqual(expect.objectContaining({ purpose: 'handover' }));
    type('/stream 1\r');
    await until(/guide chunk-1 \n> $/);
  });

  test('a second Ctrl-C leaves at the next question too, which stays open', async () => {
    const threadId = crypto.randomUUID();
    await host.events(await host.accept('/ask', { threadId }), { most: 6 });
    const queued = await host.accept('/ask', { threadId });
    chat('--session', threadId);
    await until(/\? Shall I go on\?[\s\S]*: $/);
    type(CTRL_C);
    await until(/\? Shall I go on\?[\s\S]*: $/);
    type(CTRL_C);
    expect(await ended).toBe(130);
    expect(await host.task(queued)).toMatchObject({ status: 'interrupted' });
  });

  test('--json keeps the prompt and the notes from stdout', async () => {
    const lines = join(host.data, 'lines');
    chat('--json', `>${lines}`);
    await until(/> $/);
    type('/ask\r');
    await until(/1\) Go on {2}2\) Leave it: $/);
    type('1\r');
    await until(/> $/);
    type('\u0004');
    await ended;
    const types = readFileSync(lines, 'utf8')
      .trim()
      .split('\n')
      .map((line) => Object.keys(JSON.parse(line)).at(-1));
    expect(new Set(types)).toEqual(new Set(['event', 'question']));
  });
});
