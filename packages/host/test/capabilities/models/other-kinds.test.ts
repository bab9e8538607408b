import { ModelConfig } from '@rostra/protocol/config/model-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it, vi } from 'vitest';
import { ModelShelf } from '../../../src/capabilities/models/model-shelf.ts';
import { aCall, asked, canary, counter, modelWorld, refusalOf, weather } from './model-world.ts';

const world = await modelWorld({ api_key: canary });
const { signal } = new AbortController();

function cosine(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
}

describe('a model that gives vectors', () => {
  it.each(['openai', 'openai-compatible', 'google'] as const)(
    'of %s gives near ones for texts that are alike',
    async (provider) => {
      const model = world.model({ provider, kind: 'embedding', model: 'fake-embed' });
      const { vectors } = await model.embed(['a red fox ran', 'the red fox ran away', 'taxes are due'], signal);
      const [fox, foxes, taxes] = vectors;
      expect(vectors.length).toBe(3);
      expect(cosine(fox!, foxes!)).toBeGreaterThan(cosine(fox!, taxes!) + 0.2);
    },
  );

  it('takes many texts in requests of a bounded size, in their order', async () => {
    const before = world.server.requests.length;
    const model = world.model({ provider: 'openai-compatible', kind: 'embedding', model: 'fake-embed' });
    const texts = Array.from({ length: limits.embed_batch * 2 + 1 }, (_, index) => `text number${index}`);
    const { vectors, usage } = await model.embed(texts, signal);
    expect(world.server.requests.length - before).toBe(3);
    const last = await model.embed([texts.at(-1) ?? ''], signal);
    expect(vectors.at(-1)).toEqual(last.vectors[0]);
    expect(usage).toMatchObject({ input_tokens: expect.any(Number), total_tokens: expect.any(Number) });
  });

  it('is no model that writes, and the other way round', async () => {
    const vectors = world.model({ provider: 'openai', kind: 'embedding' });
    expect(await refusalOf(vectors.invoke(asked('hello'), aCall()))).toMatchObject({ code: 'invalid_argument' });
    expect(await refusalOf(world.model({ provider: 'openai' }).embed(['a'], signal))).toMatchObject({
      code: 'invalid_argument',
    });
    const none = world.model({ provider: 'anthropic', kind: 'embedding' });
    expect(await refusalOf(none.embed(['a'], signal))).toMatchObject({ code: 'invalid_argument' });
  });

  it('fails as the others do, without the key', async () => {
    const model = world.model({ provider: 'openai', kind: 'embedding', api_key: 'sk-wrong-canary' });
    const error = await refusalOf(model.embed(['a'], signal));
    expect(error.details).toMatchObject({ reason: 'MODEL_KEY_REFUSED', status: 401 });
    expect(JSON.stringify(error)).not.toContain('sk-wrong-canary');
  });
});

describe('a model that ranks', () => {
  const documents = ['taxes are due', 'the red fox ran', 'a fox'];

  it('gives the best documents first, and no more than are asked for (RP-7.9)', async () => {
    const model = world.model({ provider: 'openai-compatible', kind: 'rerank', model: 'fake-rerank' });
    const results = await model.rerank('red fox', documents, 2, signal);
    expect(results).toEqual([
      { index: 1, relevance_score: 1 },
      { index: 2, relevance_score: 0.5 },
    ]);
    expect(world.server.requests.at(-1)).toMatchObject({
      path: '/v1/rerank',
      body: { model: 'fake-rerank', query: 'red fox', documents, top_n: 2 },
      headers: { authorization: `Bearer ${canary}` },
    });
  });

  it('that names documents nobody gave, or one twice, is not believed', async () => {
    const results = [1, 1, 99, 0].map((index) => ({ index, relevance_score: 1 / (index + 1) }));
    const fetch = async () => Response.json({ results });
    const model = world.model({ provider: 'openai-compatible', kind: 'rerank' }, { fetch });
    expect((await model.rerank('q', documents, 3, signal)).map(({ index }) => index)).toEqual([0, 1]);
  });

  it('that answers with something else fails with a sentence', async () => {
    for (const answer of [Response.json({ ranking: [] }), new Response('oops'), Response.json({}, { status: 500 })]) {
      const fetch = async () => answer.clone();
      const model = world.model({ provider: 'openai-compatible', kind: 'rerank', retries: 0 }, { fetch });
      expect(await refusalOf(model.rerank('q', documents, 3, signal))).toMatchObject({
        code: 'runtime_error',
        details: { reason: 'MODEL_FAILED' },
      });
    }
  });

  it('is not served by providers that have none', async () => {
    const model = world.model({ provider: 'anthropic', kind: 'rerank' });
    expect(await refusalOf(model.rerank('q', documents, 3, signal))).toMatchObject({ code: 'invalid_argument' });
  });
});

describe('tokens are counted', () => {
  it('by Anthropic itself, of the request as it would be sent', async () => {
    const model = world.model({ provider: 'anthropic' });
    const request = asked('hello there', { tools: [weather], extra_args: { temperature: 1, max_tokens: 9 } });
    const count = await model.countTokens(request, aCall());
    const sent = world.server.requests.at(-1);
    expect(sent).toMatchObject({ path: '/anthropic/v1/messages/count_tokens', headers: { 'x-api-key': canary } });
    expect(Object.keys(sent?.body ?? {}).sort()).toEqual(['messages', 'model', 'tools']);
    expect(count).toBe(Math.ceil(JSON.stringify(sent?.body).length / 4));
  });

  it('by estimate where the provider has no counter, or does not answer', async () => {
    const exact = await world.model({ provider: 'openai' }).countTokens(asked('hello world'), aCall());
    expect(exact).toBe(6);
    const refused = world.model({ provider: 'anthropic', api_key: 'sk-wrong' });
    expect(await refused.countTokens(asked('hello world'), aCall())).toBe(6);
    const config = ModelConfig.parse({ provider: 'anthropic', model: 'fake-chat' });
    const keyless = new ModelShelf({
      sources: () => ({ m: { config, source: 'file' } }),
      environment: {},
      counter,
    }).find('m');
    expect(await keyless?.countTokens(asked('hello world'), aCall())).toBe(6);
    const fetch = (_url: unknown, init?: RequestInit) =>
      new Promise<Response>((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      });
    const silent = world.model({ provider: 'anthropic' }, { fetch });
    const counting = silent.countTokens(asked('hello world'), aCall());
    await vi.waitFor(() => expect(world.clock.armed).toBeGreaterThan(0));
    world.clock.advance(limits.model_count);
    expect(await counting).toBe(6);
  });

  it('with tools, and with images at a fixed price', async () => {
    const model = world.model({ provider: 'google' });
    const count = (request: Parameters<typeof model.countTokens>[0]) => model.countTokens(request, aCall());
    expect(await count(asked('hello', { tools: [weather] }))).toBeGreaterThan((await count(asked('hello'))) + 4);
    const image = asked([{ role: 'user', content: [{ type: 'image', url: 'data:image/png;base64,aaaa' }] }]);
    expect(await count(image)).toBe(1204);
  });

  it('for nobody who has given up', async () => {
    const caller = new AbortController();
    const gone = new ApiError('runtime_error', 'gone');
    const fetch = async () => {
      caller.abort(gone);
      throw new TypeError('fetch failed');
    };
    const model = world.model({ provider: 'anthropic' }, { fetch });
    expect(await refusalOf(model.countTokens(asked('hello'), aCall(caller.signal)))).toBe(gone);
  });
});
