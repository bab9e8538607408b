import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/config/nearest.ts';

describe('the nearest word', () => {
  const words = ['port', 'host', 'public_url', 'origins'];

  it.each([
    ['prot', 'port'],
    ['Port', 'port'],
    ['publicurl', 'public_url'],
    ['orgins', 'origins'],
    ['hos', 'host'],
  ])('to %s is %s', (word, expected) => {
    expect(nearest(word, words)).toBe(expected);
  });

  it.each(['x', 'listen', 'durability', ''])('to %j is none', (word) => {
    expect(nearest(word, words)).toBeNull();
  });
});
