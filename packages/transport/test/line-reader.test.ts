import { limits } from '@rostra/protocol/wire/limits';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineReader } from '../src/line-reader.ts';

function collect(limit: number, chunks: readonly Buffer[], end = true) {
  const lines: string[] = [];
  const overlong: string[] = [];
  let bytes = 0;
  const reader = new LineReader(limit, {
    onLine: (line, size) => {
      lines.push(line);
      bytes += size;
    },
    onOverlong: (start) => void overlong.push(start),
  });
  for (const chunk of chunks) reader.push(chunk);
  if (end) reader.end();
  return { lines, overlong, bytes };
}

/** Cuts bytes at the given places, which may repeat and lie anywhere. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const marks = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return marks.slice(1).map((mark, index) => bytes.subarray(marks[index], mark));
}

test('any split of the bytes gives the same lines', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replaceAll('\n', ' '));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat()), (lines, places) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
      expect(collect(1024, cut(bytes, places)).lines).toEqual(lines);
    }),
  );
});

test('a character torn between two chunks arrives whole', () => {
  const bytes = Buffer.from('日程已创建 🚀\n');
  const single = [...bytes].map((byte) => Buffer.from([byte]));
  expect(collect(1024, single).lines).toEqual(['日程已创建 🚀']);
});

test('a line is measured in bytes, without its newline', () => {
  expect(collect(1024, [Buffer.from('äö\nx\n')]).bytes).toBe(5);
});

test('a line of exactly the limit is a line, one byte more is not', () => {
  const at = collect(8, [Buffer.from('12345678\nok\n')]);
  expect(at).toMatchObject({ lines: ['12345678', 'ok'], overlong: [] });
  const over = collect(8, [Buffer.from('123456789\nok\n')]);
  expect(over).toMatchObject({ lines: ['ok'], overlong: ['12345678'] });
});

test('a line without end is reported as soon as it outgrows the limit, and only once', () => {
  const flood = Array.from({ length: 5 }, () => Buffer.from('abcdef'));
  expect(collect(8, flood, false)).toMatchObject({ lines: [], overlong: ['abcdefab'] });
  expect(collect(8, [...flood, Buffer.from('\nafter\n')])).toMatchObject({ lines: ['after'], overlong: ['abcdefab'] });
});

test('the beginning of an overlong line is cut to what a log shows', () => {
  const { overlong } = collect(limits.frame_bytes, [Buffer.alloc(limits.frame_bytes + 1, 'x')]);
  expect(overlong[0]).toHaveLength(limits.log_line_chars);
});

test('what has no newline when the stream ends is the last line', () => {
  expect(collect(8, [Buffer.from('a\nb')]).lines).toEqual(['a', 'b']);
  expect(collect(8, [Buffer.from('a\nb')], false).lines).toEqual(['a']);
});

test('a reader that is stopped inside a chunk delivers nothing more of it', () => {
  const lines: string[] = [];
  const reader = new LineReader(8, {
    onLine: (line) => {
      lines.push(line);
      reader.stop();
    },
    onOverlong: () => undefined,
  });
  reader.push(Buffer.from('a\nb\nc\n'));
  reader.end();
  expect(lines).toEqual(['a']);
});
