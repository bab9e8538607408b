import { RostraClient, RostraError } from '@rostra/client';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { defineCommand } from 'citty';
import { readConfiguration } from './config-options.ts';
import { type Finding, fail, ok } from './doctor/finding.ts';
import { lookAtHost } from './doctor/host-looks.ts';
import {
  lookAtClock,
  lookAtFolder,
  lookAtKey,
  lookAtLock,
  lookAtNode,
  lookAtPort,
  lookAtSandbox,
  lookAtSecretKey,
  lookAtSpace,
} from './doctor/machine.ts';
import { lookAtCapabilities, lookAtFoundModel } from './doctor/model-looks.ts';
import { lookAtStore } from './doctor/store-look.ts';
import { explained, findDoor, hostOptions, isSameHost, namedAddress } from './host-door.ts';
import { colors, endProgress, print, progress, shown } from './printing.ts';

export const doctor = defineCommand({
  meta: {
    description:
      'Looks for what could be wrong, and says what to do. The model that answers is called once. The exit code is 1 when something fails.',
  },
  args: hostOptions,
  async run({ args }) {
    progress('Looking');
    const findings = await look(args);
    endProgress();
    print(args.json, findings, () => findings.map(findingText).join(''));
    if (findings.some(({ state }) => state === 'fail')) process.exitCode = 1;
  },
});

async function look(args: Readonly<Record<string, unknown>>): Promise<Finding[]> {
  const node = lookAtNode(process.versions.node);
  const read = await readConfiguration(args).catch((error: unknown) => {
    if (error instanceof ApiError) return fail('config', error.message, 'Run `rostra config check`.');
    throw error;
  });
  if ('state' in read) return [node, read];
  const { settings, file } = read;
  const start = [node, ok('config', file === null ? 'the defaults: there is no rostra.yaml here' : file.shown)];
  const folder = lookAtFolder(settings.data);
  // What is in a folder that cannot be used cannot be looked at.
  const inside = folder.state === 'fail' ? null : lookAtLock(settings.data);
  const address = inside?.holder?.address ?? null;
  const named = namedAddress(args);
  if (named !== null && !isSameHost(named, address)) return [...start, ...(await lookAtRunning(args))];
  const machine = [
    ...start,
    folder,
    lookAtSpace(settings.data),
    ...(inside === null ? [] : [lookAtKey(settings), ...lookAtSecretKey(settings.data)]),
    await lookAtSandbox(),
    ...(inside === null ? [] : [inside.finding]),
  ];
  if (address !== null) return [...machine, ...(await lookAtRunning(args))];
  return [
    ...machine,
    await lookAtPort(settings),
    ...(inside === null ? [] : await lookAtStore(settings.data)),
    lookAtClock(Date.now(), null),
    await lookAtFoundModel(read),
  ];
}

/** The host at the door. One that does not say how it is says nothing else. */
async function lookAtRunning(args: Readonly<Record<string, unknown>>): Promise<Finding[]> {
  const door = await findDoor(args).catch((error: unknown) => {
    if (error instanceof ApiError) return refused(error);
    throw error;
  });
  if ('state' in door) return [door];
  const { url, key } = door;
  const client = new RostraClient({ baseUrl: url, ...(key !== null && { key }) });
  try {
    const host = await lookAtHost(client, url);
    return [lookAtClock(Date.now(), await hostTime(url)), ...host, ...(await lookAtCapabilities(client))];
  } catch (error) {
    if (!(error instanceof RostraError)) throw error;
    const told = explained(error, url);
    return [refused(told, error.status === 0 ? told.message : `${url} answers: ${told.message}`)];
  }
}

function refused({ message, details: { hint } }: ApiError, said = message): Finding {
  return fail('ready', said, typeof hint === 'string' ? hint : 'Look into its log.');
}

/** What the host's clock says, to the second; null where it does not tell. */
async function hostTime(url: string): Promise<number | null> {
  try {
    const { headers } = await fetch(`${url}/healthz`);
    const at = Date.parse(headers.get('date') ?? '');
    return Number.isNaN(at) ? null : at;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function findingText({ what, state, said, hint }: Finding): string {
  const mark = { ok: colors.green('ok  '), warn: colors.yellow('warn'), fail: colors.red('FAIL') }[state];
  return `${mark}  ${what}: ${shown(said)}\n${hint === null ? '' : `      → ${shown(hint)}\n`}`;
}
