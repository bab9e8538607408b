/** `rostra chat` over a pipe and at a terminal, in a process of its own, against a built host. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

  test('gives events for machines', async () => {
    const { out } = await rostra(['chat', '--json'], '/stream 1\n');
    const types = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).event.type);
    expect(types.at(0)).toBe('RUN_STARTED');
    expect(types.at(-1)).toBe('RUN_FINISHED');
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

test.skipIf(!existsSync(SCRIPT))('at a terminal Ctrl-C stops the answer, and a second one leaves', async () => {
  const env = { ...process.env, ROSTRA_DATA: host.data, NO_COLOR: '1', TERM: 'dumb' };
  const command = `${process.execPath} ${cli} chat`;
  const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], { cwd: host.data, env });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  const until = (words: RegExp) => expect.poll(() => out, { timeout: 20_000, interval: 20 }).toMatch(words);
  await until(/> /);
  child.stdin.write('/stream 2\r');
  await until(/guide chunk-1 chunk-2/);
  child.stdin.write('/slow 1000 20\r');
  await until(/chunk-5 /);
  child.stdin.write('\u0003');
  await until(/Stopped\.[\s\S]*> /);
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdin.write('\u0003');
  expect(await ended).toBe(0);
});
