import { existsSync } from 'node:fs';
import path from 'node:path';
import { defineCommand } from 'citty';
import { backUp } from '../../store/sqlite/back-up.ts';
import { secretKeyPath } from '../secret-key.ts';
import { configOptions, readDataFolder } from './config-options.ts';
import { counted } from './printing.ts';

export const backup = defineCommand({
  meta: { description: 'Writes everything that a host keeps into one file; the host may be running.' },
  args: {
    file: { type: 'positional', required: true, description: 'the file to write; it must not exist' },
    ...configOptions,
  },
  async run({ args }) {
    const data = await readDataFolder(args);
    const { manifest, problems } = await backUp(data, args.file, Date.now());
    for (const problem of problems) process.stderr.write(`${problem}\n`);
    const { sessions, records, blobs, replay } = manifest;
    process.stdout.write(
      `${path.relative(process.cwd(), args.file) || args.file}: ${counted(sessions, 'session')}, ${counted(records, 'record')}, ${counted(blobs.length, 'file')}\n${replay}\n`,
    );
    if (existsSync(secretKeyPath(data))) {
      process.stderr.write(
        'Keys of models and tool servers are sealed in it; keep secret.key, which opens them, apart.\n',
      );
    }
    if (problems.length > 0) process.exitCode = 1;
  },
});
