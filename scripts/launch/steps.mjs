/** What must be done before anything of Rostra runs: install, then build; each only when its stamp does not match. */

import fs from 'node:fs';
import path from 'node:path';
import { runChild } from './child.mjs';
import { Failure } from './failure.mjs';
import { isInstalled } from './installed.mjs';
import { exclusively } from './mutex.mjs';
import { findNpm, remedyFor } from './npm.mjs';
import { buildInputs, installInputs, isFresh, root, stampOf, writeStamp } from './stamp.mjs';

const LINES_SHOWN_MAX = 25;
const products = [
  'packages/host/dist/cli.js',
  'packages/host/dist/code-cache.js',
  'packages/host/dist/sqlite-worker.js',
  'packages/host/dist/document-worker.js',
  'packages/host/dist/token-worker.js',
  'packages/host/dist/page-worker.js',
  'packages/runners/demo/dist/main.js',
  'packages/runners/local-agent/dist/main.js',
  'packages/runner-sdk/dist/index.js',
  'packages/client/dist/index.js',
  'packages/console/dist/index.html',
];

/** @typedef {(name: string, what: string, startedAt: number) => void} Report */
/** @type {Report} */
const silent = () => undefined;

/** @returns {boolean} */
function needsInstall() {
  const inputs = installInputs();
  if (isFresh('install', inputs)) return false;
  if (!isInstalled()) return true;
  writeStamp('install', stampOf(inputs));
  return false;
}

/** @returns {boolean} */
function needsBuild() {
  return !products.every((file) => fs.existsSync(path.join(root, file))) || !isFresh('build', buildInputs());
}

async function install() {
  // Taken before npm runs: what changes meanwhile is then seen as a change.
  const stamp = stampOf(installInputs());
  const npm = findNpm();
  const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const ending = await runChild(npm.file, [...npm.args, ...flags], { cwd: root, capture: true }).catch((error) => {
    throw new Failure(`npm cannot be run: ${error.message}`, ['Install npm beside this Node, or put it on the PATH.']);
  });
  const { code, output, interrupted } = ending;
  if (interrupted !== undefined) throw new Failure('Interrupted while installing.');
  if (code !== 0) throw new Failure(lastLines(output) || `npm ended with code ${code}.`, remedyFor(output));
  writeStamp('install', stamp);
}

async function build() {
  const stamp = stampOf(buildInputs());
  await Promise.all([bundle('node_modules/tsdown/dist/run.mjs'), bundle('node_modules/vite/bin/vite.js', 'build')]);
  writeStamp('build', stamp);
}

/** @param {string} bundler @param {...string} args */
async function bundle(bundler, ...args) {
  const command = [path.join(root, bundler), ...args];
  const { code, output, interrupted } = await runChild(process.execPath, command, { cwd: root, capture: true });
  if (interrupted !== undefined) throw new Failure('Interrupted while building.');
  if (code !== 0) throw new Failure(lastLines(output), ['The build failed; `npm run types` may say more.']);
}

/** @param {string} output @returns {string} */
function lastLines(output) {
  return output.trim().split('\n').slice(-LINES_SHOWN_MAX).join('\n');
}

/**
 * @param {{ name: string, needed: () => boolean, work: () => Promise<void>, report: Report }} step
 */
async function ensure({ name, needed, work, report }) {
  const start = performance.now();
  if (!needed()) return report(name, 'up to date', start);
  try {
    await exclusively(
      (line) => report(name, line, start),
      async () => {
        // Whoever held the lock before us may have done the work.
        if (needed()) await work();
      },
    );
  } catch (error) {
    report(name, 'failed', start);
    throw error;
  }
  report(name, 'done', start);
}

/** @param {Report} [report] @returns {Promise<void>} */
export function ensureInstalled(report = silent) {
  return ensure({ name: 'install', needed: needsInstall, work: install, report });
}

/** @param {Report} [report] @returns {Promise<void>} */
export function ensureBuilt(report = silent) {
  return ensure({ name: 'build', needed: needsBuild, work: build, report });
}
