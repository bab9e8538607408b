import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testHost, testKeep } from '../src/testing.ts';
import { asking } from './fixtures/asking.ts';

const document = readFileSync(new URL('../../../docs/writing-a-runner.md', import.meta.url), 'utf8');
const source = readFileSync(new URL('./fixtures/asking.ts', import.meta.url), 'utf8');

test('the runner that docs/writing-a-runner.md shows asks its host for everything, and gets it', async () => {
  const keep = testKeep({ history: ['the database is down', 'I look into it', 'hello'] });
  const answer = { interaction_id: 'q', status: 'submitted', action: 'confirm', values: {} } as const;
  const host = testHost(asking, { keep, api: { 'interactions.request': () => answer } });
  const first = host.run('hello');
  await first.ended;
  expect(first.text).toBe('visit 1, 3 messages, 1 hits, submitted confirm');
  const again = host.run('hello');
  await again.ended;
  expect(again.text).toMatch(/^visit 2,/);
  expect(keep.artifacts.get('artifact-1')?.bytes.toString()).toBe('visit 1\n');
  expect(keep.storage.get('plugin/index')).toHaveLength(3_000_000);
  await host.close();
});

test('its lines stand in the document as they ran', () => {
  const body = source.slice(source.indexOf('  async *run('), source.lastIndexOf('});'));
  expect(document).toContain(body.trimEnd());
});
