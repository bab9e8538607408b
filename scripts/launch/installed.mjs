import fs from 'node:fs';
import path from 'node:path';
import { root } from './stamp.mjs';

/** @typedef {{ version?: string, integrity?: string, optional?: boolean, link?: boolean, resolved?: string }} Locked */

/** @param {string} file @returns {Record<string, Locked> | undefined} */
function packagesIn(file) {
  try {
    return JSON.parse(fs.readFileSync(path.join(root, file), 'utf8')).packages;
  } catch {
    // No file, or not npm's: then nothing is known to be installed.
    return undefined;
  }
}

/**
 * Does `node_modules` already hold what the lock says? npm keeps its own account of what it installed. Somebody who ran
 * `npm ci` by hand should not wait for it a second time.
 *
 * @returns {boolean}
 */
export function isInstalled() {
  const wanted = packagesIn('package-lock.json');
  const present = packagesIn('node_modules/.package-lock.json');
  if (wanted === undefined || present === undefined) return false;
  for (const [folder, entry] of Object.entries(wanted)) {
    if (!folder.includes('node_modules/')) continue;
    const found = present[folder];
    if (found === undefined && entry.optional) continue;
    if (found?.version !== entry.version || found?.integrity !== entry.integrity) return false;
    if (!fs.existsSync(path.join(root, folder))) return false;
  }
  return Object.keys(present).every((folder) => folder in wanted);
}
