import path from 'node:path';
import { limits } from '@rostra/protocol/wire/limits';
import { defineCommand } from 'citty';
import { foundSentence } from '../assistant.ts';
import { secretsOf } from '../config-view.ts';
import type { EmbeddedHost } from '../embedded.ts';
import type { HostLog } from '../host-log.ts';
import { openLog } from '../log/open-log.ts';
import { goOnWithoutReader } from '../lost-output.ts';
import { ownerKeyPath } from '../owner-key.ts';
import { leaveReport, reloadSentences } from '../reload.ts';
import { onSignals, terminalWatch } from '../shutdown.ts';
import { beginStore, sqliteWith } from '../store-opening.ts';
import { SystemClock } from '../system-clock.ts';
import { VERSION } from '../version.ts';
import { readConfiguration, startOptions } from './config-options.ts';

export const start = defineCommand({
  meta: { description: 'Serves agents until Ctrl-C.' },
  args: startOptions,
  async run({ args }) {
    const configuration = await readConfiguration(args);
    const { settings } = configuration;
    goOnWithoutReader();
    const log = openLog(configuration.log, process.stdout);
    log.conceal(...secretsOf(configuration));
    log.say(`Rostra ${VERSION}, one host for every agent`);
    const opening = beginStore(
      configuration,
      sqliteWith(
        (line) => log.say(line),
        (cause) => log.fault('store.failed', cause),
      ),
    );
    const { startEmbedded } = await import('../embedded.ts');
    const host = await startEmbedded(configuration, log, opening);
    void host.welcome();
    const shown = (file: string) => path.relative(process.cwd(), file) || '.';
    if (host.taken !== null)
      log.say(`  note   port ${host.taken} is taken by another program, so this is ${host.port}`);
    if (configuration.file !== null) log.say(`  file   ${configuration.file.shown}`);
    log.say(`  data   ${shown(settings.data)}`);
    log.say(
      `  key    ${settings.api_key_from === null ? shown(ownerKeyPath(settings.data)) : `that of ${settings.api_key_from}`}`,
    );
    const { found, note } = host.detection;
    if (found !== null) log.say(`  model  ${foundSentence(found)}`);
    if (note !== null) log.say(`  note   ${note}`);
    log.say(`  open   ${host.loginLink()}`);
    log.say('         once, within 15 minutes; `npx rostra open` gives another');
    log.say();
    log.say('Ctrl-C stops it.');

    onSignals(process, new SystemClock(), {
      first: () => {
        log.say('Stopping.');
        host.stop(limits.drain).then(() => {
          log.say('Stopped.');
          process.exit(0);
        }, fail);
      },
      second: () => process.exit(0),
      // Whoever asked is told nothing then; those who are served need not notice.
      reload: () =>
        void reloadOnce(host, settings.data, log).catch((error: unknown) => log.fault('reload.failed', error)),
      hasHungUp: terminalWatch(),
    });
  },
});

async function reloadOnce(host: EmbeddedHost, data: string, log: HostLog): Promise<void> {
  const report = await host.reload();
  const sentences = reloadSentences(report);
  if (report.ok) for (const sentence of sentences) log.say(sentence);
  else log.error('config.refused', { text: sentences.join(' ') });
  leaveReport(data, report);
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}
