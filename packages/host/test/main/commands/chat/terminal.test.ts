import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Terminal } from '../../../../src/main/commands/chat/terminal.ts';

const open: Terminal[] = [];

afterEach(() => {
  for (const terminal of open.splice(0)) terminal.close();
});

function stage(isTTY: boolean) {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  for (const stream of Object.values(streams)) Object.assign(stream, { isTTY });
  const terminal = new Terminal(streams as unknown as NodeJS.Process, { isJson: false, onInterrupt: () => undefined });
  open.push(terminal);
  const type = async (...lines: string[]) => {
    streams.stdin.write(lines.map((line) => `${line}\n`).join(''));
    await turn();
    await turn();
  };
  return { terminal, type };
}

describe('what is typed before a question is put', () => {
  it('by a person does not answer it, and is said when it is their turn again', async () => {
    const { terminal, type } = stage(true);
    await type('1', 'and then?');
    const giveBack = terminal.setAside();
    const answer = terminal.ask('1) Approve  2) Reject: ');
    await type('2', 'because');
    expect(await answer).toBe('2');
    expect(await terminal.ask('Why? ')).toBe('because');
    giveBack();
    expect([await terminal.ask('> '), await terminal.ask('> ')]).toEqual(['1', 'and then?']);
  });

  it('answers it from a pipe, which has all its lines from the start', async () => {
    const { terminal, type } = stage(false);
    await type('1');
    terminal.setAside();
    expect(await terminal.ask('1) Approve  2) Reject: ')).toBe('1');
  });
});
