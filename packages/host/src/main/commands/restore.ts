import { defineCommand } from 'citty';
import { restore as restoreBackup } from '../../store/sqlite/restore.ts';
import { configOptions, readDataFolder } from './config-options.ts';
import { counted } from './printing.ts';

export const restore = defineCommand({
  meta: { description: 'Puts a backup into an empty data folder that no host uses.' },
  args: {
    file: { type: 'positional', required: true, description: 'what `rostra backup` wrote' },
    ...configOptions,
    force: { type: 'boolean', default: false, description: 'moves what is in the folder aside' },
  },
  async run({ args }) {
    const data = await readDataFolder(args);
    const { manifest, replaced } = await restoreBackup({ file: args.file, data, force: args.force, now: Date.now() });
    const { sessions, records, blobs, created_at, replay } = manifest;
    if (replaced !== null) process.stdout.write(`What was there is in ${replaced}.\n`);
    process.stdout.write(
      `${data}: ${counted(sessions, 'session')}, ${counted(records, 'record')}, ${counted(blobs.length, 'file')}, as of ${created_at}\n${replay}\n`,
    );
  },
});
