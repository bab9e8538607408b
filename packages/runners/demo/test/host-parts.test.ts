import { createHash } from 'node:crypto';
import { ApiError } from '@rostra/runner-sdk';
import { type ApiAnswers, type TestKeep, testHost, testKeep } from '@rostra/runner-sdk/testing';
import { expect, test } from 'vitest';
import { demoRunner } from '../src/runner.ts';

const demo = demoRunner({ now: () => new Date(0), roll: (sides) => sides, exit: () => undefined });

/** What the demo says to a text, in a host that keeps things. */
async function said(text: string, keep: TestKeep = testKeep(), api: ApiAnswers = {}): Promise<string> {
  const host = testHost(demo, { keep, api });
  const run = host.run(text);
  const [, type] = await run.ended;
  await host.close();
  expect(type).toBe('run.completed');
  return run.text;
}

test('/history reads all that was said before, page by page, and shows the last of it', async () => {
  const history = Array.from({ length: 250 }, (_, index) => `m${index + 1}`);
  const keep = testKeep({ history: [...history, '/history'] });
  expect(await said('/history', keep)).toBe(
    'I read 250 messages of this session. The last of them:' +
      '\n- assistant: m246\n- user: m247\n- assistant: m248\n- user: m249\n- assistant: m250',
  );
});

test('/history in a new session says that there is none', async () => {
  expect(await said('/history', testKeep({ history: ['/history'] }))).toBe('Nothing was said before this.');
});

test('/history WORDS finds what was said about them, and not its own question', async () => {
  const keep = testKeep({ history: ['数据库的连接串是 postgres://x', '好的', '/history 数据库'] });
  expect(await said('/history 数据库', keep)).toBe('和“数据库”有关的内容：\n- user: 数据库的连接串是 postgres://x');
  expect(await said('/history tulips', keep)).toBe('Nothing that was said here before is about “tulips”.');
});

test('/state keeps a value, and a later turn says it', async () => {
  const keep = testKeep();
  expect(await said('/state colour', keep)).toBe('Nothing is kept under colour; try /state colour blue.');
  expect(await said('/state colour dark blue', keep)).toMatch(/^I keep colour = dark blue\./);
  expect(keep.state).toEqual(new Map([['conversation/colour', 'dark blue']]));
  expect(await said('/state colour', keep)).toBe('colour = dark blue. An earlier turn kept it.');
});

test.each([1, 64, 65, 2049])('/artifact %i makes a file of that size and reads it back', async (kib) => {
  const keep = testKeep();
  const text = await said(`/artifact ${kib}`, keep);
  const { bytes, data } = keep.artifacts.get('artifact-1') ?? { bytes: Buffer.alloc(0), data: {} };
  expect(bytes).toHaveLength(kib * 1024);
  expect(data.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  const about = `${kib * 1024} bytes, SHA-256 ${data.sha256}, byte by byte the same.`;
  expect(text).toBe(`I made demo-${kib}-kib.txt and read it back: ${about}`);
});

test.each([
  ['unauthorized', /^I may not keep values here/],
  ['rate_limited', /^The host refused: slowly, please$/],
] as const)('a refusal as %s is told in one sentence, and the run ends well', async (code, sentence) => {
  const refuse = () => {
    throw new ApiError(code, 'slowly, please');
  };
  expect(await said('/state colour blue', testKeep(), { 'state.set': refuse })).toMatch(sentence);
});
