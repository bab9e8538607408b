import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunksOf, type DocumentChunk } from '../../../../src/capabilities/knowledge/documents/chunker.ts';

function cut(text: string, { isMarkdown = true, chars = 100, overlap = 20 } = {}): DocumentChunk[] {
  return [...chunksOf([{ page: null, text }], isMarkdown, { chars, overlap })];
}

function contents(chunks: readonly DocumentChunk[]): string[] {
  return chunks.map(({ content }) => content);
}

test('a section is a chunk, and keeps the headings above it', () => {
  const text = '# Boats\n\nSmall ones.\n\n## Fees\n\nTen a day.\n\n## Hours\n\nSix to nine.\n\n# Cars\n\nNone.';
  expect(cut(text).map(({ content, heading }) => [heading, content])).toEqual([
    ['Boats', '# Boats\n\nSmall ones.'],
    ['Boats › Fees', '## Fees\n\nTen a day.'],
    ['Boats › Hours', '## Hours\n\nSix to nine.'],
    ['Cars', '# Cars\n\nNone.'],
  ]);
});

test('a heading without words of its own stands before what is below it', () => {
  expect(contents(cut('# Boats\n\n## Fees\n\nTen a day.\n\n# End'))).toEqual([
    '# Boats\n\n## Fees\n\nTen a day.',
    '# End',
  ]);
});

test('headings may be underlined; what stands in code is none', () => {
  const [first, ...more] = cut('Boats\n=====\n\n```sh\n# not a heading\n\nls\n```\n\nafter');
  expect(more).toEqual([]);
  expect(first).toMatchObject({ heading: 'Boats', content: 'Boats\n\n```sh\n# not a heading\n\nls\n```\n\nafter' });
});

test('a plain text has no headings', () => {
  expect(cut('# Boats\n\nSmall.', { isMarkdown: false })).toEqual([
    { position: 0, content: '# Boats\n\nSmall.', page: null, heading: null },
  ]);
});

test('paragraphs share a chunk as long as they fit', () => {
  const paragraph = 'x'.repeat(45);
  expect(contents(cut([paragraph, paragraph, paragraph].join('\n\n'), { overlap: 0 }))).toEqual([
    `${paragraph}\n\n${paragraph}`,
    paragraph,
  ]);
});

test('a long paragraph is cut after sentences, and each chunk repeats the end of the one before', () => {
  const text = Array.from({ length: 12 }, (_, i) => `Sentence number ${i} is here.`).join(' ');
  const chunks = contents(cut(text, { overlap: 40 }));
  expect(chunks.length).toBeGreaterThan(3);
  for (const [index, chunk] of chunks.entries()) {
    expect(chunk).toMatch(/^Sentence.*here\.$/s);
    const before = chunks[index - 1];
    if (before !== undefined) expect(before).toContain(chunk.slice(0, 20));
  }
});

test('text without spaces is cut after its own full stops', () => {
  const chunks = contents(cut('港口六点开门。船只在门外等待。费用五月到期。'.repeat(12)));
  for (const chunk of chunks) expect(chunk.endsWith('。')).toBe(true);
});

test('pages are not mixed, and positions go on', () => {
  const pages = [
    { page: 1, text: 'one' },
    { page: 3, text: 'three' },
  ];
  expect([...chunksOf(pages, false)]).toEqual([
    { position: 0, content: 'one', page: 1, heading: null },
    { position: 1, content: 'three', page: 3, heading: null },
  ]);
});

test('whatever the text, no chunk is too long, no character is cut, and every word is found', () => {
  const words = fc.oneof(
    fc.constantFrom('\n', '\n\n', ' ', '# ', '```\n', '. ', '。', '---\n', '😀', '港'),
    fc.string({ unit: 'binary', maxLength: 60 }).map((text) => text.replaceAll('\r', '')),
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 80 }), fc.boolean(), (parts, isMarkdown) => {
      const text = parts.join('');
      const chunks = cut(text, { isMarkdown });
      const found = contents(chunks).join('\u0000');
      expect(chunks.filter(({ content }) => content.length > 100)).toEqual([]);
      expect(chunks.filter(({ content }) => Buffer.from(content).toString() !== content)).toEqual([]);
      // A word that fits into a chunk stands in one as a whole, unless it is longer than where cuts are looked for.
      const short = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length <= 20);
      expect(short.filter((word) => !found.includes(word))).toEqual([]);
      expect(chunks.map(({ position }) => position)).toEqual(chunks.map((_, index) => index));
    }),
    { numRuns: 150 },
  );
});

test('five million characters are cut in time', () => {
  const text = `${'The harbour opens at six in the morning and closes at nine. '.repeat(20)}\n\n`.repeat(4000);
  const start = performance.now();
  const chunks = [...chunksOf([{ page: null, text: text }], true)];
  expect(chunks.length).toBeGreaterThanOrEqual(4000);
  expect(performance.now() - start).toBeLessThan(5000);
});
