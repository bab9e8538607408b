/** The tour at a terminal of its own, as a newcomer sees it with `rostra chat`. */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess } from './host-process.ts';

const cli = fileURLToPath(new URL('../../packages/host/dist/cli.js', import.meta.url));
/** util-linux: runs a command at a terminal of its own. */
const SCRIPT = '/usr/bin/script';

describe.skipIf(!existsSync(SCRIPT))('the tour at a terminal', () => {
  const host = new HostProcess();
  let child: ChildProcess;
  let out = '';

  function chat(...args: string[]): void {
    out = '';
    const env = { ...process.env, ROSTRA_DATA: host.data, NO_COLOR: '1', TERM: 'dumb' };
    const command = [process.execPath, cli, 'chat', ...args].join(' ');
    child = spawn(SCRIPT, ['-qec', command, '/dev/null'], { cwd: host.data, env });
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString().replaceAll('\r', '');
    });
  }

  const until = (words: RegExp) => expect.poll(() => out, { timeout: 20_000, interval: 20 }).toMatch(words);

  /** Types a line, and looks only at what comes after it. */
  function type(line: string): void {
    out = '';
    child.stdin?.write(`${line}\r`);
  }

  async function leave(): Promise<void> {
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.stdin?.write('\u0004');
    await ended;
  }

  beforeAll(() => host.start());

  afterAll(async () => {
    child?.kill();
    await host.dispose();
  });

  test('the first chat opens Welcome and shows the choices by their numbers', async () => {
    const sessions = async () => JSON.stringify((await host.request('GET', '/api/v1/sessions')).body);
    await expect.poll(sessions, { timeout: 10_000 }).toContain('Hello, I am guide');
    chat();
    await until(/Welcome \(.*guide: Hello, I am guide\..* {2}1\) Two agents\n.* {2}4\) Use a real model\n.*> /s);
  });

  test('Two agents: a number, a tool, a yes, and scout quotes what was said', async () => {
    type('1');
    await until(/→ time \{\}[\s\S]*\? guide → scout/);
    type('y');
    await until(/scout I am scout[\s\S]*You said: “Two agents”[\s\S]*1\) Two agents {2}2\) Ask me first[\s\S]*> $/);
  });

  test('Ask me first: left open, it is asked again by --resume', async () => {
    type('2');
    await until(/\? May I write tour-note\.txt\?[\s\S]*: $/);
    await leave();
    chat('--resume');
    await until(/\? May I write tour-note\.txt\?[\s\S]*: $/);
    type('1');
    await until(/\[file tour-note\.txt\][\s\S]*You said yes[\s\S]*> $/);
  });

  test('Break it: counts until Ctrl-C', async () => {
    type('3');
    await until(/\n1 2 3 4 5 /);
    child.stdin?.write('\u0003');
    await until(/Stopped\.[\s\S]*> $/);
  });

  test('Use a real model: the two lines', async () => {
    type('4');
    await until(/export ANTHROPIC_API_KEY=…\nnpm start\n[\s\S]*> $/);
    await leave();
  });

  test('the next chat begins a session of its own', async () => {
    chat();
    await until(/> $/);
    expect(out).not.toContain('Welcome');
    await leave();
  });
});
