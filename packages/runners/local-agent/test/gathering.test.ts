import { expect, test } from 'vitest';
import { gathered } from '../src/gathering.ts';

const words = Array.from({ length: 12_000 }, (_, index) => `w${index} `);

function piece(content: string) {
  return { content, is_final: false };
}

test('a model that is faster than what it says can be passed on is read to its end, and what waits is joined', async () => {
  let given = 0;
  async function* model() {
    for (const word of words) {
      yield piece(word);
      given += 1;
    }
    yield { reasoning_content: 'hm', is_final: false };
    yield piece('end');
  }
  const pieces = gathered(model());
  const first = await pieces.next();
  await expect.poll(() => given).toBe(words.length);
  const rest: object[] = [];
  let said = first.value?.content ?? '';
  for await (const each of pieces) {
    rest.push(each);
    said += each.content ?? '';
  }
  expect(rest.length).toBeLessThan(100);
  expect(said).toBe(`${words.join('')}end`);
  expect(rest.slice(-2)).toEqual([{ reasoning_content: 'hm', is_final: false }, piece('end')]);
});

test('what came before a model broke off is passed on, then that it did', async () => {
  async function* model() {
    yield piece('half');
    throw new Error('broken');
  }
  const pieces = gathered(model());
  expect((await pieces.next()).value).toEqual(piece('half'));
  await expect(pieces.next()).rejects.toThrow('broken');
});
