import { existsSync } from 'node:fs';
import path from 'node:path';
import { defineCommand } from 'citty';
import { backUp } from '../../store/sqlite/back-up.ts';
import { secretKeyPath } from '../secret-key.ts';
import { contentOf, contentText } from './backup-content.ts';
import { configOptions, readDataFolder } from './config-options.ts';
import { jsonOption } from './host-door.ts';
import { print } from './printing.ts';

export const backup = defineCommand({
  meta: { description: 'Writes everything that a host keeps into one file; the host may be running.' },
  args: {
    file: { type: 'positional', required: true, description: 'the file to write; it must not exist' },
    ...configOptions,
    ...jsonOption,
  },
  async run({ args }) {
    const data = await readDataFolder(args);
    const { manifest, problems } = await backUp(data, args.file, Date.now());
    const isSealed = existsSync(secretKeyPath(data));
    if (args.json !== true) for (const problem of problems) process.stderr.write(`${problem}\n`);
    print(args.json, { file: path.resolve(args.file), ...contentOf(manifest), isSealed, problems }, () => {
      const name = path.relative(process.cwd(), args.file) || args.file;
      return `${name}: ${contentText(manifest)}\n${manifest.replay}\n`;
    });
    if (isSealed && args.json !== true) {
      process.stderr.write(
        'Keys of models and tool servers are sealed in it; keep secret.key, which opens them, apart.\n',
      );
    }
    if (problems.length > 0) process.exitCode = 1;
  },
});
