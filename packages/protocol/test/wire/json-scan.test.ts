import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanJson } from '../../src/wire/json-scan.ts';

const cap = { depth: 32, nodes: 10_000 };
const encode = (text: string) => new TextEncoder().encode(text);
const scan = (text: string) => scanJson(encode(text), cap);

/** Counts what the scan counts, on the parsed value. */
function measure(value: unknown): { depth: number; nodes: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, nodes: 1 };
  let depth = 0;
  let nodes = 1;
  for (const child of Object.values(value)) {
    const inner = measure(child);
    depth = Math.max(depth, inner.depth);
    nodes += inner.nodes;
  }
  return { depth: depth + 1, nodes };
}

describe('scanJson', () => {
  it('lets 32 levels pass and stops at the 33rd', () => {
    expect(scan(`${'['.repeat(32)}${']'.repeat(32)}`)).toBeNull();
    expect(scan(`${'['.repeat(33)}${']'.repeat(33)}`)).toBe('too_deep');
    expect(scan(`${'{"a":'.repeat(32)}1${'}'.repeat(32)}`)).toBeNull();
    expect(scan(`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`)).toBe('too_deep');
  });

  it('stops a bomb of 200,000 open brackets without recursion', () => {
    expect(scan('['.repeat(200_000))).toBe('too_deep');
    expect(scan('{"a":'.repeat(50_000))).toBe('too_deep');
  });

  it('lets 10,000 values pass and stops at the next one, whatever they are', () => {
    const list = (n: number, item: string) => `[${Array.from({ length: n }, () => item).join(',')}]`;
    for (const item of ['1', '"x"', 'null', '{}', '[]', '-1.5e3']) {
      expect(scan(list(9_999, item))).toBeNull();
      expect(scan(list(10_000, item))).toBe('too_many_nodes');
    }
  });

  it('counts the value of a repeated key every time and keys never', () => {
    const members = (n: number) => `{${Array.from({ length: n }, () => '"a":{}').join(',')}}`;
    expect(scan(members(9_999))).toBeNull();
    expect(scan(members(10_000))).toBe('too_many_nodes');
  });

  it('does not count brackets, commas and escaped quotes inside strings', () => {
    expect(scan(JSON.stringify({ a: '[[['.repeat(1000), b: '\\"{[,', c: '"'.repeat(50) }))).toBeNull();
  });

  it('refuses a byte order mark', () => {
    expect(scan('\uFEFF{}')).toBe('byte_order_mark');
  });

  it.each([
    ['an overlong slash', [0xc0, 0xaf]],
    ['an overlong three-byte form', [0xe0, 0x80, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a code point beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['a lone continuation byte', [0x80]],
    ['a truncated sequence', [0xe4, 0xb8]],
    ['Latin-1', [0xe9]],
  ])('refuses %s as invalid UTF-8, in a string and outside', (_name, bytes) => {
    expect(scanJson(Uint8Array.from([0x22, ...bytes, 0x22]), cap)).toBe('invalid_utf8');
    expect(scanJson(Uint8Array.from(bytes), cap)).toBe('invalid_utf8');
  });

  it('passes over half a surrogate pair where it is told to, and finds what is behind it', () => {
    const cap = { depth: 2, nodes: 10, halves: true };
    expect(scanJson(Buffer.from('["\\ud83d","\\ud83dx","\\ude00"]'), cap)).toBeNull();
    expect(scanJson(Buffer.from('["\\ud83d",[[1]]]'), cap)).toBe('too_deep');
    expect(scanJson(Buffer.from('["\\ud83d\\"",[[1]]]'), cap)).toBe('too_deep');
  });

  it('refuses half a surrogate pair and takes a whole one', () => {
    expect(scan('"\\ud83d\\ude00"')).toBeNull();
    expect(scan('"\\uD83D\\uDE00"')).toBeNull();
    expect(scan('"\\ud83d"')).toBe('lone_surrogate');
    expect(scan('"\\ude00"')).toBe('lone_surrogate');
    expect(scan('"\\ud83dx"')).toBe('lone_surrogate');
    expect(scan('"\\ud83d\\ud83d"')).toBe('lone_surrogate');
    expect(scan('{"\\ude00":1}')).toBe('lone_surrogate');
    expect(scan('"\\\\ud83d"')).toBeNull();
  });

  it('agrees with a count over the parsed value, for any JSON and any caps', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(8), fc.nat(40), (value, depth, nodes) => {
        // What is written twice the same way loses duplicate keys and -0, which change no count.
        const text = JSON.stringify(value, null, depth % 2 === 0 ? 0 : 2);
        const size = measure(JSON.parse(text));
        const fault = scanJson(encode(text), { depth, nodes });
        if (size.depth <= depth && size.nodes <= nodes) expect(fault).toBeNull();
        else expect(fault === 'too_deep' || fault === 'too_many_nodes').toBe(true);
      }),
    );
  });

  it('finds exactly the byte strings that a strict decoder refuses', () => {
    const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const decodes = (bytes: Uint8Array) => {
      try {
        strict.decode(bytes);
        return true;
      } catch (error) {
        if (error instanceof TypeError) return false;
        throw error;
      }
    };
    const byte = fc.oneof(
      fc.integer({ min: 0x80, max: 0xff }),
      fc.constantFrom(0x41, 0xe0, 0xed, 0xf0, 0xf4, 0x80, 0xa0),
    );
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 8 }), (raw) => {
        const bytes = Uint8Array.from([0x22, ...raw, 0x22]);
        expect(scanJson(bytes, cap) === null).toBe(decodes(bytes));
      }),
      { numRuns: 2000 },
    );
  });

  it('ends on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        scanJson(bytes, cap);
      }),
    );
  });

  it('takes time in proportion to the size', () => {
    const time = (size: number) => {
      const bytes = encode(`"${'\\u0041'.repeat(size)}"`);
      const start = performance.now();
      scanJson(bytes, cap);
      return performance.now() - start;
    };
    time(10_000);
    expect(time(400_000)).toBeLessThan(500);
  });
});
