import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { UsageError } from './usage-error.ts';

const ending = /\.(?:txt|text|md|markdown|html?|xhtml|pdf|docx)$/i;

/** The files that are meant: a folder stands for every document in it. */
export async function filesOf(named: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const name of named) {
    const found = await stat(name).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null;
      throw unreadable(name, error);
    });
    if (found === null) throw new UsageError(`There is no file ${JSON.stringify(name)}.`, 'Look at its path.');
    files.push(...(found.isDirectory() ? await documentsIn(name) : [name]));
  }
  return files;
}

async function documentsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch((error: unknown) => {
    throw unreadable(folder, error);
  });
  const files = entries
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !path.relative(folder, file).split(path.sep).some(isSkipped));
  if (files.length === 0) {
    throw new UsageError(
      `There is no document in ${JSON.stringify(folder)}.`,
      'Name a folder with files that end in .txt, .md, .html, .pdf or .docx.',
    );
  }
  return files.sort();
}

/** What programs keep for themselves. */
function isSkipped(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

export async function blobOf(file: string): Promise<Blob> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  return new Blob([new Uint8Array(bytes)]);
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null;
}

function unreadable(file: string, error: unknown): unknown {
  const code = codeOf(error);
  if (code === null) return error;
  const hint =
    code === 'ERR_FS_FILE_TOO_LARGE' ? 'Divide it.' : 'Look whether it is there, and whether you may read it.';
  return new ApiError('invalid_argument', `${JSON.stringify(file)} cannot be read (${code}).`, { details: { hint } });
}

/** `lang=en,year=2026,public=true` */
export function metadataOf(text: string | undefined, option: string): JsonObject | undefined {
  if (text === undefined) return undefined;
  const pairs = text.split(',').map((pair) => /^([^=]+)=(.*)$/.exec(pair.trim()));
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, key = '', value = ''] = pair ?? [];
      if (key === '') throw new UsageError(`${option} is a list like lang=en,year=2026, not ${JSON.stringify(text)}.`);
      return [key.trim(), plainValue(value.trim())];
    }),
  );
}

function plainValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : text;
}
