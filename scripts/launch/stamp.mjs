/**
 * A stamp remembers from which files a step was last done. Sizes and times are compared first, which costs one `stat`
 * per file; only when they differ (a fresh checkout, a touched file) is the content hashed.
 */

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');
const stampFolder = path.join(root, 'node_modules/.rostra');

/** @typedef {{ quick: string, content: string }} Stamp */

/** Folders of the npm workspaces, as `packages/host`. @returns {string[]} */
export function workspaces() {
  return [...children('packages'), ...children('packages/runners')].filter((folder) =>
    fs.existsSync(path.join(root, folder, 'package.json')),
  );
}

/** @param {string} folder @returns {string[]} */
function children(folder) {
  const full = path.join(root, folder);
  if (!fs.existsSync(full)) return [];
  const entries = fs.readdirSync(full, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => `${folder}/${entry.name}`);
}

/** Every file below a folder, relative to the root. @param {string} folder @returns {string[]} */
function filesBelow(folder) {
  const full = path.join(root, folder);
  if (!fs.existsSync(full)) return [];
  return fs.readdirSync(full, { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(name) : [name];
  });
}

/** What decides whether `node_modules` is right. @returns {string[]} */
export function installInputs() {
  return ['package.json', 'package-lock.json', ...workspaces().map((folder) => `${folder}/package.json`)];
}

/** What decides whether the bundles are right. @returns {string[]} */
export function buildInputs() {
  const sources = workspaces().flatMap((folder) => filesBelow(`${folder}/src`));
  const settings = ['tsdown.config.ts', 'vite.config.ts', 'tsconfig.base.json', 'tsconfig.json'];
  const page = ['packages/console/index.html', ...filesBelow('packages/console/public')];
  return ['package-lock.json', ...settings, ...page, ...sources];
}

/** @param {string[]} files @returns {string} */
function quickKey(files) {
  const hash = createHash('sha256');
  for (const file of [...files].sort()) {
    const stat = fs.statSync(path.join(root, file), { throwIfNoEntry: false });
    hash.update(`${file}\0${stat?.size}\0${stat?.mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** @param {string[]} files @returns {string} */
function contentKey(files) {
  const hash = createHash('sha256');
  for (const file of [...files].sort()) {
    const full = path.join(root, file);
    hash.update(
      `${file}\0${fs.existsSync(full) ? createHash('sha256').update(fs.readFileSync(full)).digest('hex') : ''}\n`,
    );
  }
  return hash.digest('hex');
}

/** @param {string[]} files @returns {Stamp} */
export function stampOf(files) {
  return { quick: quickKey(files), content: contentKey(files) };
}

/** @param {string} name @returns {Stamp | undefined} */
function readStamp(name) {
  try {
    return JSON.parse(fs.readFileSync(path.join(stampFolder, `${name}.json`), 'utf8'));
  } catch {
    // Absent or torn: the step is done again, which is always right.
    return undefined;
  }
}

/** @param {string} name @param {Stamp} stamp */
export function writeStamp(name, stamp) {
  fs.mkdirSync(stampFolder, { recursive: true });
  const file = path.join(stampFolder, `${name}.json`);
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, JSON.stringify(stamp));
  fs.renameSync(draft, file);
}

/** Was the step done from exactly these files? @param {string} name @param {string[]} files @returns {boolean} */
export function isFresh(name, files) {
  const stamp = readStamp(name);
  if (stamp === undefined) return false;
  const quick = quickKey(files);
  if (stamp.quick === quick) return true;
  if (stamp.content !== contentKey(files)) return false;
  writeStamp(name, { quick, content: stamp.content });
  return true;
}
