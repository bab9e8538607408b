import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type AskModels, detectModel, modelKeysIn } from '../../src/main/model-detection.ts';

const silent: AskModels = async () => 'silent';

async function found(env: Record<string, string>, askModels: AskModels = silent) {
  const { found: model, note } = await detectModel({ env, askModels });
  return { id: model?.model_id ?? null, by: model?.by ?? null, config: model?.model.config, note };
}

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function modelServer(models: string[]): Promise<string> {
  const server = createServer((_req, res) => res.end(JSON.stringify({ data: models.map((id) => ({ id })) })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a model', () => {
  it('is that of the key which is set, and its key stays in the environment', async () => {
    const { id, by, config } = await found({ ANTHROPIC_API_KEY: 'sk-ant-canary' });
    expect(id).toMatch(/^anthropic\/claude-/);
    expect(by).toBe('ANTHROPIC_API_KEY');
    expect(JSON.stringify(config)).not.toContain('canary');
    expect((await found({ OPENAI_API_KEY: 'k' })).id).toMatch(/^openai\//);
    expect((await found({ GEMINI_API_KEY: 'k' })).id).toMatch(/^google\//);
    expect((await found({ ANTHROPIC_API_KEY: '', GEMINI_API_KEY: 'k' })).by).toBe('GEMINI_API_KEY');
    expect((await found({ ANTHROPIC_API_KEY: '  ', GEMINI_API_KEY: 'k' })).by).toBe('GEMINI_API_KEY');
  });

  it('is the chosen one, whatever other keys there are', async () => {
    const env = { ROSTRA_MODEL: 'google/gemini-x', ANTHROPIC_API_KEY: 'a', GEMINI_API_KEY: 'g' };
    expect(await found(env)).toMatchObject({ id: 'google/gemini-x', by: 'GEMINI_API_KEY', note: null });
  });

  it('that was chosen without its key is none, and the note names the variable', async () => {
    const { id, note } = await found({ ROSTRA_MODEL: 'openai/gpt-x' });
    expect(id).toBeNull();
    expect(note).toBe('ROSTRA_MODEL chooses openai/gpt-x, and OPENAI_API_KEY is not set.');
  });

  it.each(['gpt-5', 'mistral/large', 'openai/', '/x'])('is not chosen by %s', async (ROSTRA_MODEL) => {
    await expect(found({ ROSTRA_MODEL })).rejects.toThrow('ROSTRA_MODEL must be provider/model');
  });

  it.each(['OPENAI', 'ANTHROPIC'])('is not looked for at an address of %s that is none', async (name) => {
    const env = { [`${name}_API_KEY`]: 'k', [`${name}_BASE_URL`]: 'example.org' };
    await expect(found(env)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: `${name}_BASE_URL must be an address like http://127.0.0.1:8000/v1.`,
    });
  });

  it('whose name would be more than a name is passed over', async () => {
    const askModels: AskModels = async () => ['\u001b[2Jowned', 'a b', 'llama3.2:3b'];
    expect((await found({}, askModels)).id).toBe('openai-compatible/llama3.2:3b');
  });

  it('of an address with a password is told without it', async () => {
    const env = { OPENAI_BASE_URL: 'http://me:canary@127.0.0.1:9/v1?key=canary', OPENAI_API_KEY: 'k' };
    const { note } = await found(env);
    expect(note).toContain('http://127.0.0.1:9/v1 (OPENAI_BASE_URL)');
    expect(note).not.toContain('canary');
  });

  it('of a server that points elsewhere is none: the key does not go along', async () => {
    const heard: string[] = [];
    const server = createServer((req, res) => {
      heard.push(req.url ?? '');
      if (req.url === '/v1/models') res.writeHead(302, { location: '/elsewhere' });
      res.end(JSON.stringify({ data: [{ id: 'stolen' }] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const env = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'k' };
    expect((await detectModel({ env })).found).toBeNull();
    expect(heard).toEqual(['/v1/models']);
  });

  it('of OPENAI_BASE_URL speaks chat completions there, and is the first of the server unless chosen', async () => {
    const asked: unknown[] = [];
    const ask: AskModels = async (...args) => {
      asked.push(args.slice(0, 2));
      return ['text-embedding-3', 'writer'];
    };
    const env = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1/', OPENAI_API_KEY: 'k' };
    const { id, config } = await found(env, ask);
    expect(id).toBe('openai-compatible/writer');
    expect(config).toMatchObject({ provider: 'openai-compatible', base_url: 'http://127.0.0.1:9/v1' });
    expect(asked).toEqual([['http://127.0.0.1:9/v1', 'k']]);
    const chosen = await found({ ...env, ROSTRA_MODEL: 'openai-compatible/org/own:7b' });
    expect(chosen.id).toBe('openai-compatible/org/own:7b');
  });

  it('of a server that does not say what it has is none, and the note says how to choose', async () => {
    const { id, note } = await found({ OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_API_KEY: 'k' });
    expect(id).toBeNull();
    expect(note).toContain('ROSTRA_MODEL=openai-compatible/MODEL');
    await expect(found({ OPENAI_BASE_URL: 'localhost' })).rejects.toThrow('OPENAI_BASE_URL must be an address');
  });

  it('of a server that is not there, or takes no such key, is none, and the note says what to do', async () => {
    const server = createServer((_req, res) => res.writeHead(401).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const OPENAI_BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const note = async (env: Record<string, string>) => (await detectModel({ env })).note;
    expect(await note({ OPENAI_BASE_URL, OPENAI_API_KEY: 'k' })).toBe(
      `${OPENAI_BASE_URL} (OPENAI_BASE_URL) refuses the key; correct OPENAI_API_KEY.`,
    );
    expect(await note({ OPENAI_BASE_URL })).toBe(
      `${OPENAI_BASE_URL} (OPENAI_BASE_URL) wants a key; set OPENAI_API_KEY.`,
    );
    await new Promise((resolve) => server.close(resolve));
    expect(await note({ OPENAI_BASE_URL, OPENAI_API_KEY: 'k' })).toContain('cannot be reached; start it before Rostra');
  });

  it('of a server on this machine is found without any key', async () => {
    const OLLAMA_HOST = await modelServer(['nomic-embed-text', 'llama3.3']);
    const { found: model } = await detectModel({ env: { OLLAMA_HOST } });
    expect(model).toMatchObject({ model_id: 'openai-compatible/llama3.3', by: OLLAMA_HOST });
    expect(model?.model.config.base_url).toBe(`http://${OLLAMA_HOST}/v1`);
  });

  it('is none where nothing listens, at once', async () => {
    const before = performance.now();
    expect((await detectModel({ env: { OLLAMA_HOST: '127.0.0.1:1' } })).found).toBeNull();
    expect(performance.now() - before).toBeLessThan(250);
  });
});

it('every key that a model may be called with is known, so that no log has it', () => {
  const env = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o', GEMINI_API_KEY: 'g', GOOGLE_GENERATIVE_AI_API_KEY: 'h' };
  expect(modelKeysIn(env)).toEqual(['a', 'o', 'g', 'h']);
});
