import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { root } from '../tidy/repository.ts';

export interface LockedPackage {
  readonly name?: string;
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly workspaces?: readonly string[];
}

/** Folder → what is locked there; the root is ''. */
export type Lock = Readonly<Record<string, LockedPackage>>;

export interface Manifest extends LockedPackage {
  readonly name: string;
}

export function readLock(): Lock {
  return JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
}

export function isWorkspace(folder: string): boolean {
  return folder === '' || !folder.includes('node_modules/');
}

const exactVersion = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;
/** Two versions of one package side by side: the second has another name. */
const alias = /^npm:(?:@[\w-]+\/)?[\w.-]+@/;

/** Ranges, tags, git, tarballs and folders: whatever is not one version of one registry package. */
export function inexactVersions(versions: Readonly<Record<string, string>>): string[] {
  return Object.entries(versions)
    .filter(([, version]) => !exactVersion.test(version.replace(alias, '')))
    .map(([name, version]) => `${name}: ${version}`);
}

/** Packages that do not come from a registry under a checksum. */
export function unverified(lock: Lock): string[] {
  return Object.entries(lock)
    .filter(([folder, entry]) => !isWorkspace(folder) && entry.link !== true)
    .flatMap(([folder, { resolved, integrity, version }]) => {
      if (resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/'))
        return [`${folder}: ${resolved}`];
      if (!/^sha512-/.test(integrity ?? '')) return [`${folder}: no sha512 checksum`];
      return exactVersion.test(version ?? '') ? [] : [`${folder}: version ${version}`];
    });
}

/** Where a package.json and the lock's copy of it differ. The lock leaves the name out where the folder says it. */
export function drift(folder: string, manifest: LockedPackage, locked: LockedPackage | undefined): string[] {
  const fields = ['version', 'workspaces', 'dependencies', 'devDependencies'] as const;
  return fields
    .filter((field) => !isDeepStrictEqual(manifest[field], locked?.[field]))
    .map((field) => `${folder || '.'}: ${field} differs from package-lock.json; run npm install --ignore-scripts`);
}

export function withInstallScript(lock: Lock): string[] {
  return Object.entries(lock)
    .filter(([, entry]) => entry.hasInstallScript === true)
    .map(([folder]) => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length))
    .sort();
}
