import { ModelConfig } from '@rostra/protocol/config/model-config';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { startModelServer } from '../../../../../test/fakes/model-server.ts';
import { ModelShelf } from '../../../src/capabilities/models/model-shelf.ts';
import type { SourcedModel } from '../../../src/capabilities/models/model-source.ts';
import { modelsFamily } from '../../../src/proxy/families/models.ts';
import type { ArtifactRow } from '../../../src/store/ports/artifact.ts';
import { fixture } from '../../orchestrator/world.ts';
import { everything } from '../gate-bench.ts';
import { ProxyWorld } from '../proxy-world.ts';

const canary = 'sk-canary-0b7e44d1';
const server = await startModelServer({ api_key: canary });
afterAll(() => server.close());

function described(given: object): SourcedModel {
  const config = { provider: 'openai-compatible', model: 'fake-chat', base_url: server.openai_url, api_key: canary };
  return { config: ModelConfig.parse({ ...config, ...given }), source: 'file' };
}

/** A file of one conversation. */
function row(session_id: string): ArtifactRow {
  const place = { workspace_id: 'default', session_id, bot_id: null, thread_id: null };
  const about = { name: 'a.png', mime_type: 'image/png', size_bytes: 4, sha256: '', created_at: 0, expires_at: null };
  return { artifact_id: session_id, ...place, run_id: null, agent_id: null, user_id: null, ...about, metadata: {} };
}

/** Real runner processes, the real gate, and models of a provider on loopback. */
function world(models: Record<string, SourcedModel> = {}) {
  const sources = () => ({
    chat: described({}),
    claude: described({ provider: 'anthropic', base_url: server.anthropic_url }),
    refused: described({ api_key: 'sk-canary-wrong' }),
    ranker: described({ kind: 'rerank', model: 'fake-rerank' }),
    ...models,
  });
  const shelf = new ModelShelf({ sources, environment: {}, counter: { count: async () => 1 } });
  const clock = { now: () => 0 };
  const artifacts = {
    get: async (artifact_id: string) => row(artifact_id),
    read: async () => new Uint8Array([0x89, 0x50, 0x4e, 0x47]),
  };
  const services = modelsFamily({ models: shelf, artifacts, clock });
  const command = fixture('caller', 'fixture', 'invoke', 'stream', 'rerank', 'count_tokens');
  const p = new ProxyWorld(services, { offers: { ...everything, models: shelf.offers() }, package: { command } });
  return { p, shelf };
}

const said = (content: unknown) => [{ role: 'user', content }];

describe('a runner', () => {
  it('is answered by a model at once and in pieces, and counts what it would say', async () => {
    const { p } = world();
    const messages = said('[[say: good day]]');
    const [whole, streamed, counted] = await p.replies(
      { call: 'models.invoke', params: { model_id: 'chat', messages } },
      { call: 'models.stream', params: { model_id: 'claude', messages } },
      { call: 'models.count_tokens', params: { model_id: 'claude', messages } },
    );
    const message = { role: 'assistant', content: 'good day' };
    expect(whole).toMatchObject({ result: { message, finish_reason: 'stop', usage: { output_tokens: 2 } } });
    expect(streamed).toMatchObject({
      result: { message },
      chunks: [{ content: 'good' }, { content: ' day' }, { is_final: true }],
    });
    expect(counted).toMatchObject({ result: { tokens: expect.any(Number) } });
    expect(p.rows.map(({ action, resource, result }) => [action, resource, result])).toEqual([
      ['models.invoke', 'chat', 'ok'],
      ['models.stream', 'claude', 'ok'],
      ['models.count_tokens', 'claude', 'ok'],
    ]);
  });

  it('has documents ranked, all of them unless it wants fewer', async () => {
    const { p } = world();
    const params = { model_id: 'ranker', query: 'red fox', documents: ['taxes', 'a red fox'] };
    const [all, best] = await p.replies(
      { call: 'models.rerank', params },
      { call: 'models.rerank', params: { ...params, top_k: 1 } },
    );
    expect(all).toMatchObject({ result: { results: [{ index: 1, relevance_score: 1 }, { index: 0 }] } });
    expect(best).toEqual({ result: { results: [{ index: 1, relevance_score: 1 }] } });
  });

  it('that gives up a stream, or a call without pieces, is heard by the provider', async () => {
    const { p } = world();
    const before = server.requests.length;
    const [streamed, whole] = await p.replies(
      {
        call: 'models.stream',
        params: { model_id: 'chat', messages: said('[[slow: 5]] [[long: 5000]]') },
        give_up_after: 2,
      },
      { call: 'models.invoke', params: { model_id: 'claude', messages: said('[[hang]]') }, give_up: true },
    );
    expect(streamed?.error).toMatchObject({ message: 'The caller wants no more of the answer.' });
    expect(whole?.error).toMatchObject({ message: 'The caller wants no more of the answer.' });
    await vi.waitFor(() => {
      expect(server.requests[before]).toMatchObject({ aborted: true });
      expect(server.requests.slice(before).every(({ aborted }) => aborted)).toBe(true);
    });
  });

  it('whose run ends takes its calls with it', async () => {
    const { p } = world();
    const before = server.requests.length;
    const turn = p.begin({ call: 'models.invoke', params: { model_id: 'chat', messages: said('[[hang]]') } });
    await vi.waitFor(() => expect(server.requests.length).toBe(before + 1));
    p.world.orchestrator.voice.fail(`${turn}.1`, { code: 'runner.error', message: 'enough', retryable: false });
    await vi.waitFor(() => expect(server.requests[before]).toMatchObject({ aborted: true }));
  });

  it('is told what is wrong with a key in a sentence, and the key nowhere', async () => {
    const { p } = world();
    const [reply] = await p.replies({
      call: 'models.stream',
      params: { model_id: 'refused', messages: said('hello') },
    });
    expect(reply?.error).toMatchObject({
      code: 'runtime_error',
      message: 'The OpenAI-compatible server refused the key (401). Check the api_key of refused.',
      details: { reason: 'MODEL_KEY_REFUSED', status: 401 },
    });
    expect(JSON.stringify([reply, p.rows, p.world.logged])).not.toContain('sk-canary');
  });

  it('is told that a model is gone which it was granted', async () => {
    const models: Record<string, SourcedModel> = { passing: described({}) };
    const { p } = world(models);
    delete models.passing;
    const [reply] = await p.replies({
      call: 'models.invoke',
      params: { model_id: 'passing', messages: said('hello') },
    });
    expect(reply?.error).toMatchObject({ code: 'not_found', details: { reason: 'MODEL_NOT_FOUND' } });
  });

  it('shows a model the files of its own conversation and of no other', async () => {
    const { p } = world();
    const show = (artifact_id: string) => {
      const artifact = { artifact_id, name: 'a.png', mime_type: 'image/png', size_bytes: 4, sha256: null };
      const messages = said([
        { type: 'text', text: '[[see]]' },
        { type: 'image', artifact },
      ]);
      return { call: 'models.invoke', params: { model_id: 'chat', messages } };
    };
    const [own, foreign] = await p.replies(show('session of t1'), show('session of t2'));
    expect(own).toMatchObject({ result: { message: { content: 'I see 1 images.' } } });
    expect(foreign?.error).toMatchObject({ code: 'not_found' });
  });
});
