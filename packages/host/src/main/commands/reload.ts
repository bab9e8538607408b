import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { defineCommand } from 'citty';
import { findHolder } from '../../store/store-lock.ts';
import { type ReloadReport, readReport, reloadSentences } from '../reload.ts';
import { configOptions, readDataFolder } from './config-options.ts';
import { jsonOption } from './host-door.ts';
import { print } from './printing.ts';

const LOOK_MS = 50;

/** Waits for a report that was not there before. */
async function nextReport(data: string, before: number | null): Promise<ReloadReport> {
  const until = performance.now() + limits.reload_wait;
  while (performance.now() < until) {
    const report = readReport(data);
    if (report !== null && report.at !== before) return report;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new ApiError('deadline_exceeded', 'The host did not say within the time that it has reloaded.', {
    details: { hint: 'Look into its log.' },
  });
}

export const reload = defineCommand({
  meta: { description: 'The running host reads its configuration anew; new runs see the change.' },
  args: { ...configOptions, ...jsonOption },
  async run({ args }) {
    const data = await readDataFolder(args);
    const holder = findHolder(data);
    if (holder === null) {
      throw new ApiError('not_found', `No host is running in ${data}.`, {
        details: { hint: 'Start one with `rostra start`, or name the folder of the running one with --data.' },
      });
    }
    const before = readReport(data)?.at ?? null;
    process.kill(holder.pid, 'SIGHUP');
    const report = await nextReport(data, before);
    const words = () => `${reloadSentences(report).join('\n')}\n`;
    if (report.ok || args.json === true) print(args.json, report, words);
    else process.stderr.write(words());
    if (!report.ok) process.exitCode = 1;
  },
});
