import { expect, test } from 'vitest';
import { completed, message, text } from '../src/result.ts';
import { resumed } from '../src/resume.ts';
import { defineRunner } from '../src/runner.ts';
import { testHost } from '../src/testing.ts';

const manifest = { id: 'test/echo/default', name: 'default', label: {} };

test('a runner is run in this process, and what it said is collected', async () => {
  const echo = defineRunner({
    manifest,
    async *run({ input, config }) {
      yield text(`${String(config.greeting)} `);
      yield text(input.text ?? '');
      yield completed({ usage: { total_tokens: 3 } });
    },
  });
  const host = testHost(echo);
  const run = host.run({ text: '数据库 🚀', config: { greeting: 'hello' } });
  expect(await run.ended).toEqual([3, 'run.completed', { usage: { total_tokens: 3 } }]);
  expect(run.text).toBe('hello 数据库 🚀');
  await host.close();
});

test('a whole message stands for the pieces that it closes', async () => {
  const host = testHost(
    defineRunner({
      manifest,
      async *run() {
        yield text('hel');
        yield message('hello');
        yield message(' again');
      },
    }),
  );
  const run = host.run('go');
  await run.ended;
  expect(run.text).toBe('hello again');
  await host.close();
});

test('more results than the credit window come through', async () => {
  const host = testHost(
    defineRunner({
      manifest,
      async *run() {
        for (let n = 0; n < 2000; n += 1) yield text('x');
      },
    }),
  );
  const run = host.run('go');
  await run.ended;
  expect(run.text).toHaveLength(2000);
  await host.close();
});

test('a second attempt knows what the first one said; a first attempt has none', async () => {
  const host = testHost(
    defineRunner({
      manifest,
      async *run(context) {
        const earlier = resumed(context);
        yield text(earlier === null ? 'first' : `${earlier.attempt}: ${earlier.said}`);
      },
    }),
  );
  const [first, second] = [host.run('go'), host.run({ text: 'go', said: 'so far' })];
  await Promise.all([first.ended, second.ended]);
  expect([first.text, second.text]).toEqual(['first', '2: so far']);
  await host.close();
});
