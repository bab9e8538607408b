import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { own, SessionUnits, segmentOf } from '../session-units.ts';

/**
 * Commits one unit after another for each of its sessions and prints what was acknowledged, until someone kills it.
 * Arguments: path of the database, URL of the worker, number of sessions, and `journal` when each commit goes through it,
 * `refilled journal` when they are so large that it is filled more than once.
 */
const [path = '', url = '', count = '1', way] = process.argv.slice(2);
const store = await SqliteStore.open({
  path,
  workerUrl: new URL(url),
  // A checkpoint every few commits, so that some kills hit one.
  checkpoint: { idle: 1, bytes: 200_000 },
  ...(way === 'tables' ? {} : { sole: true, crowd: 1 }),
});
const sessions: SessionUnits[] = [];
for (let n = 0; n < Number(count); n += 1) {
  const known = (await store.readHead(`s${n}`)) !== null;
  sessions.push(new SessionUnits(`s${n}`, known ? await own(store, `s${n}`) : undefined));
}

const padding = way === 'refilled journal' ? 'x'.repeat(20_000) : '';
let round = 0;
function next(): void {
  round += 1;
  const units = sessions.map((session) => {
    const unit = session.next(3, { flush: round % 4 === 0 });
    return { ...unit, segments: [segmentOf(unit.expected_seq + 1, unit.last_seq, unit.epoch, padding)] };
  });
  store.commit(units, (error, results) => {
    if (error !== null || results.includes('fenced')) throw error ?? new Error('fenced');
    process.stdout.write(`${units.map((unit) => `${unit.session_id}=${unit.last_seq}`).join(' ')}\n`);
    next();
  });
}
next();
