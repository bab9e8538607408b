import { expect, test } from 'vitest';
import { openForWriting } from '../../../src/store/sqlite/database-file.ts';
import { fromTurnOfMessage } from '../../../src/store/sqlite/turn-of-message.ts';
import { databasePath } from './sqlite-folder.ts';

test('a message is looked for by the index, in no turn that is not its own', async () => {
  const db = await openForWriting(await databasePath());
  const plan = db.prepare(`EXPLAIN QUERY PLAN SELECT turn_id FROM ${fromTurnOfMessage}`).all(1, 'm');
  const looks = plan.map(({ detail }) => String(detail)).filter((detail) => /\bturn\b/.test(detail));
  expect(looks).toEqual([
    expect.stringContaining('turn_message (session=?)'),
    expect.stringContaining('turn_message (session=? AND <expr><?)'),
    expect.stringContaining('turn_message (session=? AND <expr>=? AND message_id=?)'),
  ]);
  db.close();
});
