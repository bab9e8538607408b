/**
 * One launcher at a time may install or build. The lock is a folder, because creating one is atomic everywhere; it
 * holds the owner's process id, so that a lock left by a dead process is taken over.
 */

import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from './failure.mjs';
import { root } from './stamp.mjs';

const folder = path.join(root, '.launch.lock');
const pidFile = path.join(folder, 'pid');
const POLL_MS = 100;
const WAIT_MS_MAX = 300_000;
/** How long a lock may stand without a process id: its owner writes it right after creating the folder. */
const UNNAMED_MS_MAX = 5_000;

/** @returns {boolean} */
function tryAcquire() {
  try {
    fs.mkdirSync(folder);
  } catch (error) {
    if (code(error) === 'EEXIST') return false;
    throw error;
  }
  fs.writeFileSync(pidFile, String(process.pid));
  return true;
}

/** @returns {number | undefined} */
function owner() {
  try {
    const pid = Number(fs.readFileSync(pidFile, 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** @param {number | undefined} pid @returns {boolean} */
function isStale(pid) {
  if (pid === undefined) {
    const stat = fs.statSync(folder, { throwIfNoEntry: false });
    return stat !== undefined && Date.now() - stat.mtimeMs > UNNAMED_MS_MAX;
  }
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return code(error) === 'ESRCH';
  }
}

/** Renaming is atomic: of two launchers that find the same dead lock, one removes it. */
function removeStale() {
  const grave = `${folder}.${process.pid}`;
  try {
    fs.renameSync(folder, grave);
  } catch (error) {
    if (code(error) === 'ENOENT') return;
    throw error;
  }
  fs.rmSync(grave, { recursive: true, force: true });
}

/** @param {unknown} error @returns {unknown} */
function code(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** @param {(line: string) => void} say */
async function acquire(say) {
  const start = Date.now();
  let announced = false;
  while (!tryAcquire()) {
    const pid = owner();
    if (isStale(pid)) {
      removeStale();
      continue;
    }
    if (Date.now() - start > WAIT_MS_MAX) {
      throw new Failure(`Another launcher (process ${pid}) has been installing or building for 5 minutes.`, [
        `If it is not a launcher, remove ${path.relative(process.cwd(), folder)} and try again.`,
      ]);
    }
    if (!announced) say(`waiting for another launcher (process ${pid ?? 'unknown'})`);
    announced = true;
    await sleep(POLL_MS);
  }
}

function release() {
  if (owner() === process.pid) fs.rmSync(folder, { recursive: true, force: true });
}

/**
 * @template T
 * @param {(line: string) => void} say
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function exclusively(say, work) {
  await acquire(say);
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}
