import { afterEach, describe, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../fakes/model-server.ts';
import { HostProcess } from './host-process.ts';
import { textOf } from './sse-client.ts';

const open: { host?: HostProcess; models?: ModelServer } = {};

afterEach(async () => {
  await open.host?.dispose();
  await open.models?.close();
});

/** `export …` and `npm start`: a host without any file. */
async function started(variables: (models: ModelServer) => Record<string, string>, api_key?: string) {
  const models = await startModelServer(api_key === undefined ? {} : { api_key });
  const host = new HostProcess({ ROSTRA_DETECT: 'on', OLLAMA_HOST: '127.0.0.1:1', ...variables(models) });
  Object.assign(open, { host, models });
  await host.start();
  await expect.poll(() => host.output).toContain('Ctrl-C');
  return host;
}

async function answer(host: HostProcess, text: string) {
  const frames = await host.events(await host.accept(text));
  return { text: textOf(frames), started: frames[0]?.event, end: frames.at(-1)?.event };
}

const anthropic = (models: ModelServer) => ({
  ANTHROPIC_API_KEY: 'sk-ant-canary',
  ANTHROPIC_BASE_URL: models.anthropic_url,
});

describe('two lines', () => {
  test('with a key of Anthropic make the agent assistant, which answers first', async () => {
    const host = await started(anthropic);
    expect(host.output).toMatch(/model {2}anthropic\/\S+ by ANTHROPIC_API_KEY: the agent assistant answers/);
    const { text, started: first } = await answer(host, 'Hello there');
    expect(text).toBe('You said: Hello there');
    expect(first?.metadata).toMatchObject({ agentId: 'assistant' });
    const { body } = await host.request('GET', '/api/v1/agents');
    const agents = (body.items as { id: string; isDefault: boolean }[]).map(({ id, isDefault }) => [id, isDefault]);
    expect(agents).toEqual([
      ['assistant', true],
      ['guide', false],
      ['scout', false],
    ]);
    expect(host.output).not.toContain('canary');
  });

  test('with another server than OpenAI’s speak chat completions there, by its first model', async () => {
    const host = await started((models) => ({ OPENAI_BASE_URL: models.openai_url, OPENAI_API_KEY: 'k'.repeat(20) }));
    expect(host.output).toContain('openai-compatible/fake-chat by OPENAI_BASE_URL');
    expect((await answer(host, 'Hello')).text).toBe('You said: Hello');
    expect(open.models?.requests.at(-1)?.path).toBe('/v1/chat/completions');
  });

  test('without any key find a server on this machine', async () => {
    const host = await started((models) => ({ OLLAMA_HOST: new URL(models.openai_url).host }));
    expect(host.output).toContain('openai-compatible/fake-chat by 127.0.0.1:');
    expect((await answer(host, 'Hello')).text).toBe('You said: Hello');
  });

  test('with the model that ROSTRA_MODEL chooses', async () => {
    const host = await started((models) => ({ ...anthropic(models), ROSTRA_MODEL: 'anthropic/chosen-one' }));
    expect(host.output).toContain('anthropic/chosen-one by ANTHROPIC_API_KEY');
    await answer(host, 'Hello');
    expect(open.models?.requests.at(-1)?.model).toBe('chosen-one');
  });

  test('with a key that is refused fail by one sentence: the provider, the status, the variable to check', async () => {
    const host = await started(anthropic, 'another key');
    const { end } = await answer(host, 'Hello');
    expect(end).toMatchObject({ type: 'RUN_ERROR' });
    expect(end?.message).toMatch(/Anthropic.*401.*ANTHROPIC_API_KEY/);
    expect(JSON.stringify(end)).not.toContain('canary');
  });

  test('find nothing where that is turned off', async () => {
    const host = await started((models) => ({ ...anthropic(models), ROSTRA_DETECT: 'off' }));
    expect(host.output).not.toContain('assistant');
    expect((await answer(host, 'What is Rostra?')).started?.metadata).toMatchObject({ agentId: 'guide' });
  });
});
