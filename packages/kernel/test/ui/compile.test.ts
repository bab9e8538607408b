import { readUi } from '@rostra/protocol/run-api/ui-reader';
import { UiSchemaRenderer } from '@rostra/protocol/run-api/ui-schema';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileUi } from '../../src/ui/compile.ts';

const origin = { locale: 'en', trace_id: 'trace-1' };
const compile = (hints: Json) => compileUi(hints, origin);
const rootOf = (hints: Json) => {
  const made = compile(hints);
  if ('refused' in made) throw new Error(made.refused);
  return made.ui.root;
};
const refusal = (hints: Json) => {
  const made = compile(hints);
  return 'refused' in made ? made.refused : null;
};
const stack = (...children: Json[]): Json => ({ type: 'stack', appearance: 'card', children });
const text = (content: string): Json => ({ type: 'text', content, role: 'body' });

describe('a card', () => {
  it('of the contract is compiled as it stands, in its envelope', () => {
    const root = stack(
      { type: 'text', content: '日程已创建', role: 'title' },
      { type: 'badge', label: 'SUCCESS', status: 'success' },
      { type: 'text', content: '您的会议日程创建成功', role: 'body' },
    );
    const hints = { locale: 'zh-CN', status: 'success', theme: 'default', root };
    const ui = {
      version: '2.0',
      locale: 'zh-CN',
      status: 'success',
      theme: 'default',
      meta: { traceId: 'trace-1' },
      root,
    };
    expect(compile(hints)).toEqual({ ui });
  });

  it('has the language of whoever asked, and a neutral status, unless it says something else', () => {
    expect(compileUi(stack(), { locale: 'zh-CN', trace_id: null })).toEqual({
      ui: {
        version: '2.0',
        locale: 'zh-CN',
        status: 'info',
        theme: 'default',
        root: { type: 'stack', appearance: 'card', children: [] },
      },
    });
    const made = compileUi({ status: 'purple', theme: 7, root: stack() }, { ...origin, tool_id: 'find' });
    expect(made).toMatchObject({ ui: { status: 'info', theme: 'default', meta: { toolId: 'find' } } });
  });

  it('may be told in simple words', () => {
    const hints = {
      actions: [{ label: 'Again', action: { type: 'send_message', text: '/again' } }],
      kv: { Where: 'Room 4', Seats: 12 },
      badge: 'DONE',
      status: 'success',
      title: 'Booked',
      text: 'All is well.',
      colour: 'mauve',
    };
    expect(rootOf(hints)).toEqual({
      type: 'stack',
      appearance: 'card',
      children: [
        { type: 'text', content: 'Booked', role: 'title' },
        { type: 'badge', label: 'DONE', status: 'success' },
        { type: 'text', content: 'All is well.', role: 'body' },
        {
          type: 'kv',
          items: [
            { label: 'Where', value: 'Room 4' },
            { label: 'Seats', value: '12' },
          ],
        },
        {
          type: 'stack',
          appearance: 'plain',
          direction: 'horizontal',
          wrap: true,
          gap: 'small',
          children: [{ type: 'button', label: 'Again', action: { type: 'send_message', text: '/again' } }],
        },
      ],
    });
    expect(rootOf('just this')).toEqual({ type: 'stack', appearance: 'card', children: [text('just this')] });
  });

  it('keeps only what the schema knows of a node', () => {
    expect(rootOf({ type: 'text', content: 'x', onclick: 'alert(1)', style: 'x' })).toEqual(text('x'));
  });

  it('shows a fallback where a node is not known (case 73)', () => {
    const root = stack(text('a'), { type: 'iframe', src: 'https://evil.example', label: 'a map' }, 7);
    expect(rootOf(root)).toEqual(stack(text('a'), { type: 'fallback', text: 'a map' }, { type: 'fallback', text: '' }));
  });

  it.each<[string, Json]>([
    ['javascript:alert(1)', { type: 'link', label: 'x', url: 'javascript:alert(1)' }],
    ['a page of its own', { type: 'link', label: 'x', url: 'data:text/html,<script>1</script>' }],
    ['plain http', { type: 'link', label: 'x', url: 'http://example.com' }],
    ['a disguised host', { type: 'link', label: 'x', url: 'https://good.example@evil.example/' }],
    ['javascript: behind a button', { type: 'button', label: 'x', action: { type: 'open_url', url: 'JavaScript:1' } }],
    ['an image that is no address of ours', { type: 'image', alt: 'x', url: 'file:///etc/passwd' }],
    ['an image without words', { type: 'image', url: 'https://example.com/a.png' }],
    ['an icon of its own', { type: 'icon', name: '<svg onload=1>' }],
    ['an action that there is not', { type: 'button', label: 'x', action: { type: 'eval', code: '1' } }],
    ['a field without a form', { type: 'input', name: 'a', label: 'A' }],
    ['a form without its action', { type: 'form', id: 'f', children: [] }],
    ['the submission of no form', { type: 'button', label: 'x', action: { type: 'submit', formId: 'f' } }],
    ['a text that is none', { type: 'text', content: { html: '<b>' } }],
    ['nothing known', { colour: 'mauve' }],
    ['a number', 7],
  ])('with %s is refused as a whole (case 73)', (_, hints) => {
    expect(refusal(hints)).toEqual(expect.any(String));
  });

  it('says where it is wrong', () => {
    const root = stack(text('a'), { type: 'link', label: 'x', url: 'javascript:1' });
    expect(refusal({ root })).toBe('root.children[1].url: must be an https address');
  });
});

