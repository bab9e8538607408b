import { existsSync } from 'node:fs';
import path from 'node:path';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { defineCommand } from 'citty';
import { connect } from '../../store/sqlite/driver.ts';
import { replay as replayLogs } from '../../store/sqlite/replay.ts';
import { configOptions, readDataFolder } from './config-options.ts';

export const replay = defineCommand({
  meta: { description: 'Proves the log of every session from its first record on; the host may be running.' },
  args: configOptions,
  async run({ args }) {
    const data = await readDataFolder(args);
    const file = path.join(data, 'rostra.db');
    if (!existsSync(file)) {
      throw new ApiError('not_found', `There is no database in ${data}.`, {
        details: { hint: 'Name the folder of the host with --data.' },
      });
    }
    const db = await connect(file, { readOnly: true });
    const { sessions, records, problems, hash } = replayLogs(db);
    db.close();
    for (const problem of problems) process.stdout.write(`${problem}\n`);
    process.stdout.write(`${sessions} sessions, ${records} records, ${problems.length} damaged\n${hash}\n`);
    if (problems.length > 0) process.exitCode = 1;
  },
});
