import type { UiNode } from '@rostra/protocol/run-api/ui-schema';
import { expect, test } from 'vitest';
import { cardLines } from '../../../../src/main/commands/chat/card-lines.ts';

const ui = (...children: UiNode[]) => ({
  version: '2.0',
  locale: 'en',
  status: 'info',
  theme: 'default',
  root: { type: 'stack', appearance: 'card', children },
});
const says = (label: string, disabled = false): UiNode => ({
  type: 'button',
  label,
  action: { type: 'send_message', text: `say ${label}` },
  disabled,
});

test('what can be said by a card has numbers, in the order of the card', () => {
  const { lines, choices } = cardLines(
    ui(
      { type: 'text', content: 'What now?', role: 'title' },
      { type: 'list', ordered: true, children: [says('one'), { type: 'text', content: 'the first', role: 'caption' }] },
      { type: 'stack', appearance: 'plain', direction: 'horizontal', children: [says('two'), says('three')] },
    ),
  );
  expect(lines).toEqual(['What now?', '1) one', '   the first', '2) two  3) three']);
  expect(choices.map(({ text }) => text)).toEqual(['say one', 'say two', 'say three']);
});

test('what a terminal cannot do has no number', () => {
  const { lines, choices } = cardLines(
    ui(
      says('past', true),
      { type: 'button', label: 'Read', action: { type: 'open_url', url: 'https://example.com' } },
      { type: 'button', label: 'Call', action: { type: 'call_tool', name: 'x', args: {} } },
      { type: 'kv', items: [{ label: 'When', value: 'now' }] },
      {
        type: 'table',
        columns: [
          { key: 'a', label: 'A' },
          { key: 'b', label: 'B' },
        ],
        rows: [{ a: 1, b: null }],
      },
      { type: 'badge', label: 'DONE', status: 'success' },
      { type: 'progress', value: 0.5, label: 'half' },
    ),
  );
  expect(lines).toEqual(['Read: https://example.com', 'When: now', '1 | ', '[DONE]', 'half 50 %']);
  expect(choices).toEqual([]);
});

test('what is no card has no lines', () => {
  expect(cardLines({ version: '9' })).toEqual({ lines: [], choices: [] });
});
