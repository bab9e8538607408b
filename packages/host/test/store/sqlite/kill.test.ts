import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openForWriting } from '../../../src/store/sqlite/database-file.ts';
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { own } from '../session-units.ts';
import { databasePath, workerUrl } from './sqlite-folder.ts';

const program = fileURLToPath(new URL('./commit-until-killed.ts', import.meta.url));
const sessions = 5;

/** Lets the program commit until it has reported `lines` commits, kills it, and tells the last `seq` it reported of each session. */
async function runAndKill(path: string, lines: number, way: string): Promise<Map<string, number>> {
  const args = ['--import', 'tsx', program, path, workerUrl.href, String(sessions), way];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const reported = new Map<string, number>();
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    count += 1;
    if (count === lines) child.kill('SIGKILL');
    for (const pair of line.matchAll(/(s\d+)=(\d+)(?=[ \n]|$)/g)) reported.set(pair[1]!, Number(pair[2]));
  }
  expect(await exited).toEqual([null, 'SIGKILL']);
  return reported;
}

it.each([
  ['tables', 5],
  ['journal', 5],
  ['refilled journal', 2],
] as const)(
  'everything acknowledged is there after each kill, written to the %s first (SR-INV-D1)',
  {
    timeout: 60_000,
  },
  async (way, kills) => {
    const path = await databasePath();
    for (let kill = 1; kill <= kills; kill += 1) {
      const reported = await runAndKill(path, (way === 'refilled journal' ? 100 : 40) + 37 * kill, way);
      expect(reported.size).toBe(sessions);

      const db = await openForWriting(path);
      expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
      db.close();
      const store = await SqliteStore.open({ path, workerUrl });
      for (const [session_id, seq] of reported) {
        const { last_seq, tail } = await own(store, session_id);
        expect(last_seq).toBeGreaterThanOrEqual(seq);
        expect(last_seq % 3).toBe(0);
        expect(tail.at(-1)?.last_seq).toBe(last_seq);
        expect(tail.map(({ first_seq }) => first_seq)).toEqual([
          1,
          ...tail.slice(0, -1).map((one) => one.last_seq + 1),
        ]);
        expect(tail.flatMap(({ body }) => body.match(/^\{"seq":/gm) ?? [])).toHaveLength(last_seq);
      }
      await store.close();
    }
  },
);
