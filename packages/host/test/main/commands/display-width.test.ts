import { expect, test } from 'vitest';
import { displayWidth, padded } from '../../../src/main/commands/display-width.ts';
import { short, table } from '../../../src/main/commands/printing.ts';

test.each([
  ['Latin', 'title', 5],
  ['Chinese', '会话标题测试', 12],
  ['Hangul', '한글', 4],
  ['Hangul in its parts', '한'.normalize('NFD'), 2],
  ['kana', 'かナ', 4],
  ['halfwidth kana', 'ｶﾅ', 2],
  ['fullwidth Latin', 'ＡＢ', 4],
  ['a letter and its accent', 'e\u0301', 1],
  ['a blank that is not seen', 'a\u200bb', 2],
  ['a picture', '🙂', 2],
  ['a picture of several', '👨‍👩‍👧', 2],
  ['a sign drawn as a picture', '❤️', 2],
  ['a flag', '🇩🇪', 2],
  ['signs of text', '→–…“”', 5],
])('%s takes its columns', (_, text, width) => {
  expect(displayWidth(text)).toBe(width);
  expect(displayWidth(padded(text, 20))).toBe(20);
});

test('a text is cut between characters, to its columns', () => {
  expect(short('会话标题测试', 12)).toBe('会话标题测试');
  expect(short('会话标题测试', 11)).toBe('会话标题测…');
  expect(short('会话标题测试', 10)).toBe('会话标题…');
  expect(short('👨‍👩‍👧👨‍👩‍👧', 3)).toBe('👨‍👩‍👧…');
  expect(short('plain', 5)).toBe('plain');
  expect(short('plainer', 5)).toBe('plai…');
  expect(short('x'.repeat(6), 1)).toBe('…');
});

test('columns stand below each other where a row is in Chinese', () => {
  const rows = [
    ['a', '会话标题测试', 'x'],
    ['b', 'plain', 'y'],
  ];
  expect(table(['id', 'title', 'agent'], rows, '')).toBe(
    'id  title         agent\na   会话标题测试  x\nb   plain         y\n',
  );
});
