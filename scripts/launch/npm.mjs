import fs from 'node:fs';
import path from 'node:path';

/**
 * How to call npm: the one that called us, else the one beside this Node, else the one on the PATH. The first two are
 * run as scripts of this very Node, which also avoids a shell on Windows.
 *
 * @returns {{ file: string, args: string[] }}
 */
export function findNpm() {
  const folder = path.dirname(process.execPath);
  const candidates = [
    process.env.npm_execpath,
    path.join(folder, '../lib/node_modules/npm/bin/npm-cli.js'),
    path.join(folder, 'node_modules/npm/bin/npm-cli.js'),
  ];
  for (const candidate of candidates) {
    if (candidate !== undefined && path.basename(candidate) === 'npm-cli.js' && fs.existsSync(candidate)) {
      return { file: process.execPath, args: [candidate] };
    }
  }
  return { file: process.platform === 'win32' ? 'npm.cmd' : 'npm', args: [] };
}

/**
 * What a person can do about a failed `npm ci`, by npm's error code.
 *
 * @param {string} output
 * @returns {string[]}
 */
export function remedyFor(output) {
  const code = /npm (?:error|ERR!) code (\S+)/.exec(output)?.[1] ?? '';
  if (
    ['ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'ECONNREFUSED', 'ECONNRESET', 'ENETUNREACH', 'ERR_SOCKET_TIMEOUT'].includes(
      code,
    )
  ) {
    return ['The npm registry cannot be reached. Check the network and `npm config get registry`, then try again.'];
  }
  if (code === 'EUSAGE') {
    return [
      'package-lock.json does not fit the package.json files.',
      'If you changed a dependency, run `npm install --ignore-scripts`; otherwise restore both with `git checkout`.',
    ];
  }
  if (code === 'EINTEGRITY') {
    return [
      'A downloaded package is not the one that was locked. Run `npm cache verify`; if it happens again, do not install.',
    ];
  }
  if (code === 'E404' || code === 'ETARGET') {
    return ['The registry does not have a locked version. Check `npm config get registry`.'];
  }
  if (code === 'EACCES' || code === 'EPERM')
    return ['npm may not write here. Check who owns this folder and node_modules.'];
  if (code === 'ENOSPC') return ['The disk is full.'];
  return ['Run `npm ci --ignore-scripts` to see everything npm says.'];
}
