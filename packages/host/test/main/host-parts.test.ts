import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Configuration } from '../../src/main/configuration.ts';
import { HostLog } from '../../src/main/host-log.ts';
import { listen } from '../../src/main/listen.ts';
import { ensureOwnerKey, ownerKey, ownerKeyPath } from '../../src/main/owner-key.ts';
import { drain, onSignals, settle, terminalWatch } from '../../src/main/shutdown.ts';
import { SystemClock } from '../../src/main/system-clock.ts';
import { folderWith } from '../config/config-folder.ts';
import { ManualClock } from '../manual-clock.ts';

const undo: (() => void)[] = [];
afterEach(() => {
  for (const act of undo.splice(0).reverse()) act();
});

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'rostra-main-'));
  undo.push(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

describe('the owner’s key', () => {
  it('is made once, for its owner’s eyes only', () => {
    const data = folder();
    const key = ensureOwnerKey(data);
    expect(key).toMatch(/^rostra_[\w-]{43}$/);
    expect(statSync(ownerKeyPath(data)).mode & 0o777).toBe(0o600);
    expect(ensureOwnerKey(data)).toBe(key);
    expect(ensureOwnerKey(folder())).not.toBe(key);
  });

  it('that others can read is closed to them', () => {
    const data = folder();
    const key = ensureOwnerKey(data);
    writeFileSync(ownerKeyPath(data), `${key}\n`);
    rmSync(ownerKeyPath(data));
    writeFileSync(ownerKeyPath(data), `${key}\n`, { mode: 0o644 });
    expect(ensureOwnerKey(data)).toBe(key);
    expect(statSync(ownerKeyPath(data)).mode & 0o777).toBe(0o600);
  });

  it('that is none is refused with what to do', () => {
    const data = folder();
    writeFileSync(ownerKeyPath(data), 'hello');
    expect(() => ensureOwnerKey(data)).toThrow('does not hold a key');
  });

  it('is none that a host has made, and none of the file’s: nobody would be the owner then', async () => {
    const key = '0123456789abcdef';
    const made = `rostra_key_${key}_${'x'.repeat(43)}`;
    const cwd = folderWith({ 'rostra.yaml': `auth: { keys: [{ name: ci, key: ${key}, scopes: [runs] }] }\n` });
    const keyBy = async (chosen: string) => {
      const env = { ROSTRA_API_KEY: chosen };
      const { settings, config } = await Configuration.read({ env, flags: {}, cwd });
      return ownerKey(settings, config.auth.keys);
    };
    await expect(keyBy(made)).rejects.toThrow(
      'ROSTRA_API_KEY is a key that a host has made, and cannot be the owner’s.',
    );
    await expect(keyBy(key)).rejects.toThrow('ROSTRA_API_KEY is the key "ci" of auth.keys, and cannot be the owner’s.');
    expect(await keyBy(`${key}0`)).toBe(`${key}0`);
  });
});

describe('listening', () => {
  const make = (): Server => {
    const server = createServer();
    undo.push(() => server.close());
    return server;
  };
  const host = '127.0.0.1';

  it('moves from a taken default port to the next free one and says so', async () => {
    const first = await listen(make(), { host, port: 0, port_is_explicit: true });
    const second = await listen(make(), { host, port: first.port, port_is_explicit: false });
    expect(second.taken).toBe(first.port);
    expect(second.port).toBeGreaterThan(first.port);
  });

  it('refuses a taken port that was asked for, with what to do', async () => {
    const first = make();
    await listen(first, { host, port: 0, port_is_explicit: true });
    const { port } = first.address() as AddressInfo;
    await expect(listen(make(), { host, port, port_is_explicit: true })).rejects.toMatchObject({
      message: `Cannot listen on 127.0.0.1, port ${port} (EADDRINUSE).`,
      details: { hint: expect.stringContaining('--port or ROSTRA_PORT') },
    });
  });

  it('refuses an address that this machine does not have', async () => {
    const asked = { host: '203.0.113.7', port: 0, port_is_explicit: true };
    await expect(listen(make(), asked)).rejects.toMatchObject({
      details: { hint: expect.stringContaining('--host, ROSTRA_HOST') },
    });
  });
});

describe('the end', () => {
  it('waits for live turns and says so when their number changes', async () => {
    const clock = new ManualClock();
    const said: string[] = [];
    let live = 2;
    const done = drain({ clock, liveTurns: () => live, say: (line) => said.push(line), limit: 25_000 });
    clock.advance(5_000);
    live = 1;
    clock.advance(5_000);
    live = 0;
    clock.advance(100);
    expect(await done).toBe('idle');
    expect(said).toEqual([
      'Waiting up to 25 s for 2 running turns. Ctrl-C again ends at once.',
      'Waiting up to 20 s for 1 running turn. Ctrl-C again ends at once.',
    ]);
    expect(clock.armed).toBe(0);
  });

  it('does not wait for ever', async () => {
    const clock = new ManualClock();
    const said: string[] = [];
    const done = drain({ clock, liveTurns: () => 3, say: (line) => said.push(line), limit: 1_000 });
    clock.advance(1_000);
    expect(await done).toBe('late');
    expect(said.at(-1)).toMatch(/^3 running turns did not end in time: what can be resumed goes on at the next start/);
  });

  it('does not wait when nothing runs', async () => {
    const clock = new ManualClock();
    expect(await drain({ clock, liveTurns: () => 0, say: () => undefined, limit: 1_000 })).toBe('idle');
    await settle(clock, () => true, 1_000);
    expect(clock.armed).toBe(0);
  });

  /** Signals that a test sends itself. */
  function heardSignals(hasHungUp: () => boolean) {
    const clock = new ManualClock();
    const heard: string[] = [];
    const listeners = new Map<string, () => void>();
    const signals = {
      on: (name: string, listener: () => void) => {
        listeners.set(name, listener);
        return process;
      },
    };
    onSignals(signals as unknown as NodeJS.Process, clock, {
      first: () => heard.push('first'),
      second: () => heard.push('second'),
      reload: () => heard.push('reload'),
      hasHungUp,
    });
    return { clock, heard, send: (name: NodeJS.Signals) => listeners.get(name)?.() };
  }

  it('comes at once with a second Ctrl-C, but one key press that arrives twice is one', () => {
    const { clock, heard, send } = heardSignals(() => false);
    send('SIGINT');
    clock.advance(20);
    send('SIGINT');
    expect(heard).toEqual(['first']);
    clock.advance(1_000);
    send('SIGTERM');
    expect(heard).toEqual(['first', 'second']);
  });

  it('comes with SIGHUP when the terminal has gone; otherwise that asks for a reload', () => {
    const terminals = new Set([0, 1]);
    const { heard, send } = heardSignals(terminalWatch((fd) => terminals.has(fd)));
    send('SIGHUP');
    expect(heard).toEqual(['reload']);
    terminals.clear();
    send('SIGHUP');
    expect(heard).toEqual(['reload', 'first']);
  });

  it('does not come with SIGHUP for a host that never had a terminal', () => {
    const { heard, send } = heardSignals(terminalWatch(() => false));
    send('SIGHUP');
    expect(heard).toEqual(['reload']);
  });
});

describe('the clock of the process', () => {
  it('is whole milliseconds, near the wall’s time, and never goes back', () => {
    const clock = new SystemClock();
    let before = clock.now();
    expect(Math.abs(before - Date.now())).toBeLessThan(1_000);
    for (let n = 0; n < 1_000; n += 1) {
      const now = clock.now();
      expect(Number.isInteger(now) && now >= before).toBe(true);
      before = now;
    }
  });

  it('wakes once, not before its time, and not when called off', async () => {
    const clock = new SystemClock();
    const at = clock.now() + 20;
    let woken = 0;
    const callOff = clock.at(at, () => {
      woken = -1;
    });
    callOff();
    clock.at(Number.MAX_SAFE_INTEGER, () => {
      woken = -1;
    })();
    const hold = setInterval(() => undefined, 1_000);
    await new Promise<void>((resolve) => {
      clock.at(at, () => {
        woken += clock.now() >= at ? 1 : 100;
        resolve();
      });
    });
    clearInterval(hold);
    expect(woken).toBe(1);
  });

  it('catches up with the wall when it is told to, and nothing that waits is woken by that', () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    undo.push(() => vi.useRealTimers());
    const clock = new SystemClock();
    const before = clock.now();
    let woken = 0;
    clock.at(before + 60_000, () => {
      woken += 1;
    });
    const eightHours = 8 * 3_600_000;
    vi.setSystemTime(Date.now() + eightHours);
    expect(clock.now() - before).toBeLessThan(1_000);
    expect(Math.abs(clock.behind - eightHours)).toBeLessThan(1_000);
    clock.catchUp();
    expect(Math.abs(clock.now() - before - eightHours)).toBeLessThan(1_000);
    vi.advanceTimersByTime(59_000);
    expect(woken).toBe(0);
    vi.advanceTimersByTime(1_001);
    expect(woken).toBe(1);
    vi.setSystemTime(Date.now() - 2 * eightHours);
    clock.catchUp();
    expect(clock.now() - before).toBeGreaterThan(eightHours - 1_000);
  });

  it('does soon what is to be done before it waits again', async () => {
    await new Promise<void>((resolve) => new SystemClock().soon(resolve));
  });
});

describe('the log', () => {
  it('writes one line for each thing, whatever it holds', () => {
    let text = '';
    const log = new HostLog((part) => {
      text += part;
    });
    log.fault('http', new Error('a\nb\u001b[31m'));
    log.fault('session', { session_id: 's\r\nx' });
    log.runner({ runner: 'demo', kind: 'stderr', text: '"x"' });
    expect(text.split('\n')).toHaveLength(4);
    expect(text).not.toContain('\u001b');
  });
});
