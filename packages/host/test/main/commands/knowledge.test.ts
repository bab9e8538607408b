import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { runCommand } from 'citty';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { knowledgeRoutes } from '../../../src/http/routes/knowledge.ts';
import { readCommand } from '../../../src/main/command-line.ts';
import { root } from '../../../src/main/commands/root.ts';
import { UsageError } from '../../../src/main/commands/usage-error.ts';
import { KnowledgeWorld } from '../../capabilities/knowledge/documents/knowledge-world.ts';
import { encrypted, pdf } from '../../capabilities/knowledge/documents/sample-documents.ts';
import { KEY, TestHost } from '../../http/test-host.ts';

const world = new KnowledgeWorld();
const folder = mkdtempSync(join(tmpdir(), 'rostra-knowledge-'));
const at = (name: string) => join(folder, name);
let host: TestHost;

beforeAll(async () => {
  host = await TestHost.start();
  host.more = knowledgeRoutes({
    knowledge: world.desk,
    clock: host.clock,
    artifact_bytes: () => 1_000_000,
    acted: () => undefined,
  });
  mkdirSync(join(folder, 'docs', '.hidden'), { recursive: true });
  writeFileSync(join(folder, 'rules.pdf'), pdf([['The gate opens at six.'], ['Fees are due in May.']]));
  writeFileSync(join(folder, 'locked.pdf'), encrypted);
  writeFileSync(join(folder, 'docs', 'boats.md'), '# Boats\n\nSmall ones only.');
  writeFileSync(join(folder, 'docs', 'picture.png'), 'not read');
  writeFileSync(join(folder, 'docs', '.hidden', 'secret.md'), 'not read');
});

afterAll(async () => {
  await world.desk.stop();
  await host.stop();
  rmSync(folder, { recursive: true });
  expect(world.faults).toEqual([]);
});

interface Ended {
  code: number;
  out: string;
  problem: string | null;
}

/** A command as `cli.ts` runs it, in this process. */
async function rostra(...args: string[]): Promise<Ended> {
  const door = ['--url', `http://127.0.0.1:${host.port}`, '--key', KEY];
  const asked = await readCommand(root, ['knowledge', ...args, ...door]);
  if (asked.do !== 'run') return { code: 2, out: '', problem: asked.do === 'refuse' ? asked.problem : null };
  let out = '';
  const writing = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  try {
    await runCommand(asked.command, { rawArgs: asked.args });
    return { code: Number(process.exitCode ?? 0), out, problem: null };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error instanceof UsageError ? 2 : 1, out, problem: error.message };
  } finally {
    writing.mockRestore();
    process.exitCode = undefined;
  }
}

test('a base is made, filled with files and folders, searched and removed', async () => {
  expect(await rostra('create', 'harbour', '--description', 'The rules')).toMatchObject({ code: 0 });
  const added = await rostra('add', 'harbour', at('rules.pdf'), at('docs'), '--metadata', 'lang=en,year=2026');
  expect(added).toMatchObject({ code: 0, out: 'rules.pdf: ready, 2 chunks\nboats.md: ready, 1 chunks\n' });
  const found = await rostra('search', 'harbour', 'fees', '--where', 'year=2026', '--json');
  expect(JSON.parse(found.out)).toMatchObject([{ content: 'Fees are due in May.', metadata: { page: 2, lang: 'en' } }]);
  const shown = await rostra('show', 'harbour', '--json');
  const [boats] = JSON.parse(shown.out).items;
  expect(boats).toMatchObject({ name: 'boats.md', metadata: { lang: 'en', year: 2026 } });
  expect((await rostra('remove', 'harbour', boats.id)).code).toBe(0);
  expect((await rostra('reindex', 'harbour')).out).toBe('rules.pdf: ready, 2 chunks\n');
  expect((await rostra('list')).out).toMatch(/^harbour +harbour +1 +2$/m);
  expect(await rostra('remove', 'harbour')).toMatchObject({ code: 2 });
  expect((await rostra('remove', 'harbour', '--all')).code).toBe(0);
  expect((await rostra('list')).out).toBe('There is no knowledge base.\n');
});

test('a document that cannot be read is told with what to do, and the exit code is 1', async () => {
  await rostra('create', 'harbour');
  const { code, out } = await rostra('add', 'harbour', at('locked.pdf'));
  expect({ code, out }).toEqual({
    code: 1,
    out: 'locked.pdf is protected by a password.\n→ Save it without one, and add that.\n',
  });
  const refused = await rostra('add', 'harbour', at('docs/picture.png'), '--json');
  expect(refused.code).toBe(0);
  expect(await rostra('add', 'harbour', 'nothing.txt')).toMatchObject({ code: 2, out: '' });
  writeFileSync(at('empty.txt'), '');
  const some = await rostra('add', 'harbour', at('empty.txt'), at('rules.pdf'), at('folder.txt'));
  expect(some).toMatchObject({ code: 2, out: '' });
  mkdirSync(at('mixed'));
  for (const name of ['mixed/a.txt', 'mixed/c.pdf']) writeFileSync(at(name), '');
  writeFileSync(at('mixed/b.md'), 'Oysters on Fridays.');
  const mixed = await rostra('add', 'harbour', at('mixed'));
  expect(mixed).toMatchObject({ code: 1, out: 'b.md: ready, 1 chunks\n' });
  expect(mixed.problem).toMatch(/a\.txt: a\.txt is empty\.\n→ .*\n.*c\.pdf: c\.pdf is empty\.\n→ /);
  expect((await rostra('add', 'harbour', at('empty.txt'))).problem).toBe('empty.txt is empty.');
  expect((await rostra('search', 'harbour', 'gate', '--where', 'year')).problem).toMatch(/^--where is a list/);
  expect(await rostra('add', 'nowhere', at('rules.pdf'))).toMatchObject({
    code: 1,
    problem: 'There is no such knowledge base.',
  });
});
