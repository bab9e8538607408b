import { describe, expect, test } from 'vitest';
import { readLine } from '../../../../src/main/commands/chat/chat-line.ts';

describe('a line that was typed', () => {
  test.each([
    ['', { kind: 'nothing' }],
    ['   ', { kind: 'nothing' }],
    ['hello there', { kind: 'message', agent: null, text: 'hello there' }],
    ['@scout look around', { kind: 'message', agent: 'scout', text: 'look around' }],
    ['@scout', { kind: 'message', agent: null, text: '@scout' }],
    ['mail me@home now', { kind: 'message', agent: null, text: 'mail me@home now' }],
    ['/agents', { kind: 'command', name: 'agents', words: '' }],
    ['  /invite  scout ', { kind: 'command', name: 'invite', words: 'scout' }],
    ['/resume 1234', { kind: 'command', name: 'resume', words: '1234' }],
    ['/stream 3', { kind: 'message', agent: null, text: '/stream 3' }],
    ['/agentsmith', { kind: 'message', agent: null, text: '/agentsmith' }],
    ['@scout /stream 3', { kind: 'message', agent: 'scout', text: '/stream 3' }],
  ])('%j is read as it was meant', (line, read) => {
    expect(readLine(line)).toEqual(read);
  });
});
