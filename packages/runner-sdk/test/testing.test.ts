import { DeliveryContext } from '@rostra/protocol/runner/run-context';
import { expect, test } from 'vitest';
import { completed, message, text } from '../src/result.ts';
import { resumed } from '../src/resume.ts';
import { defineRunner } from '../src/runner.ts';
import { testHost, testKeep } from '../src/testing.ts';

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

test('a runner that takes more than words reads the picture that came with its input (RP-3.11)', async () => {
  const keep = testKeep();
  const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]);
  keep.take('artifact.created', {
    artifact_id: 'p1',
    mime_type: 'image/png',
    content_base64: bytes.toString('base64'),
  });
  const seeing = defineRunner({
    manifest: { ...manifest, capabilities: { multimodal_input: true }, permissions: { artifacts: ['read'] } },
    async *run({ input }, { api }) {
      const kinds = input.contents.map(({ type }) => type);
      for (const { artifact_id } of input.attachments) {
        const { content_base64, mime_type } = await api.artifacts.read_range({ artifact_id, offset: 0, length: 100 });
        yield text(`${kinds} ${mime_type} ${content_base64}`);
      }
    },
  });
  const host = testHost(seeing, { keep });
  const picture = { artifact_id: 'p1', name: null, mime_type: 'image/png', size_bytes: bytes.length, sha256: null };
  const contents = [{ type: 'image' as const, artifact: picture }];
  const run = host.run({ context: { input: { text: null, contents, attachments: [picture], message_chain: null } } });
  await run.ended;
  expect(run.text).toBe(`image image/png ${bytes.toString('base64')}`);
  await host.close();
});

test('a runner may answer by what the place of its answer can show (RP-4.26)', async () => {
  const adapting = defineRunner({
    manifest,
    async *run({ delivery }) {
      if (delivery.platform_capabilities.forms === true) {
        const payload = { kind: 'confirmation', title: 'Sure?' };
        yield { type: 'action.requested', data: { action: 'interaction.requested', payload } };
      } else if (delivery.supports_streaming) yield text('piece');
      else yield message('whole');
    },
  });
  const host = testHost(adapting);
  const answered = async (can: Partial<DeliveryContext>) => {
    const delivery = DeliveryContext.parse({ surface: 'test', ...can });
    const run = host.run({ context: { delivery } });
    await run.ended;
    return run.results.map(([, type]) => type);
  };
  expect(await answered({ supports_streaming: true })).toEqual(['message.delta', 'run.completed']);
  expect(await answered({ supports_streaming: false })).toEqual(['message.completed', 'run.completed']);
  expect(await answered({ platform_capabilities: { forms: true } })).toEqual(['action.requested', 'run.completed']);
  await host.close();
});
