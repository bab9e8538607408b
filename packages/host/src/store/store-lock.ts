import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { StoreReason } from '@rostra/protocol/wire/reason';

/** Who uses a data folder. */
export interface Holder {
  pid: number;
  /** When that process began, in the system's own terms: a pid is given again, this is not. Null where unknown. */
  process_start: string | null;
  since: string;
  address: string | null;
}

export interface StoreLock {
  /** Lets a second host name the first by the address that people know. */
  update(change: { address: string }): void;
  release(): void;
}

/** Taking over a dead host's lock takes microseconds; what is left of it after this long was left by a crash. */
const takeoverMs = 10_000;

/** One host per data folder. Creates the folder, for its owner's eyes only; a lock that a dead host left is taken over. */
export function lockDataFolder(folder: string): StoreLock {
  const path = join(folder, 'host.lock');
  let mine: Holder = {
    pid: process.pid,
    process_start: processStart(process.pid),
    since: new Date().toISOString(),
    address: null,
  };
  usable(folder, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    acquire(folder, path, mine);
  });

  const release = () => {
    process.off('exit', release);
    if (isSame(readHolder(path), mine)) rmSync(path, { force: true });
  };
  process.on('exit', release);
  return {
    update({ address }) {
      mine = { ...mine, address };
      if (isSame(readHolder(path), mine)) renameSync(writeAside(path, mine), path);
    },
    release,
  };
}

/** The host that uses a data folder now, or null: also where there is no such folder yet. */
export function findHolder(folder: string): Holder | null {
  const holder = usable(folder, () => readHolder(join(folder, 'host.lock')));
  return holder !== null && isRunning(holder) ? holder : null;
}

/** A complete file appears under the lock's name, or none: a link is made only where nothing is. */
function acquire(folder: string, path: string, mine: Holder): void {
  const aside = writeAside(path, mine);
  try {
    if (linked(aside, path)) return;
    const holder = readHolder(path);
    if (holder !== null && isRunning(holder)) throw locked(folder, holder);
    takeOver(folder, path, aside);
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Two hosts may find the same stale lock: only the one with the marker replaces it, after another look. */
function takeOver(folder: string, path: string, aside: string): void {
  const marker = `${path}.takeover`;
  const age = Date.now() - (statSync(marker, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (age > takeoverMs) rmSync(marker, { force: true });
  if (!created(marker)) throw locked(folder, null);
  try {
    const holder = readHolder(path);
    if (holder !== null && isRunning(holder)) throw locked(folder, holder);
    renameSync(aside, path);
  } finally {
    rmSync(marker, { force: true });
  }
}

function linked(from: string, to: string): boolean {
  return unlessExists(() => linkSync(from, to));
}

function created(path: string): boolean {
  return unlessExists(() => closeSync(openSync(path, 'wx', 0o600)));
}

function unlessExists(make: () => void): boolean {
  try {
    make();
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function writeAside(path: string, holder: Holder): string {
  const aside = `${path}.${holder.pid}`;
  writeFileSync(aside, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  return aside;
}

/** Null for a lock that is gone or was never a lock. */
function readHolder(path: string): Holder | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    const holder: Partial<Holder> | null = JSON.parse(text);
    if (typeof holder?.pid !== 'number') return null;
    const { pid, process_start = null, since = '', address = null } = holder;
    return { pid, process_start, since, address: address !== null && URL.canParse(address) ? address : null };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isSame(a: Holder | null, b: Holder): boolean {
  return a !== null && a.pid === b.pid && a.since === b.since && a.process_start === b.process_start;
}

function isRunning(holder: Holder): boolean {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: it runs, as another user.
    if (errnoOf(error) !== 'EPERM') return false;
  }
  const start = processStart(holder.pid);
  if (start === 'dead') return false;
  return start === null || holder.process_start === null || start === holder.process_start;
}

/** Boot and start time of a process; `dead` for one that only waits to be buried; null where there is no /proc. */
function processStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // Field 22, counted from behind the command name, which may itself hold blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return 'dead';
    const ticks = fields[19];
    return ticks === undefined ? null : `${boot}:${ticks}`;
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}

function errnoOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

function locked(folder: string, holder: Holder | null): ApiError {
  if (holder === null) {
    return refusal(
      'DATA_FOLDER_LOCKED',
      `Another Rostra host is just starting in ${folder}.`,
      'Try again in a moment.',
    );
  }
  const { pid, address, since } = holder;
  const who = [`process ${pid}`, ...(address === null ? [] : [address]), `since ${since}`].join(', ');
  return refusal(
    'DATA_FOLDER_LOCKED',
    `${folder} is in use by another Rostra host (${who}).`,
    `Use that host, stop it with "kill ${pid}", or name another folder with --data or ROSTRA_DATA.`,
    { pid, address, since },
  );
}

/** Does what the folder allows; what it does not is told with the folder's name. */
export function usable<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = errnoOf(error);
    if (error instanceof ApiError || code === null) throw error;
    if (existsSync(folder) && !statSync(folder).isDirectory()) {
      throw refusal(
        'DATA_FOLDER_UNUSABLE',
        `${folder} is no folder.`,
        'Name the folder of the data with --data or ROSTRA_DATA.',
      );
    }
    throw refusal(
      'DATA_FOLDER_UNUSABLE',
      `The data folder ${folder} cannot be used (${code}).`,
      'Check that this user may write it, or name another folder with --data or ROSTRA_DATA.',
    );
  }
}

function refusal(
  reason: StoreReason,
  message: string,
  hint: string,
  details: { pid?: number; address?: string | null; since?: string } = {},
): ApiError {
  return new ApiError('runtime_error', message, { details: { reason, hint, ...details } });
}
