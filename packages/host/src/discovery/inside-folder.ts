import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';

/** Why a source is left out, in one sentence without its name. */
export class SourceFault extends Error {
  override readonly name = 'SourceFault';
}

function isWithin(folder: string, file: string): boolean {
  const way = path.relative(folder, file);
  return way === '' || !(way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way));
}

/** The real path, or null if there is nothing. */
export function realPath(file: string): string | null {
  try {
    return realpathSync(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new SourceFault(`${file} cannot be read: ${String(code)}`);
  }
}

/** A folder by its real path; `folder` must exist. */
export function realFolder(folder: string): string {
  const real = realPath(folder);
  if (real === null) throw new SourceFault(`there is no folder ${folder}`);
  if (!statSync(real).isDirectory()) throw new SourceFault(`${folder} is no folder`);
  return real;
}

/**
 * A path that a package names, resolved in its (real) folder; null if nothing is there. Neither `..` nor a symbolic
 * link may lead out of it: what is started must be what was looked at when the package was chosen.
 */
export function insideFolder(folder: string, name: string): string | null {
  const file = path.resolve(folder, name);
  if (!isWithin(folder, file)) throw new SourceFault(`${name} lies outside of its folder ${folder}`);
  const real = realPath(file);
  if (real !== null && !isWithin(folder, real)) {
    throw new SourceFault(`${name} is a link that leads out of its folder ${folder}`);
  }
  return real;
}
