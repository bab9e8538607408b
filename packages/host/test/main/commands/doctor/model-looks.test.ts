import { RostraClient } from '@rostra/client';
import { agentOperations } from '@rostra/protocol/run-api/operations/agents';
import { afterEach, describe, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../../../../../test/fakes/model-server.ts';
import { route } from '../../../../src/http/api-route.ts';
import { lookAtCapabilities, lookAtFoundModel } from '../../../../src/main/commands/doctor/model-looks.ts';
import { Configuration } from '../../../../src/main/configuration.ts';
import { desks } from '../../../http/capability-desks.ts';
import { KEY, type TestHost } from '../../../http/test-host.ts';

let host: TestHost | null = null;
let server: ModelServer | null = null;
afterEach(async () => {
  await host?.stop();
  await server?.close();
  [host, server] = [null, null];
});

const canary = 'sk-canary-66aa77bb88';

/** A host whose active agent has this runner and configuration. */
async function scene(runnerId: string, config: object, models: Record<string, object>) {
  const all = await desks({ config: { models, tools: { servers: { off: { command: ['x'], enabled: false } } } } });
  host = all.host;
  const item = { id: 'assistant', name: 'assistant', description: null, isDefault: true };
  const details = { source: 'detected' as const, isReadOnly: true, revision: null, runnerIsThere: true };
  all.host.more = [
    ...all.host.more,
    route(agentOperations.listAgents, async () => ({ status: 200, body: { items: [item], nextCursor: null } })),
    route(agentOperations.getAgent, async () => ({
      status: 200,
      body: { ...item, ...details, runnerId, config: { runner: runnerId, config: JSON.parse(JSON.stringify(config)) } },
    })),
  ];
  return new RostraClient({ baseUrl: `http://127.0.0.1:${all.host.port}`, key: KEY });
}

describe('doctor of models', () => {
  const LOCAL = 'rostra/local-agent/default';

  test('names the model that answers, and that its key works', async () => {
    server = await startModelServer({ api_key: canary });
    const model = { provider: 'openai-compatible', model: 'm', base_url: server.openai_url };
    const models = { first: { ...model, api_key: canary }, second: { ...model, api_key: 'wrong' } };
    const [answering, tools] = await lookAtCapabilities(await scene(LOCAL, {}, models));
    expect(answering).toMatchObject({
      what: 'model',
      state: 'ok',
      said: expect.stringContaining('assistant answers with first'),
    });
    expect(tools).toMatchObject({ what: 'tools off', state: 'ok', said: 'disabled, 0 tools' });
  });

  test('says that the key is refused, and what to check', async () => {
    server = await startModelServer({ api_key: canary });
    const model = { provider: 'anthropic', model: 'm', base_url: server.anthropic_url, api_key: 'wrong-key-0123' };
    const [answering] = await lookAtCapabilities(await scene(LOCAL, { model: 'second' }, { second: model }));
    expect(answering).toMatchObject({ state: 'fail', said: expect.stringMatching(/would answer with second: .*401/) });
    expect(answering?.hint).toBeTruthy();
  });

  test.each<[string, object, string]>([
    ['none', {}, 'has no model'],
    ['one that is not there', { model: 'gone' }, 'with gone, which is not there'],
  ])('fails where the agent that answers has %s', async (_, config, words) => {
    const [answering] = await lookAtCapabilities(await scene(LOCAL, config, {}));
    expect(answering).toMatchObject({ state: 'fail', said: expect.stringContaining(words) });
  });

  test('asks for no model where the agent that answers needs none, and tells of keys that are missing', async () => {
    const models = { x: { provider: 'anthropic', model: 'x' } };
    const findings = await lookAtCapabilities(await scene('rostra/demo/default', {}, models));
    expect(findings).toMatchObject([
      { what: 'model', state: 'ok' },
      { what: 'model x', state: 'warn', said: expect.stringContaining('no key for Anthropic') },
      { what: 'tools off' },
    ]);
  });

  test('tries what a start would find where no host runs', async () => {
    server = await startModelServer({ api_key: canary });
    const look = async (env: Record<string, string>) =>
      lookAtFoundModel(await Configuration.read({ env, flags: {}, cwd: '/nowhere' }));
    const env = { OPENAI_BASE_URL: server.openai_url, ROSTRA_MODEL: 'openai-compatible/m' };
    expect(await look({ ...env, OPENAI_API_KEY: canary })).toMatchObject({ state: 'ok' });
    const refused = await look({ ...env, OPENAI_API_KEY: 'wrong-key-0123' });
    expect(refused).toMatchObject({ state: 'fail', said: expect.stringContaining('401') });
    expect(JSON.stringify(refused)).not.toContain('wrong-key-0123');
    expect(await look({ ROSTRA_MODEL: 'nonsense' })).toMatchObject({ state: 'fail' });
  });
});
