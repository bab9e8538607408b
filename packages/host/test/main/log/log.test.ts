import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { HostLog } from '../../../src/main/host-log.ts';
import { JsonSink } from '../../../src/main/log/json-sink.ts';
import type { LogLevel } from '../../../src/main/log/log-sink.ts';
import { openLog } from '../../../src/main/log/open-log.ts';
import { PrettySink } from '../../../src/main/log/pretty-sink.ts';

const undo: (() => void)[] = [];
afterEach(() => {
  for (const act of undo.splice(0).reverse()) act();
});

function jsonLog(level: LogLevel = 'info') {
  const lines: string[] = [];
  const log = new HostLog(new JsonSink((line) => lines.push(line), level));
  return { log, lines, read: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

function prettyLog() {
  let text = '';
  const log = new HostLog((part) => {
    text += part;
  });
  return { log, text: () => text };
}

describe('lines as JSON', () => {
  it('hold what happened, when, and every id that is known', () => {
    const { log, read } = jsonLog();
    log.child({ session_id: 's1' }).info('turn.ended', { run_id: 't1.1', trace_id: 'x', ms: 12 });
    const [line] = read();
    expect(line).toMatchObject({ level: 'info', event: 'turn.ended', session_id: 's1', run_id: 't1.1', trace_id: 'x' });
    expect(new Date(String(line?.time)).toISOString()).toBe(line?.time);
  });

  it('are one line each, whatever a runner printed', () => {
    const { log, lines, read } = jsonLog();
    log.runner({ runner: 'demo', kind: 'stderr', text: JSON.stringify('a\r\n\u001b[2Jb\u009b\u202e') });
    expect(lines[0]?.trimEnd().split('\n')).toHaveLength(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is left is the point
    expect(lines[0]?.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(read()[0]).toMatchObject({ runner: 'demo', stream: 'stderr', text: 'a\r\n\u001b[2Jb\u009b\u202e' });
  });

  it('below the level are left out', () => {
    const { log, read } = jsonLog('warn');
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
    expect(read().map(({ event }) => event)).toEqual(['c', 'd']);
  });

  it('say so at any level: a quiet log still tells where the host is', () => {
    const { log, read } = jsonLog('error');
    log.say('  open   http://127.0.0.1:8787');
    log.info('unheard');
    log.setLevel('warn');
    log.say('Stopping.');
    expect(read().map(({ text }) => text)).toEqual(['open   http://127.0.0.1:8787', 'Stopping.']);
  });

  it('say to a machine what is said to a person', () => {
    const { log, read } = jsonLog();
    log.say('  open   http://127.0.0.1:8787');
    log.say();
    expect(read()).toMatchObject([{ event: 'said', text: 'open   http://127.0.0.1:8787' }]);
  });
});

describe('secrets', () => {
  const secret = 'pa"ss\\word-1234';

  it.each(['json', 'pretty'] as const)('do not leave in %s, however deep they are quoted', (format) => {
    let text = '';
    const write = (part: string) => {
      text += part;
    };
    const log = new HostLog(format === 'json' ? new JsonSink(write, 'info') : new PrettySink(write, 'info'));
    log.conceal(secret, 'rostra_key_of_the_owner');
    log.info('a', { one: secret, two: JSON.stringify({ deep: secret }), three: { key: 'rostra_key_of_the_owner' } });
    log.runner({ runner: 'demo', kind: 'stderr', text: JSON.stringify(`token ${secret}`) });
    log.fault('http', new Error('Authorization: Bearer abcdefghijkl'));
    expect(text).not.toContain('1234');
    expect(text).not.toContain('rostra_key');
    expect(text).not.toContain('abcdefghijkl');
    expect(text.match(/\[redacted\]/g)).toHaveLength(5);
  });
});

describe('lines for people', () => {
  it('quote what could pass for a line or command a terminal', () => {
    const { log, text } = prettyLog();
    log.info('turn.ended', { agent_id: 'guide', error: 'x\n2026 fine\u001b[31m', none: null });
    expect(text()).toMatch(/^\S+ turn\.ended agent_id=guide error="x\\n2026 fine\\u001b\[31m"\n$/);
  });

  it('name a run without the turn and the trace that its name begins with', () => {
    const { log, text } = prettyLog();
    log.info('turn.ended', { session_id: 's', turn_id: 't1', run_id: 't1.2', trace_id: 't1', ms: 3 });
    log.info('turn.ended', { turn_id: 't1', run_id: null, trace_id: 't1' });
    log.info('turn.ended', { turn_id: 't1', run_id: 't12', trace_id: 'x' });
    expect(text().replace(/^\S+ /gm, '')).toBe(
      'turn.ended session_id=s run_id=t1.2 ms=3\nturn.ended turn_id=t1\nturn.ended turn_id=t1 run_id=t12 trace_id=x\n',
    );
  });

  it('stay as they are when they are said', () => {
    const { log, text } = prettyLog();
    log.say('  open   http://127.0.0.1:8787');
    expect(text()).toBe('  open   http://127.0.0.1:8787\n');
  });
});

describe('a log in a file', () => {
  it('is made with its folder, and people are still told', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'rostra-log-'));
    undo.push(() => rmSync(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'deep', 'host.log');
    let said = '';
    const terminal = {
      fd: 1,
      isTTY: true,
      write: (text: string) => {
        said += text;
      },
    };
    const log = openLog({ level: 'info', format: 'auto', file }, terminal);
    log.say('Hello.');
    log.info('turn.ended', { session_id: 's1' });
    await expect.poll(() => readFileSync(file, 'utf8').trim().split('\n').length).toBe(2);
    const events = readFileSync(file, 'utf8').trim().split('\n');
    expect(events.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(['said', 'turn.ended']);
    expect(said).toBe('Hello.\n');
  });

  it('that cannot be written is refused with what to do', () => {
    const settings = { level: 'info', format: 'json', file: '/dev/null/x/host.log' } as const;
    const terminal = { fd: 1, write: () => undefined };
    expect(() => openLog(settings, terminal)).toThrow('The log cannot be written');
  });
});
