import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { journalBytes, journalEntries, journalEntry } from '../../../src/store/sqlite/journal-file.ts';

const salts = fc.uniqueArray(fc.integer({ min: 1, max: 0xffff_fffe }), { minLength: 2, maxLength: 2 });
const commits = fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { maxLength: 8 });
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rostra-journal-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const filled = (salt: number, entries: readonly Uint8Array[]) =>
  Buffer.concat(entries.flatMap((packed) => journalEntry(salt, packed)));
const read = (bytes: Buffer, salt: number) => [...journalEntries(bytes, salt)].map((packed) => [...packed]);
const listed = (entries: readonly Uint8Array[]) => entries.map((packed) => [...packed]);

it('what was written is read, whatever an earlier filling left behind it', () => {
  const property = fc.property(salts, commits, commits, fc.nat(), ([now = 1, before = 2], young, old, from) => {
    const bytes = filled(now, young);
    const left = filled(before, old);
    // A shorter filling covers the older one up to anywhere, also to the middle of an entry.
    const behind = left.subarray(from % (left.length + 1));
    expect(read(Buffer.concat([bytes, behind]), now)).toEqual(listed(young));
  });
  fc.assert(property, { numRuns: 300 });
});

it('a file that was cut, or changed, is read up to there, and nothing is read that was not written', () => {
  const property = fc.property(salts, commits, fc.nat(), fc.nat(), ([salt = 1], entries, cut, bit) => {
    const bytes = filled(salt, entries);
    const whole = listed(entries);
    const some = read(bytes.subarray(0, cut % (bytes.length + 1)), salt);
    expect(some).toEqual(whole.slice(0, some.length));
    if (bytes.length === 0) return;
    const at = bit % (bytes.length * 8);
    bytes.writeUInt8(bytes.readUInt8(at >> 3) ^ (1 << (at & 7)), at >> 3);
    const less = read(bytes, salt);
    expect(less.length).toBeLessThan(whole.length);
    expect(less).toEqual(whole.slice(0, less.length));
  });
  fc.assert(property, { numRuns: 300 });
});

it('of a large file no more is read than one filling holds behind its mark', () => {
  const path = join(folder, 'filled');
  const property = fc.property(salts, commits, commits, fc.nat(), ([now = 1, before = 2], young, old, from) => {
    const bytes = filled(now, young);
    writeFileSync(path, Buffer.concat([bytes, filled(before, old)]));
    const known = from % (young.length + 1);
    const offset = filled(now, young.slice(0, known)).length;
    expect(journalBytes(path, { salt: now, offset })).toEqual(bytes.subarray(offset));
    // A copy is made before anybody has read the mark: it is of the filling that the file begins with.
    expect(journalBytes(path, null)).toEqual(young.length > 0 ? bytes : filled(before, old));
  });
  fc.assert(property, { numRuns: 100 });
});

it('a file of zeros, a head that promises more than there is, and no file hold nothing that could be taken for a commit', () => {
  const path = join(folder, 'broken');
  writeFileSync(path, Buffer.alloc(1000));
  expect(journalBytes(path, null)).toHaveLength(0);
  expect(journalBytes(path, { salt: 7, offset: 0 })).toHaveLength(0);
  writeFileSync(path, filled(7, [new Uint8Array(50)]).subarray(0, 40));
  expect(read(journalBytes(path, { salt: 7, offset: 0 }), 7)).toEqual([]);
  expect(journalBytes(path, { salt: 7, offset: 400 })).toHaveLength(0);
  expect(journalBytes(join(folder, 'none'), null)).toHaveLength(0);
});
