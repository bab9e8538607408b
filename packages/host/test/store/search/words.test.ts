import { limits } from '@rostra/protocol/wire/limits';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { best, scoreOf, weightOf } from '../../../src/store/search/ranking.ts';
import { queryWords, wordsOf } from '../../../src/store/search/words.ts';

const texts = (query: string) => queryWords(query).map(({ text }) => text);

describe('the words of a message', () => {
  it.each([
    ['Hello, World! it’s 42', ['hello', 'world', 'it', 's', '42']],
    ['Crème BRÛLÉE', ['creme', 'brulee']],
    ['数据库', ['数据', '据库', '库']],
    ['データベース', ['デー', 'ータ', 'タベ', 'ベー', 'ース', 'ス']],
    ['데이터', ['데이', '이터', '터']],
    ['MySQL数据 v8', ['mysql', '数据', '据', 'v8']],
    ['ｆｕｌｌ　ｗｉｄｔｈ', ['full', 'width']],
    ['हिन्दी', ['हिन्दी']],
    ['𠀀𠀁', ['𠀀𠀁', '𠀁']],
    ['… — !!', []],
  ])('%j are %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('are those of its beginning, each of a bounded length', () => {
    expect(wordsOf('a '.repeat(limits.search_chars))).toHaveLength(limits.search_chars / 2);
    expect(wordsOf('x'.repeat(1000))).toEqual(['x'.repeat(limits.search_word_chars)]);
  });

  it('are the same whether or not anything else than ASCII stands beside them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 200 }), (text) => {
        expect(wordsOf(text)).toEqual(wordsOf(`… ${text}`));
      }),
    );
  });

  it('are single tokens to the index, whatever the text is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        // What is no ASCII letter or digit must lie outside of ASCII: the index splits nothing there.
        const isSafe = (word: string) => [...word].every((each) => each > '\u007f' || /[a-z0-9]/.test(each));
        for (const word of wordsOf(text)) expect(word).toSatisfy(isSafe);
      }),
    );
  });
});

describe('the words of a query', () => {
  it('are pairs, and a single character stands for all that begins with it', () => {
    expect(texts('用户之前提到的数据库连接信息')).toContain('据库');
    expect(queryWords('库')).toEqual([{ text: '库', open: true }]);
    expect(queryWords('a')).toEqual([{ text: 'a', open: false }]);
  });

  it('are each sought once, and only so many', () => {
    expect(texts('tick tock TICK')).toEqual(['tick', 'tock']);
    expect(texts(Array.from({ length: 200 }, (_, n) => `w${n}`).join(' '))).toHaveLength(limits.search_terms);
  });

  it('hold no operator (case 42)', () => {
    expect(texts('"a" NEAR(b, 3) OR words:c* ^d %_')).toEqual(['a', 'near', 'b', '3', 'or', 'words', 'c', 'd']);
  });
});

describe('the ranking', () => {
  const [one, two] = [
    { text: 'one', open: false },
    { text: 'two', open: false },
  ];
  it('prefers rare words, more words, and short messages', () => {
    expect(weightOf(1, 100)).toBeGreaterThan(weightOf(50, 100));
    expect(weightOf(100, 100)).toBeGreaterThan(0);
    const query = new Map([
      [one, 2],
      [two, 1],
    ]);
    expect(scoreOf(['one'], query)).toBeGreaterThan(scoreOf(['two'], query));
    expect(scoreOf(['one', 'two'], query)).toBeGreaterThan(scoreOf(['one', 'one'], query));
    expect(scoreOf(['one'], query)).toBeGreaterThan(scoreOf(['one', ...Array<string>(99).fill('x')], query));
    expect(scoreOf(['x'], query)).toBe(0);
  });

  it('takes the highest scores, the last first among equals', () => {
    const found = [3, 1, 3, 2].map((score, place) => ({ score, place }));
    expect(best(found, 3).map(({ place }) => place)).toEqual([2, 0, 3]);
    expect(best(found, 9)).toHaveLength(4);
    expect(best([], 3)).toEqual([]);
  });
});
