import { limits } from '@rostra/protocol/wire/limits';
import { beforeEach, describe, expect, it } from 'vitest';
import { type DayRequest, historyDay } from '../../src/projection/history-day.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { commit, SessionUnits, transcriptRow } from '../store/session-units.ts';

const HOUR = 3_600_000;
const noon = Date.UTC(2026, 2, 15, 12);

describe('a day of history', () => {
  let store: MemoryStore;
  /** How many pages were read. */
  let pages: number;
  beforeEach(() => {
    store = new MemoryStore();
    pages = 0;
  });

  async function said(...at: number[]): Promise<void> {
    const units = new SessionUnits('s');
    const rows = at.map((created_at, index) => ({
      ...transcriptRow('s', 3 * index + 2),
      created_at,
      content: `${index}`,
    }));
    await commit(store, units.next(3 * at.length + 1, { transcript: rows }));
  }

  async function dayOf(request: Omit<DayRequest, 'session_id'> = {}) {
    const counted: typeof store.transcript.page = (...args) => {
      pages += 1;
      return store.transcript.page(...args);
    };
    const shown: typeof store.transcript.shown = (...args) => {
      pages += 1;
      return store.transcript.shown(...args);
    };
    const day = await historyDay({ page: counted, shown }, { session_id: 's', ...request });
    const said: (string | null)[] = [];
    for await (const page of day.pages) said.push(...page.map(({ content }) => content));
    return { day: day.day, has_more: day.has_more, said };
  }

  it('is the newest one with messages, in their order (RA-6.11)', async () => {
    await said(noon - 50 * HOUR, noon - 48 * HOUR, noon, noon + HOUR);
    expect(await dayOf()).toEqual({ day: '2026-03-15', has_more: true, said: ['2', '3'] });
  });

  it('is before another day, and days on which nobody spoke are passed over', async () => {
    await said(noon - 50 * HOUR, noon - 48 * HOUR, noon, noon + HOUR);
    expect(await dayOf({ before: '2026-03-15' })).toEqual({ day: '2026-03-13', has_more: false, said: ['0', '1'] });
    expect(await dayOf({ before: '2026-03-14' })).toMatchObject({ day: '2026-03-13' });
    expect(await dayOf({ before: '2026-03-13' })).toEqual({ day: null, has_more: false, said: [] });
    expect(await dayOf({ before: '2030-01-01' })).toMatchObject({ day: '2026-03-15' });
  });

  it('is a day of the caller’s clock (RA-6.12)', async () => {
    await said(noon - HOUR, noon, noon + 5 * HOUR);
    expect(await dayOf()).toEqual({ day: '2026-03-15', has_more: false, said: ['0', '1', '2'] });
    expect(await dayOf({ timezone: 'Asia/Shanghai' })).toEqual({ day: '2026-03-16', has_more: true, said: ['2'] });
    expect(await dayOf({ timezone: 'Pacific/Kiritimati', before: '2026-03-16' })).toMatchObject({ day: null });
  });

  it('has 23 hours where the clocks go forward', async () => {
    const midnight = Date.UTC(2026, 2, 28, 23);
    await said(midnight - 1, midnight, midnight + 23 * HOUR - 1, midnight + 23 * HOUR);
    const timezone = 'Europe/Berlin';
    expect(await dayOf({ timezone, before: '2026-03-30' })).toMatchObject({ day: '2026-03-29', said: ['1', '2'] });
  });

  it('of a session in which nobody spoke is none', async () => {
    await said();
    expect(await dayOf()).toEqual({ day: null, has_more: false, said: [] });
  });

  it('is found by reading a few rows of many', async () => {
    await said(...Array.from({ length: 5000 }, (_, index) => noon + index * HOUR));
    const far = await dayOf({ before: '2026-04-01' });
    expect(far).toMatchObject({ day: '2026-03-31', has_more: true });
    expect(far.said).toHaveLength(24);
    expect(pages).toBeLessThan(40);
  });

  it('is found at once where nothing was said before it, and holds more than a page', async () => {
    const count = limits.shown_items + 1;
    await said(...Array.from({ length: count }, (_, index) => noon + index));
    const all = await dayOf();
    expect(all).toMatchObject({ day: '2026-03-15', has_more: false });
    expect(all.said).toEqual(Array.from({ length: count }, (_, index) => `${index}`));
    expect(pages).toBe(4);
  });

  it.each([{ before: '2026-13-01' }, { before: 'yesterday' }, { timezone: 'Mars/Olympus' }])(
    'asked for by %j is refused',
    async (request) => {
      await said(noon);
      await expect(dayOf(request)).rejects.toMatchObject({
        code: 'invalid_argument',
        details: { hint: expect.any(String) },
      });
    },
  );
});
