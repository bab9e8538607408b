import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { driftedFiles, renderSchemas, schemaDirectory, writeSchemas } from '../scripts/emit-schema.ts';

const files = await renderSchemas();

describe('packages/protocol/schema', () => {
  it('is what the source says; `npm run schema` writes it anew', () => {
    expect(driftedFiles(files, schemaDirectory)).toEqual([]);
  });

  it('holds every contract of the session, the wire and the runner under its own name', () => {
    const names = [...files.keys()];
    for (const name of [
      'session.MessageItem',
      'session.ControlPayloads',
      'wire.AgentAPIError',
      'runner.AgentRunContext',
    ]) {
      expect(names).toContain(`${name}.schema.json`);
    }
  });

  it('knows no max-round (RP-3.25)', () => {
    expect([...files].filter(([, text]) => /max[-_ ]?round/i.test(text)).map(([name]) => name)).toEqual([]);
  });

  it('has a different $id in every file, and every reference leads somewhere in its own resource', () => {
    const ids = [...files.values()].map((text) => (JSON.parse(text) as { $id: string }).$id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const text of files.values()) {
      const root = JSON.parse(text) as Record<string, unknown>;
      expect(danglingIn(root, root)).toEqual([]);
    }
  });
});

describe('drift', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'rostra-schema-'));
    writeSchemas(files, directory);
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('is an edited, a missing or a left-over file, each by its name', () => {
    expect(driftedFiles(files, directory)).toEqual([]);
    writeFileSync(join(directory, 'wire.Json.schema.json'), '{}\n');
    rmSync(join(directory, 'session.Sender.schema.json'));
    writeFileSync(join(directory, 'gone.Gone.schema.json'), '{}\n');
    expect(driftedFiles(files, directory)).toEqual([
      'gone.Gone.schema.json',
      'session.Sender.schema.json',
      'wire.Json.schema.json',
    ]);
  });

  it('is gone after writing', () => {
    writeFileSync(join(directory, 'gone.Gone.schema.json'), '{}\n');
    writeSchemas(files, directory);
    expect(driftedFiles(files, directory)).toEqual([]);
  });
});

/** References that lead nowhere: `#` means the nearest schema around it that has an `$id`. */
function danglingIn(value: unknown, resource: Record<string, unknown>): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = '$id' in value && !Array.isArray(value) ? (value as Record<string, unknown>) : resource;
  return Object.entries(value).flatMap(([key, each]) => {
    if (key !== '$ref' || typeof each !== 'string') return danglingIn(each, own);
    let found: unknown = own;
    for (const part of each.split('/').slice(1)) found = (found as Record<string, unknown> | undefined)?.[part];
    return found === undefined ? [each] : [];
  });
}
