/** Programs of the operating system that some tests use. Without them those tests are skipped, and we say so. */

import fs from 'node:fs';
import path from 'node:path';
import { runChild } from './child.mjs';
import { root } from './stamp.mjs';

const INSTALL_MS_MAX = 120_000;

/** @type {{ program: string, name: string, usedBy: string }[]} */
const table = [
  { program: 'bwrap', name: 'bubblewrap', usedBy: 'sandbox tests' },
  { program: 'chromium', name: 'chromium', usedBy: 'tests of the console in a browser' },
];

/** @param {string} program @returns {boolean} */
function isOnPath(program) {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.some((folder) => folder !== '' && fs.existsSync(path.join(folder, program)));
}

/** Why packages cannot be installed here, if they cannot. @returns {string | undefined} */
function obstacle() {
  if (process.env.CI !== 'true') return undefined;
  if (!isOnPath('apt-get')) return 'there is no apt-get';
  if (process.getuid?.() !== 0) return 'only root may install it';
  return undefined;
}

/** @param {string[]} names @returns {Promise<string | undefined>} why it failed */
async function aptInstall(names) {
  const script = `apt-get update -qq; apt-get install -y -qq --no-install-recommends ${names.join(' ')}`;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { code, output, timedOut } = await runChild('sh', ['-c', script], {
    cwd: root,
    capture: true,
    timeoutMs: INSTALL_MS_MAX,
    env,
  });
  if (timedOut) return `apt-get took longer than ${INSTALL_MS_MAX / 1000} s`;
  return code === 0 ? undefined : `apt-get failed: ${output.trim().split('\n').at(-1)}`;
}

/** @param {(name: string, what: string, startedAt: number) => void} report */
export async function provideSystemPackages(report) {
  const start = performance.now();
  const missing = table.filter(({ program }) => !isOnPath(program));
  if (missing.length === 0) return;
  let reason = obstacle();
  if (reason === undefined && process.env.CI === 'true') {
    reason = await aptInstall(missing.map(({ name }) => name));
    report('packages', reason === undefined ? 'done' : 'not installed', start);
  }
  for (const { program, name, usedBy } of missing.filter((entry) => !isOnPath(entry.program))) {
    const why =
      reason === undefined ? `${program} is not installed (package ${name})` : `${name} is missing and ${reason}`;
    process.stderr.write(`  skipped: ${usedBy} because ${why}\n`);
  }
}
