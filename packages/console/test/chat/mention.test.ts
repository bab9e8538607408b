import { describe, expect, it } from 'vitest';
import { addressee, mentionAt, suggestions } from '../../src/chat/mention.ts';

const agents = ['guide', 'scout', 'guide-2'];

describe('a mention', () => {
  it.each([
    ['@', 1, { from: 0, typed: '' }],
    ['@gu', 3, { from: 0, typed: 'gu' }],
    ['ask @sc', 7, { from: 4, typed: 'sc' }],
    ['mail@host', 9, null],
    ['@guide ', 7, null],
  ])('is found in %j at %i', (text, cursor, found) => {
    expect(mentionAt(text, cursor)).toEqual(found);
  });

  it('offers agents that begin so, not the one that is complete', () => {
    expect(suggestions({ from: 0, typed: 'GU' }, agents)).toEqual(['guide', 'guide-2']);
    expect(suggestions({ from: 0, typed: 'guide' }, agents)).toEqual(['guide-2']);
    expect(suggestions(null, agents)).toEqual([]);
  });

  it.each([
    ['@scout look', { agentId: 'scout', text: 'look' }],
    ['@nobody look', { agentId: null, text: '@nobody look' }],
    ['@scout', { agentId: 'scout', text: '@scout' }],
    ['look @scout', { agentId: null, text: 'look @scout' }],
  ])('addresses an agent at the beginning only: %j', (text, found) => {
    expect(addressee(text, agents)).toEqual(found);
  });
});
