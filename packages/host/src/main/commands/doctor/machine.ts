import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { Sandbox } from '../../../discovery/isolation/sandbox.ts';
import { findHolder, type Holder } from '../../../store/store-lock.ts';
import { ownerKeyPath } from '../../owner-key.ts';
import { secretKeyPath } from '../../secret-key.ts';
import type { Settings } from '../../settings.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const MIB = 1024 * 1024;
const SPACE_WARN = 1024 * MIB;
const SPACE_FAIL = 100 * MIB;
const NODE_MIN = [20, 19] as const;
/** A clock that stands before this was never set. */
const CLOCK_MIN = Date.UTC(2026, 0, 1);

export function lookAtNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [least, leastMinor] = NODE_MIN;
  if (major > least || (major === least && minor >= leastMinor)) return ok('node', `Node ${version}`);
  return fail('node', `Node ${version} is too old`, `Install Node ${NODE_MIN.join('.')} or later.`);
}

export function lookAtFolder(data: string): Finding {
  const nearest = nearestThere(data);
  const stat = statSync(nearest);
  if (!stat.isDirectory()) return fail('data', `${nearest} is no folder`, 'Name another one with --data.');
  if (nearest !== data) return warn('data', `${data} is not there yet`, 'Run `rostra start`, which makes it.');
  try {
    accessSync(data, constants.R_OK | constants.W_OK);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return fail('data', `${data} cannot be written by this user`, 'Give this user the folder, or name another.');
  }
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
    return warn('data', `${data} can be read by other users`, `Run \`chmod 700 ${data}\`.`);
  }
  return ok('data', data);
}

export function lookAtSpace(data: string): Finding {
  const folder = nearestThere(data);
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const said = `${Math.floor(free / MIB).toLocaleString('en')} MiB free`;
  if (free < SPACE_FAIL) return fail('disk', said, 'Make room: a host that cannot write stops taking runs.');
  return free < SPACE_WARN ? warn('disk', said, 'Make room before it is full.') : ok('disk', said);
}

function nearestThere(folder: string): string {
  return existsSync(folder) || path.dirname(folder) === folder ? folder : nearestThere(path.dirname(folder));
}

export function lookAtKey({ data, api_key_from }: Pick<Settings, 'data' | 'api_key_from'>): Finding {
  if (api_key_from !== null) return ok('key', `that of ${api_key_from}`);
  const file = ownerKeyPath(data);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return warn('key', 'There is no owner’s key yet', 'Run `rostra start`, which makes it.');
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
    return fail('key', `${file} can be read by other users`, `Run \`chmod 600 ${file}\`.`);
  }
  return ok('key', file);
}

/** Nothing where nothing is sealed yet. */
export function lookAtSecretKey(data: string): Finding[] {
  const file = secretKeyPath(data);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  const isOpen = process.platform !== 'win32' && (stat.mode & 0o077) !== 0;
  if (isOpen) return [fail('secret key', `${file} can be read by other users`, `Run \`chmod 600 ${file}\`.`)];
  return [ok('secret key', `${file}; no backup holds it`)];
}

/** `data` is a folder, or not there yet. */
export function lookAtLock(data: string): { finding: Finding; holder: Holder | null } {
  const holder = findHolder(data);
  if (holder === null) {
    const isStale = statSync(path.join(data, 'host.lock'), { throwIfNoEntry: false }) !== undefined;
    const said = isStale ? 'No host is running; a lock of one that died is left' : 'No host is running';
    return { finding: warn('host', said, 'Run `rostra start`.'), holder };
  }
  const where = holder.address ?? 'an address that it has not told yet';
  return { finding: ok('host', `process ${holder.pid} at ${where} since ${holder.since}`), holder };
}

/** Only where no host of ours has it. */
export function lookAtPort({ host, port }: Pick<Settings, 'host' | 'port'>): Promise<Finding> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const hint = 'Stop the program that has it, or set ROSTRA_PORT; the default port gives way by itself.';
      resolve(warn('port', `port ${port} of ${host} cannot be opened (${error.code})`, hint));
    });
    probe.listen({ host, port }, () => probe.close(() => resolve(ok('port', `port ${port} of ${host} is free`))));
  });
}

export async function lookAtSandbox(): Promise<Finding> {
  if (process.platform !== 'linux') {
    return warn('isolation', 'Runners are confined on Linux only', 'Run only runners that you trust on this machine.');
  }
  const sandbox = new Sandbox(process.env.PATH);
  const [confined, strict] = [await sandbox.tool('confined'), await sandbox.tool('strict')];
  if (confined === null) {
    return warn(
      'isolation',
      'Neither bubblewrap nor unshare works here: only runners at level trusted can be started',
      'Install bubblewrap, and allow user namespaces.',
    );
  }
  const said = `confined by ${confined}, strict ${strict === null ? 'cannot be' : `by ${strict}`}`;
  return strict === null ? warn('isolation', said, 'Run the host as root for level strict.') : ok('isolation', said);
}

export function lookAtClock(now: number, hostNow: number | null): Finding {
  if (now < CLOCK_MIN) return fail('clock', `It is ${new Date(now).toISOString()} here`, 'Set the clock.');
  const apart = hostNow === null ? 0 : Math.abs(now - hostNow);
  if (apart <= 5000) return ok('clock', new Date(now).toISOString());
  return warn(
    'clock',
    `${Math.round(apart / 1000)} s apart from the host’s`,
    'Set the clocks of both machines by NTP.',
  );
}
