import { expect, it } from 'vitest';
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { claim, commit, SessionUnits } from '../session-units.ts';
import { databasePath, workerUrl } from './sqlite-folder.ts';

const RECORDS = 1_000_000;
const PER_UNIT = 2000;
const LIMITS_MS = { claim: 1000, page: 50 };

it('a log of a million records is taken over within a second, and a page of it read within 50 ms', async () => {
  const path = await databasePath();
  const store = await SqliteStore.open({ path, workerUrl });
  const units = new SessionUnits('s');
  const context = JSON.stringify({ pad: 'x'.repeat(50_000) });
  for (let seq = PER_UNIT; seq <= RECORDS; seq += PER_UNIT) {
    // The context of the last unit but one: there is a tail to be read after it.
    const saved = seq === RECORDS - PER_UNIT ? { context } : {};
    await commit(store, units.next(PER_UNIT, { flush: seq === RECORDS, ...saved }));
  }
  await store.close();

  const again = await SqliteStore.open({ path, workerUrl });
  const began = performance.now();
  const claimed = await claim(again, 's');
  expect(performance.now() - began).toBeLessThan(LIMITS_MS.claim);
  expect(claimed).toMatchObject({ last_seq: RECORDS, context_seq: RECORDS - PER_UNIT });
  expect(claimed?.tail).toHaveLength(1);

  const times: number[] = [];
  for (const after of [0, RECORDS / 4, RECORDS / 2, RECORDS - 3 * PER_UNIT]) {
    const asked = performance.now();
    const [first] = await again.readSegments('s', after, 64 * 1024);
    times.push(performance.now() - asked);
    expect(first?.first_seq).toBe(after + 1);
  }
  expect(times.sort((a, b) => a - b)[1]).toBeLessThan(LIMITS_MS.page);
  await again.close();
});
