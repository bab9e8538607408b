import { defineCommand } from 'citty';
import { restore as restoreBackup } from '../../store/sqlite/restore.ts';
import { contentOf, contentText } from './backup-content.ts';
import { configOptions, readDataFolder } from './config-options.ts';
import { jsonOption } from './host-door.ts';
import { print } from './printing.ts';

export const restore = defineCommand({
  meta: { description: 'Puts a backup into an empty data folder that no host uses.' },
  args: {
    file: { type: 'positional', required: true, description: 'what `rostra backup` wrote' },
    ...configOptions,
    ...jsonOption,
    force: { type: 'boolean', default: false, description: 'moves what is in the folder aside' },
  },
  async run({ args }) {
    const data = await readDataFolder(args);
    const { manifest, replaced } = await restoreBackup({ file: args.file, data, force: args.force, now: Date.now() });
    print(args.json, { folder: data, ...contentOf(manifest), replaced }, () => {
      const moved = replaced === null ? '' : `What was there is in ${replaced}.\n`;
      return `${moved}${data}: ${contentText(manifest)}, as of ${manifest.created_at}\n${manifest.replay}\n`;
    });
  },
});