describe('the caps of a card (case 73)', () => {
  const deep = (levels: number): Json => (levels === 1 ? text('x') : { type: 'stack', children: [deep(levels - 1)] });
  const wide = (nodes: number) => stack(...Array.from({ length: nodes - 1 }, () => ({ type: 'divider' })));

  it('allow 8 levels and no 9th', () => {
    expect(refusal(deep(limits.ui_depth))).toBeNull();
    expect(refusal(deep(limits.ui_depth + 1))).toBe('it nests deeper than 8 levels');
    expect(refusal(deep(5000))).toBe('it nests deeper than 8 levels');
  });

  it('allow 200 nodes and no more', () => {
    expect(refusal(wide(limits.ui_nodes))).toBeNull();
    expect(refusal(wide(limits.ui_nodes + 1))).toBe('it has more than 200 nodes');
  });

  it('allow a text of 20,000 characters and no more', () => {
    expect(refusal(text('x'.repeat(20_000)))).toBeNull();
    expect(refusal(text('x'.repeat(20_001)))).toMatch(/^root\.content: /);
  });

  it('allow 64 KB and no more', () => {
    const words = (n: number) => stack(...Array.from({ length: 4 }, () => text('x'.repeat(n))));
    expect(refusal(words(16_200))).toBeNull();
    expect(refusal(words(16_400))).toBe('it has more than 65536 bytes');
  });
});

describe('whatever the hints are', () => {
  const leaf = fc.oneof(
    fc.jsonValue(),
    fc.record({
      type: fc.constantFrom('text', 'badge', 'link', 'button', 'nothing'),
      content: fc.string(),
      label: fc.string(),
    }),
  );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 10 },
      leaf,
      fc.record({
        type: fc.constantFrom('stack', 'list', 'form', 'x'),
        children: fc.array(tie('tree'), { maxLength: 6 }),
      }),
    ),
  }));

  it('a compiled card passes its own schema, and any reader reads it back as it is', () => {
    fc.assert(
      fc.property(tree, (hints) => {
        const made = compile(JSON.parse(JSON.stringify(hints ?? null)));
        if ('refused' in made) return;
        expect(UiSchemaRenderer.parse(made.ui)).toEqual(made.ui);
        expect({ ...readUi(made.ui), meta: made.ui.meta }).toEqual(made.ui);
      }),
    );
  });
});
