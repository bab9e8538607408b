import { readUi } from '@rostra/protocol/run-api/ui-reader';
import type { UiAction, UiNode } from '@rostra/protocol/run-api/ui-schema';
import { expect, it } from 'vitest';
import type { ChatItem } from '../../src/chat/chat-state.ts';
import { decided, gonePast } from '../../src/chat/past-card.ts';

const button = (action: UiAction): UiNode => ({ type: 'button', label: action.type, action });
const form: UiNode = { type: 'form', id: 'f', action: { type: 'send_message', text: 'note' }, children: [] };
const card = {
  version: 1,
  root: {
    type: 'stack',
    children: [
      button({ type: 'send_message', text: 'more' }),
      button({ type: 'call_tool', name: 'set_theme', args: {} }),
      button({ type: 'open_url', url: 'https://example.org' }),
      button({ type: 'resume', interruptId: 'q1', status: 'resolved' }),
      button({ type: 'submit', formId: 'f' }),
      form,
    ],
  },
};
const said: ChatItem = {
  kind: 'agent',
  id: 'a1',
  turnId: 't1',
  agentId: 'guide',
  text: '',
  reasoning: '',
  isOpen: false,
  isWhole: true,
  fate: 'complete',
  isEdited: false,
  ui: card,
  at: 0,
};

/** What of the card can no longer be used. */
function off([item]: readonly ChatItem[]): string[] {
  const root = item?.kind === 'agent' ? readUi(item.ui)?.root : undefined;
  const nodes = root !== undefined && 'children' in root ? root.children : [];
  return nodes.flatMap((node) => {
    if ((node.type !== 'button' && node.type !== 'form') || node.disabled !== true) return [];
    return node.type === 'form' ? 'form' : node.label;
  });
}

it('what a card offered to say or to do is over when somebody goes on', () => {
  expect(off([said])).toEqual([]);
  expect(off(gonePast([said]))).toEqual(['send_message', 'call_tool', 'submit', 'form']);
});

it('a card answers its question until that is decided', () => {
  expect(off(decided([said], 'q2', 't1'))).toEqual([]);
  expect(off(decided([said], 'q1', 't2'))).toEqual([]);
  expect(off(decided([said], 'q1', 't1'))).toEqual(['resume']);
});
