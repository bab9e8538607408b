import type { UiNode, UiSchemaRenderer } from '@rostra/protocol/run-api/ui-schema';
import { describe, expect, it } from 'vitest';
import { withSignedImages } from '../../src/ui/attached-images.ts';
import { inert } from '../../src/ui/inert.ts';

const ui = (...children: UiNode[]): UiSchemaRenderer => ({
  version: '2.0',
  locale: 'en',
  status: 'info',
  theme: 'default',
  root: { type: 'stack', appearance: 'card', children },
});
const button = (action: Extract<UiNode, { type: 'button' }>['action']): UiNode => ({
  type: 'button',
  label: 'x',
  action,
});
const resume = (interruptId: string) => ({ type: 'resume', interruptId, status: 'resolved' }) as const;
const form = (id: string, interruptId: string): UiNode => ({
  type: 'form',
  id,
  action: resume(interruptId),
  children: [button({ type: 'submit', formId: id })],
});

describe('a card of the past', () => {
  it('does nothing again but open addresses', () => {
    const past = inert(
      ui(
        button({ type: 'send_message', text: 'again' }),
        button({ type: 'call_tool', name: 'pay', args: {} }),
        button(resume('i1')),
        button({ type: 'open_url', url: 'https://example.com' }),
      ),
      { open: new Set() },
    );
    expect(past.root).toMatchObject({
      children: [{ disabled: true }, { disabled: true }, { disabled: true }, { action: { type: 'open_url' } }],
    });
    expect(JSON.stringify(past).match(/"disabled":true/g)).toHaveLength(3);
  });

  it('can still answer a question that is open, by a button or by a form', () => {
    const card = ui(button(resume('open')), form('f', 'open'));
    expect(inert(card, { open: new Set(['open']) })).toEqual(card);
    expect(inert(card, { open: new Set(['other']) }).root).toMatchObject({
      children: [{ disabled: true }, { disabled: true, children: [{ disabled: true }] }],
    });
  });

  it('can still be answered in words as long as nothing was said after it, and calls no tool', () => {
    const [say, pay] = [
      button({ type: 'send_message', text: 'on' }),
      button({ type: 'call_tool', name: 'pay', args: {} }),
    ];
    const note: UiNode = { type: 'form', id: 'f', action: { type: 'send_message', text: 'note' }, children: [] };
    const last = inert(ui(say, pay, note), { open: new Set(), isLast: true });
    expect(last.root).toEqual({ ...ui().root, children: [say, { ...pay, disabled: true }, note] });
  });
});

it('images that are files of the host get an address for their reader, others keep theirs', () => {
  const card = ui(
    { type: 'image', url: 'attachment:a-1', alt: 'x' },
    { type: 'image', url: 'https://example.com/x.png', alt: 'y' },
  );
  expect(withSignedImages(card, (id) => `https://host/${id}`).root).toMatchObject({
    children: [{ url: 'https://host/a-1' }, { url: 'https://example.com/x.png' }],
  });
});
