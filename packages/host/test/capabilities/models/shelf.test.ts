import { ModelConfig } from '@rostra/protocol/config/model-config';
import { describe, expect, it } from 'vitest';
import { ModelShelf } from '../../../src/capabilities/models/model-shelf.ts';
import type { SourcedModel } from '../../../src/capabilities/models/model-source.ts';
import { aCall, asked, canary, counter, modelWorld, refusalOf, streamed } from './model-world.ts';

const world = await modelWorld({ api_key: canary });

function shelfOf(models: Record<string, SourcedModel>, environment: Record<string, string> = {}): ModelShelf {
  return new ModelShelf({ sources: () => models, environment, clock: world.clock, counter });
}

function model(given: object, source: SourcedModel['source'] = 'file'): SourcedModel {
  return { config: ModelConfig.parse({ provider: 'anthropic', model: 'fake-chat', ...given }), source };
}

/** Asks whether the key that a model would use opens the fake provider. */
async function outcome(shelf: ModelShelf): Promise<string> {
  const found = shelf.find('m');
  if (found === null) return 'absent';
  return await found.invoke(asked('[[say: open]]'), aCall()).then(
    ({ message }) => String(message.content),
    (error: { message: string }) => error.message,
  );
}

describe('the shelf of models', () => {
  it('offers to runs what writes and what ranks, and keeps vectors to itself', () => {
    const shelf = shelfOf({
      'anthropic/big': model({ label: 'Big', context_window: 9000, max_output_tokens: 500, images: false }),
      ranker: model({ provider: 'openai-compatible', kind: 'rerank' }),
      vectors: model({ provider: 'openai', kind: 'embedding' }),
    });
    expect(shelf.offers()).toEqual([
      {
        model_id: 'anthropic/big',
        model_type: 'chat',
        provider: 'anthropic',
        operations: ['invoke', 'stream', 'count_tokens'],
        metadata: {
          label: 'Big',
          model: 'fake-chat',
          context_window: 9000,
          max_output_tokens: 500,
          native_tools: true,
          images: false,
        },
      },
      {
        model_id: 'ranker',
        model_type: 'rerank',
        provider: 'openai-compatible',
        operations: ['rerank'],
        metadata: { model: 'fake-chat', native_tools: true, images: true },
      },
    ]);
    expect(shelf.list().map(({ model_id, source }) => `${model_id} ${source}`)).toEqual([
      'anthropic/big file',
      'ranker file',
      'vectors file',
    ]);
  });

  it('says nothing of a key in what it offers', () => {
    const shelf = shelfOf(
      { m: model({ api_key: canary, headers: { 'x-key': canary } }) },
      { ANTHROPIC_API_KEY: canary },
    );
    expect(JSON.stringify(shelf.offers())).not.toContain(canary);
  });

  it('reads what is described at the moment, and finds nothing that is only inherited', () => {
    const models: Record<string, SourcedModel> = {};
    const shelf = shelfOf(models);
    expect(shelf.find('m')).toBeNull();
    models.m = model({});
    expect(shelf.find('m')?.config.model).toBe('fake-chat');
    expect(shelf.find('constructor')).toBeNull();
  });
});

describe('the key of a model', () => {
  const { anthropic_url, google_url, openai_url } = world.server;

  it('is its own one, else that of the environment, read when it is needed', async () => {
    const environment: Record<string, string> = { ANTHROPIC_API_KEY: 'sk-wrong' };
    const own = shelfOf({ m: model({ base_url: anthropic_url, api_key: canary }) }, environment);
    expect(await outcome(own)).toBe('open');
    const theirs = shelfOf({ m: model({ base_url: anthropic_url }) }, environment);
    expect(await outcome(theirs)).toBe('Anthropic refused the key (401). Check ANTHROPIC_API_KEY.');
    environment.ANTHROPIC_API_KEY = canary;
    expect(await outcome(theirs)).toBe('open');
  });

  it('that nobody gave is asked for by the name of its variable', async () => {
    const error = await refusalOf(streamed(shelfOf({ m: model({}) }).find('m')!, asked('hello')));
    expect(error).toMatchObject({ code: 'runtime_error', retryable: false, details: { reason: 'MODEL_KEY_MISSING' } });
    expect(error.message).toBe('There is no key for Anthropic. Set ANTHROPIC_API_KEY, or give m an api_key.');
    expect(await outcome(shelfOf({ m: model({ provider: 'google' }) }))).toContain('Set GEMINI_API_KEY');
    expect(await outcome(shelfOf({ m: model({ provider: 'openai' }) }))).toContain('Set OPENAI_API_KEY');
  });

  it('may have a line break behind it, as copied keys do, and no letters that cannot be sent', async () => {
    const copied = shelfOf({ m: model({ base_url: anthropic_url }) }, { ANTHROPIC_API_KEY: `${canary}\n` });
    expect(await outcome(copied)).toBe('open');
    const typed = shelfOf({ m: model({ base_url: anthropic_url }) }, { ANTHROPIC_API_KEY: `${canary}“` });
    expect(await outcome(typed)).toBe(
      'Anthropic cannot be called: its key has letters that no key has. Check ANTHROPIC_API_KEY.',
    );
  });

  it('of Google has two names', async () => {
    const google = { m: model({ provider: 'google', base_url: google_url }) };
    expect(await outcome(shelfOf(google, { GEMINI_API_KEY: '', GOOGLE_GENERATIVE_AI_API_KEY: canary }))).toBe('open');
    const refused = await outcome(shelfOf(google, { GOOGLE_GENERATIVE_AI_API_KEY: 'wrong' }));
    expect(refused).toBe('Google refused the key (401). Check GOOGLE_GENERATIVE_AI_API_KEY.');
  });

  it('of OpenAI is not sent to just any server that speaks like it', async () => {
    const config = model({ provider: 'openai-compatible', base_url: openai_url });
    expect(await outcome(shelfOf({ m: config }, { OPENAI_API_KEY: canary }))).toContain('refused the key (401)');
    expect(world.server.requests.at(-1)?.headers.authorization).toBeUndefined();
    const detected = { ...config, source: 'detected' as const, key_variable: 'OPENAI_API_KEY' };
    expect(await outcome(shelfOf({ m: detected }, { OPENAI_API_KEY: canary }))).toBe('open');
  });

  it('of the environment goes to no address that was described at run time', async () => {
    const before = world.server.requests.length;
    const shelf = shelfOf({ m: model({ base_url: anthropic_url }, 'store') }, { ANTHROPIC_API_KEY: canary });
    expect(await outcome(shelf)).toBe('There is no key for Anthropic. Give m an api_key.');
    expect(world.server.requests.length).toBe(before);
  });

  it('is needed by no server of one’s own', async () => {
    const free = await modelWorld();
    const config = model({ provider: 'openai-compatible', base_url: free.server.openai_url.replace('/v1', '') });
    expect(await outcome(shelfOf({ m: config }))).toBe('open');
  });
});
