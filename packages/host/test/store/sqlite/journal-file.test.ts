import fc from 'fast-check';
import { expect, it } from 'vitest';
import { journalEntries, journalEntry } from '../../../src/store/sqlite/journal-file.ts';

const salts = fc.uniqueArray(fc.integer({ min: 1, max: 0xffff_fffe }), { minLength: 2, maxLength: 2 });
const commits = fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 8 });

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
