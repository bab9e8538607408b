import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/** The file that a program's name stands for; null if there is none. `node` is the one that runs the host. */
export function programPath(program: string, search: string | undefined): string | null {
  if (program === 'node') return process.execPath;
  if (program.includes('/')) return isProgram(program) ? program : null;
  const folders = (search ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, program)).find(isProgram) ?? null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Whatever keeps it from being read or run, it is no program for us.
    return false;
  }
}
