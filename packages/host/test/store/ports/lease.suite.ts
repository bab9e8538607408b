import { limits } from '@rostra/protocol/wire/limits';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ClaimedSession, Unit, UnitResult } from '../../../src/store/port.ts';
import { SessionUnits } from '../session-units.ts';

/** The part of an engine that leases are about, with a clock that the test sets. */
export interface LeasesUnderTest {
  claim(session_id: string, holder: string): ClaimedSession | null;
  renew(holder: string): 'renewed' | 'lapsed';
  release(session_id: string, holder: string): void;
  commit(...units: Unit[]): UnitResult[];
  clock: { now: number };
}

/** The contract of leases, for every engine (SR-INV-C1, SR-INV-C4, SR-TO-lease). */
export function describeLeases(name: string, open: () => LeasesUnderTest | Promise<LeasesUnderTest>): void {
  describe(`${name}: leases`, () => {
    let under: LeasesUnderTest;
    beforeEach(async () => {
      under = await open();
      under.commit(new SessionUnits('s').next(2), new SessionUnits('t').next(1));
    });
    const held = { refusal: { reason: 'SESSION_HELD', retryable: true } };
    const refusalOf = (work: () => unknown) => {
      try {
        work();
      } catch (error) {
        return error;
      }
      return null;
    };

    it('is refused to a second holder while the first one lives, to the last millisecond', () => {
      expect(under.claim('s', 'a')?.epoch).toBe(2);
      expect(refusalOf(() => under.claim('s', 'b'))).toMatchObject(held);
      under.clock.now += limits.lease - 1;
      expect(refusalOf(() => under.claim('s', 'b'))).toMatchObject(held);
      under.clock.now += 1;
      expect(under.claim('s', 'b')?.epoch).toBe(3);
    });

    it('a refused claim leaves the epoch as it is: the holder goes on writing', () => {
      const claimed = under.claim('s', 'a');
      refusalOf(() => under.claim('s', 'b'));
      const units = new SessionUnits('s', claimed ?? undefined);
      expect(under.commit(units.next(1))).toEqual(['committed']);
    });

    it('who holds a session may claim it again', () => {
      expect(under.claim('s', 'a')?.epoch).toBe(2);
      expect(under.claim('s', 'a')?.epoch).toBe(3);
    });

    it('one renewal prolongs all sessions of a holder', () => {
      under.claim('s', 'a');
      under.claim('t', 'a');
      for (let round = 0; round < 4; round += 1) {
        under.clock.now += limits.lease - 1;
        expect(under.renew('a')).toBe('renewed');
      }
      expect(refusalOf(() => under.claim('s', 'b'))).toMatchObject(held);
      expect(refusalOf(() => under.claim('t', 'b'))).toMatchObject(held);
    });

    it('a holder that was silent too long hears of it once, at its next renewal', () => {
      under.claim('s', 'a');
      under.clock.now += limits.lease;
      expect(under.renew('a')).toBe('lapsed');
      expect(under.renew('a')).toBe('renewed');
    });

    it('a claim after a silence does not hide the silence', () => {
      under.claim('s', 'a');
      under.clock.now += limits.lease;
      under.claim('t', 'a');
      expect(under.renew('a')).toBe('lapsed');
    });

    it('one that holds nothing yet has nothing to lose', () => {
      expect(under.renew('new')).toBe('renewed');
    });

    it('a released session is free at once, and only its holder can release it', () => {
      under.claim('s', 'a');
      under.release('s', 'b');
      expect(refusalOf(() => under.claim('s', 'b'))).toMatchObject(held);
      under.release('s', 'a');
      expect(under.claim('s', 'b')?.epoch).toBe(3);
      under.release('nobody', 'a');
    });

    it('a session is held by whoever created it', () => {
      under.commit(new SessionUnits('new', undefined, 'a').next(1));
      expect(refusalOf(() => under.claim('new', 'b'))).toMatchObject(held);
      under.clock.now += limits.lease;
      expect(under.claim('new', 'b')?.epoch).toBe(2);
    });

    it('of two that believe to hold a session only the one with the newer epoch can write (SR-INV-C1)', () => {
      const first = new SessionUnits('s', under.claim('s', 'a') ?? undefined);
      under.clock.now += limits.lease;
      const second = new SessionUnits('s', under.claim('s', 'b') ?? undefined);
      expect(under.renew('a')).toBe('lapsed');
      expect(under.commit(first.next(1))).toEqual(['fenced']);
      expect(under.commit(second.next(1))).toEqual(['committed']);
    });
  });
}
