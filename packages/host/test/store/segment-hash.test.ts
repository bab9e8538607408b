import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CorruptLogError } from '../../src/store/port.ts';
import { chainUnit, genesis, type HashedSegment, sha256Hash, verifyChain } from '../../src/store/segment-hash.ts';
import { SessionUnits, segmentOf } from './session-units.ts';

describe('the hash of a segment', () => {
  it('is the same on every machine', () => {
    expect(sha256Hash(genesis.hash, 's', 1, 1, '{"seq":1}\n')).toBe(
      '511cbdd6059dbd478356a4b3cf49ec6837f6d027cd7108b4ed747e83154a260f',
    );
  });

  it('differs when any part differs', () => {
    const part = fc.record({
      previous: fc.stringMatching(/^[0-9a-f]{64}$/),
      session_id: fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '1', ' ') }),
      first_seq: fc.nat(20),
      epoch: fc.nat(20),
      body: fc.string({ unit: fc.constantFrom('1', '\n', '"', 'a') }),
    });
    fc.assert(
      fc.property(part, part, (a, b) => {
        const [x, y] = [a, b].map((p) => sha256Hash(p.previous, p.session_id, p.first_seq, p.epoch, p.body));
        expect(x === y).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });
});

describe('a chain of segments', () => {
  function chained(): HashedSegment[] {
    const segments = [segmentOf(1, 2, 1), segmentOf(3, 3, 1), segmentOf(4, 6, 1)];
    const hashes = chainUnit(new SessionUnits('s').next(6, { segments }), genesis.hash, sha256Hash);
    return segments.map((segment, index) => ({ ...segment, hash: hashes[index]! }));
  }

  it('verifies as it was written, in one piece or two', () => {
    const segments = chained();
    const head = verifyChain('s', genesis, segments, sha256Hash);
    expect(head).toEqual({ seq: 6, hash: segments[2]!.hash });
    const middle = verifyChain('s', genesis, segments.slice(0, 1), sha256Hash);
    expect(verifyChain('s', middle, segments.slice(1), sha256Hash)).toEqual(head);
  });

  it('of another session does not verify', () => {
    expect(() => verifyChain('t', genesis, chained(), sha256Hash)).toThrow(CorruptLogError);
  });

  it('does not verify after any single change', () => {
    const position = fc.nat(2);
    const change = fc.oneof(
      fc.nat(30).map((at) => (s: HashedSegment) => ({ ...s, body: `${s.body.slice(0, at)}~${s.body.slice(at + 1)}` })),
      fc.constant((s: HashedSegment) => ({ ...s, epoch: s.epoch + 1 })),
      fc.constant((s: HashedSegment) => ({ ...s, first_seq: s.first_seq + 1 })),
      fc.constant((s: HashedSegment) => ({ ...s, hash: genesis.hash })),
    );
    fc.assert(
      fc.property(position, change, (index, changed) => {
        const segments = chained();
        segments[index] = changed(segments[index]!);
        expect(() => verifyChain('s', genesis, segments, sha256Hash)).toThrow(CorruptLogError);
      }),
    );
  });
});
