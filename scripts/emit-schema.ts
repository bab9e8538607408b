import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';

/** Writes every contract of `packages/protocol` as JSON Schema, for whoever does not write TypeScript. */

const source = fileURLToPath(new URL('../packages/protocol/src', import.meta.url));
export const schemaDirectory = fileURLToPath(new URL('../packages/protocol/schema', import.meta.url));
const folders = ['wire', 'config', 'session', 'record', 'runner', 'run-api', 'api'];

type JsonSchema = Record<string, unknown>;

/**
 * The input side: a field that has a default may be left out by whoever sends it, which is what a reader of a contract
 * must know. What the host itself sends has every field and is valid by the same schema.
 */
function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input', unrepresentable: 'throw' });
}

/**
 * A table of schemas by name, such as the payloads of one event, or of such tables, such as the params and results of
 * a family of calls: its entries become `$defs`.
 */
function isTable(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false;
  const entries = Object.values(value);
  return entries.length > 0 && entries.every((entry) => entry instanceof z.ZodType || isTable(entry));
}

/** A definition is a resource of its own: what it refers to is found in it, and not in the table. */
function contentOf(exported: unknown, id: string): JsonSchema | null {
  if (exported instanceof z.ZodType) return { ...jsonSchemaOf(exported), $id: id };
  if (!isTable(exported)) return null;
  const entries = Object.entries(exported).map(([name, schema]) => [name, contentOf(schema, `${id}:${name}`)]);
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: id, $defs: Object.fromEntries(entries) };
}

/** Keys in one order, so that moving a field in the source is no change of the contract. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}

/** Every schema file as it should be, by its name. */
export async function renderSchemas(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const folder of folders) {
    const modules = readdirSync(join(source, folder)).filter((name) => name.endsWith('.ts'));
    for (const module of modules.sort()) {
      const exports: Record<string, unknown> = await import(pathToFileURL(join(source, folder, module)).href);
      for (const [name, exported] of Object.entries(exports)) {
        // A name in small letters is a value, if only a list of what stands elsewhere.
        const content = /^[A-Z]/.test(name) ? contentOf(exported, `urn:rostra:schema:${folder}:${name}`) : null;
        if (content === null) continue;
        const file = `${folder}.${name}.schema.json`;
        files.set(file, `${JSON.stringify(sorted({ ...content, title: name }), null, 2)}\n`);
      }
    }
  }
  return files;
}

/** Schema files that are not what they should be: changed, missing, or left over. */
export function driftedFiles(files: ReadonlyMap<string, string>, directory: string): string[] {
  const present = new Set(schemaFilesIn(directory));
  const wrong = [...files].filter(
    ([name, text]) => !present.has(name) || readFileSync(join(directory, name), 'utf8') !== text,
  );
  const left = [...present].filter((name) => !files.has(name));
  return [...wrong.map(([name]) => name), ...left].sort();
}

export function writeSchemas(files: ReadonlyMap<string, string>, directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const name of schemaFilesIn(directory)) if (!files.has(name)) rmSync(join(directory, name));
  for (const [name, text] of files) writeFileSync(join(directory, name), text);
}

function schemaFilesIn(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory).filter((name) => name.endsWith('.schema.json'));
}

async function main(args: readonly string[]): Promise<void> {
  const unknown = args.find((arg) => arg !== '--check');
  if (unknown !== undefined) {
    console.error(`Unknown argument ${unknown}. Usage: ${basename(process.argv[1] ?? '')} [--check]`);
    process.exitCode = 1;
    return;
  }
  const files = await renderSchemas();
  if (!args.includes('--check')) {
    writeSchemas(files, schemaDirectory);
    console.log(`${files.size} schemas written to packages/protocol/schema`);
    return;
  }
  const drifted = driftedFiles(files, schemaDirectory);
  for (const name of drifted) console.error(`packages/protocol/schema/${name} is not what the source says`);
  if (drifted.length > 0) {
    console.error('Run: npm run schema');
    process.exitCode = 1;
  }
}

const entry = process.argv[1];
if (entry !== undefined && realpathSync(entry) === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
