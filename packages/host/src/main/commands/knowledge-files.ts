import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { UsageError } from './usage-error.ts';

const ending = /\.(?:txt|text|md|markdown|html?|xhtml|pdf|docx)$/i;

/** The files that are meant: a folder stands for every document in it. */
export async function filesOf(named: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const name of named) {
    const found = await stat(name).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw error;
    });
    if (found === null) throw new UsageError(`There is no file ${JSON.stringify(name)}.`);
    files.push(...(found.isDirectory() ? await documentsIn(name) : [name]));
  }
  return files;
}

async function documentsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !path.relative(folder, file).split(path.sep).some(isSkipped));
  if (files.length === 0) throw new UsageError(`There is no document in ${JSON.stringify(folder)}.`);
  return files.sort();
}

/** What programs keep for themselves. */
function isSkipped(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

export async function blobOf(file: string): Promise<Blob> {
  return new Blob([new Uint8Array(await readFile(file))]);
}

/** `lang=en,year=2026,public=true` */
export function metadataOf(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  const pairs = text.split(',').map((pair) => /^([^=]+)=(.*)$/.exec(pair.trim()));
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, key = '', value = ''] = pair ?? [];
      if (key === '') throw new UsageError(`--metadata is a list like lang=en,year=2026, not ${JSON.stringify(text)}.`);
      return [key.trim(), plainValue(value.trim())];
    }),
  );
}

function plainValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : text;
}
