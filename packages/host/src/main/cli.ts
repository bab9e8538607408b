import path from 'node:path';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { readCommand, USAGE } from './command.ts';
import { startEmbedded, VERSION } from './embedded.ts';
import { HostLog } from './host-log.ts';
import { ownerKeyPath } from './owner-key.ts';
import { readSettings } from './settings.ts';
import { onEndSignals } from './shutdown.ts';
import { SystemClock } from './system-clock.ts';

const log = new HostLog((text) => process.stdout.write(text));

async function start(): Promise<void> {
  const settings = readSettings(process.env, process.cwd());
  log.say(`Rostra ${VERSION}, one host for every agent`);
  const host = await startEmbedded(settings, log);
  const shown = (file: string) => path.relative(process.cwd(), file) || '.';
  const key = settings.api_key === null ? shown(ownerKeyPath(settings.data)) : 'that of ROSTRA_API_KEY';
  if (host.taken !== null) log.say(`  note   port ${host.taken} is taken by another program, so this is ${host.port}`);
  log.say(`  data   ${shown(settings.data)}`);
  log.say(`  key    ${key}`);
  log.say(`  open   ${host.address}`);
  log.say();
  log.say('Ctrl-C stops it.');
  onEndSignals(process, new SystemClock(), {
    first: () => {
      log.say('Stopping.');
      host.stop(limits.drain).then(() => {
        log.say('Stopped.');
        process.exit(0);
      }, fail);
    },
    second: () => process.exit(0),
  });
}

/** One sentence and what to do; a stack only for what should not happen. */
function fail(error: unknown): void {
  if (error instanceof ApiError) {
    const { hint } = error.details;
    process.stderr.write(`${error.message}\n${typeof hint === 'string' ? `→ ${hint}\n` : ''}`);
  } else {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  }
  process.exit(1);
}

// Whoever read our words may leave before us.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const command = readCommand(process.argv.slice(2));
if (command.do === 'start') await start().catch(fail);
else if (command.do === 'version') log.say(VERSION);
else if (command.do === 'help') log.say(USAGE);
else {
  process.stderr.write(`${command.problem}\n\n${USAGE}\n`);
  process.exitCode = 1;
}
