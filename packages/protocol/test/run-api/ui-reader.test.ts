import { describe, expect, it } from 'vitest';
import { readUi } from '../../src/run-api/ui-reader.ts';

const card = (...children: unknown[]) => ({ version: '2.0', root: { type: 'stack', children } });

describe('a reader of cards', () => {
  it('shows a fallback for a node of a newer host, and for one that is not as it should be', () => {
    const read = readUi(
      card({ type: 'hologram', title: 'a cube' }, { type: 'link', label: 'go', url: 'javascript:1' }),
    );
    expect(read).toEqual({
      version: '2.0',
      locale: 'en',
      status: 'info',
      theme: 'default',
      root: {
        type: 'stack',
        appearance: 'plain',
        children: [
          { type: 'fallback', text: 'a cube' },
          { type: 'fallback', text: 'go' },
        ],
      },
    });
  });

  it('stops at a depth that no host writes', () => {
    let node: unknown = { type: 'text', content: 'deep' };
    for (let n = 0; n < 10_000; n += 1) node = { type: 'stack', children: [node] };
    expect(JSON.stringify(readUi(card(node)))).toContain('fallback');
  });

  it.each([null, 7, [], {}, { root: 7 }])('takes no card from %j', (value) => {
    expect(readUi(value)).toBeNull();
  });
});
