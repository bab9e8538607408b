/** The commands of the launcher. Its own words go to stderr; stdout belongs to the program it starts. */

import path from 'node:path';
import { runChild } from './child.mjs';
import { Failure } from './failure.mjs';
import { hostFlags } from './host-flags.mjs';
import { root } from './stamp.mjs';
import { ensureBuilt, ensureInstalled } from './steps.mjs';
import { provideSystemPackages } from './system-packages.mjs';

/** The whole of `npm test`, install and build included. */
const TEST_MS_MAX = 480_000;
const tsx = ['--conditions', 'rostra-source', '--import', 'tsx'];

/** @typedef {import('./steps.mjs').Report} Report */
/** @type {Report} */
const tell = (name, what, start) => {
  const ms = performance.now() - start;
  const time = ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`;
  process.stderr.write(`  ${name.padEnd(9)} ${what.padEnd(12)} ${time.padStart(8)}\n`);
};
/** Scripts print for machines too; they hear of a step only when it had work to do. @type {Report} */
const tellWork = (name, what, start) => {
  if (what !== 'up to date') tell(name, what, start);
};

/** @param {string} text */
function announce(text) {
  process.stderr.write(`Rostra: ${text}\n`);
}

/** @param {string[]} args @param {number} [timeoutMs] */
function runNode(args, timeoutMs) {
  return runChild(process.execPath, args, { cwd: root, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
}

/** @param {string[]} args @returns {Promise<number>} */
async function start(args) {
  announce('install and build what is missing, then start the host.');
  await ensureInstalled(tell);
  await ensureBuilt(tell);
  return (await runNode([...hostFlags, 'packages/host/dist/cli.js', 'start', ...args])).code;
}

/** @param {string[]} args @returns {Promise<number>} */
async function test(args) {
  const startedAt = performance.now();
  announce('install and build what is missing, then run the tests.');
  await ensureInstalled(tell);
  await ensureBuilt(tell);
  await provideSystemPackages(tell);
  const left = TEST_MS_MAX - (performance.now() - startedAt);
  const { code, timedOut } = await runNode(['node_modules/vitest/vitest.mjs', 'run', ...args], left);
  tell('tests', code === 0 ? 'passed' : 'failed', startedAt);
  if (timedOut) throw new Failure(`The tests did not end within ${TEST_MS_MAX / 60_000} minutes.`);
  return code;
}

/** @returns {Promise<number>} */
async function buildOnly() {
  announce('install what is missing, then build.');
  await ensureInstalled(tell);
  await ensureBuilt(tell);
  return 0;
}

/** Runs a TypeScript file of this repository. @param {string[]} args @returns {Promise<number>} */
async function script([file = '', ...args]) {
  await ensureInstalled(tellWork);
  if (file.startsWith('test/bench/') || file.startsWith('scripts/pack-')) await ensureBuilt(tellWork);
  return (await runNode([...tsx, path.join(root, file), ...args])).code;
}

/** @type {Record<string, (args: string[]) => Promise<number>>} */
const commands = { start, test, build: buildOnly, script };

/** A checkout that this user may not write, or has no room for. @param {unknown} error @returns {Failure | null} */
function unwritable(error) {
  if (!(error instanceof Error) || !('path' in error) || !('code' in error)) return null;
  if (!['EACCES', 'EPERM', 'EROFS', 'ENOSPC'].includes(String(error.code))) return null;
  return new Failure(`${error.path} cannot be written (${error.code}).`, [
    'Start it as the user who owns this checkout, or from a copy of your own.',
  ]);
}

/** @param {string[]} argv @returns {Promise<void>} */
export async function run([name = '', ...args]) {
  const command = commands[name];
  if (command === undefined) {
    process.stderr.write(`Usage: node scripts/launch.cjs ${Object.keys(commands).join('|')} [arguments]\n`);
    process.exitCode = 1;
    return;
  }
  try {
    process.exitCode = await command(args);
  } catch (error) {
    const failure = error instanceof Failure ? error : unwritable(error);
    if (failure === null) throw error;
    process.stderr.write(`${failure.message}\n${failure.next.map((line) => `→ ${line}\n`).join('')}`);
    process.exitCode = 1;
  }
}
