import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readYaml } from '../packages/host/src/config/yaml-tree.ts';
import { checkHostConfig } from '../packages/protocol/src/config/config-problem.ts';
import { Reader } from './docs/reader.ts';
import { type Snippet, snippetsOf } from './docs/snippet.ts';
import { type ModelServer, startModelServer } from './fakes/model-server.ts';
import { root } from './tidy/repository.ts';

/** What documents let readers make up. */
const env = { BRIDGE_KEY: 'a-key-that-you-made-up', HOOK_SECRET: 'a-secret-that-you-made-up', NAME: 'x'.repeat(16) };
const files = ['README.md', ...readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md'))];
const documents = files.map((name) => {
  const file = path.join(root, name === 'README.md' ? name : `docs/${name}`);
  return [name, snippetsOf(readFileSync(file, 'utf8'))] as const;
});

/** Where documents have a model of one's own machine, this one answers. */
const OWN_MODEL = 'http://127.0.0.1:11434/v1';
let models: ModelServer;
beforeAll(async () => {
  models = await startModelServer();
});
afterAll(() => models.close());
const reached = (text: string) => text.replaceAll(OWN_MODEL, models.openai_url);

function configOf(text: string): object {
  const filled = reached(text).replace(/\$\{(\w+)\}/g, (whole, name: keyof typeof env) => env[name] ?? whole);
  const { value, torn } = readYaml(filled, (each) => ({ value: each }));
  expect(torn).toEqual([]);
  const checked = checkHostConfig(value);
  expect('problems' in checked ? checked.problems : []).toEqual([]);
  return value as object;
}

const runs = ({ language, notRun }: Snippet, ...languages: string[]) => notRun === null && languages.includes(language);

describe('what documents show', () => {
  test('every block is in a language that is run, or says why it is not', () => {
    const known = ['sh', 'ts', 'yaml', 'json'];
    // The lines of the wire are held against a real runner by a test of their own.
    const foreign = documents.flatMap(([name, snippets]) =>
      snippets
        .filter(
          ({ language, notRun }) => ![...known, 'wire', 'text', 'mermaid', ''].includes(language) && notRun === null,
        )
        .map(({ line, language }) => `${name}:${line} ${language}`),
    );
    expect(foreign).toEqual([]);
    const count = documents.flatMap(([, snippets]) => snippets.filter((each) => runs(each, ...known))).length;
    expect(count).toBeGreaterThan(20);
  });

  test.each(documents)('%s: configurations are right and JSON is JSON', (_, snippets) => {
    for (const snippet of snippets.filter((each) => runs(each, 'yaml'))) configOf(snippet.text);
    for (const { text } of snippets.filter((each) => runs(each, 'json'))) JSON.parse(text);
  });

  const running = documents.filter(([, snippets]) => snippets.some((each) => runs(each, 'sh', 'ts')));
  test.concurrent.each(running)(
    '%s: commands and programs do what they should',
    { timeout: 60_000 },
    async (_, snippets) => {
      const reader = new Reader(env);
      try {
        const host = snippets.find(({ isHost }) => isHost);
        await reader.start(host === undefined ? null : configOf(host.text));
        const commands = snippets.filter((each) => runs(each, 'sh'));
        await reader.sh(commands.map((each) => ({ ...each, text: reached(each.text) })));
        for (const snippet of snippets.filter((each) => runs(each, 'ts'))) await reader.program(snippet);
      } finally {
        await reader.close();
      }
    },
  );
});
