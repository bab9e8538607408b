import type { ModelChunk, ModelMessage, ModelTool } from '@rostra/protocol/api/models';
import { ModelConfig } from '@rostra/protocol/config/model-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { afterAll } from 'vitest';
import { type ModelServer, type ModelServerOptions, startModelServer } from '../../../../../test/fakes/model-server.ts';
import type { Model, ModelAnswer, ModelCall, ModelRequest } from '../../../src/capabilities/models/model.ts';
import { ModelShelf, type ModelShelfOptions } from '../../../src/capabilities/models/model-shelf.ts';
import type { TokenCounter } from '../../../src/capabilities/models/token-counter.ts';
import { ManualClock } from '../../manual-clock.ts';

/** A key that must not be seen anywhere but on its way to the provider. */
export const canary = 'sk-canary-5f2c9e1d7b3a';

const servers: ModelServer[] = [];
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
});

/** Counts words: how tokens are counted has tests of its own. */
export const counter: TokenCounter = {
  count: async (texts) => texts.reduce((sum, text) => sum + (text.match(/\S+/g)?.length ?? 0), 0),
};

/** A fake provider, and models of every kind that are reached there. */
export async function modelWorld(options: ModelServerOptions = {}) {
  const server = await startModelServer(options);
  servers.push(server);
  const urls: Record<ModelConfig['provider'], string> = {
    openai: server.openai_url,
    'openai-compatible': server.openai_url,
    anthropic: server.anthropic_url,
    google: server.google_url,
  };
  const clock = new ManualClock();
  const model = (
    given: Partial<ModelConfig> & Pick<ModelConfig, 'provider'>,
    shelf: Partial<ModelShelfOptions> = {},
  ): Model => {
    const config = ModelConfig.parse({ model: 'fake-chat', api_key: canary, base_url: urls[given.provider], ...given });
    const sources = () => ({ tested: { config, source: 'file' as const } });
    const found = new ModelShelf({ sources, environment: {}, clock, luck: () => 0, counter, ...shelf }).find('tested');
    if (found === null) throw new Error('there is no such model');
    return found;
  };
  return { server, clock, model, urls };
}

export const providers = ['openai', 'openai-compatible', 'anthropic', 'google'] as const;

export function asked(
  messages: string | ModelMessage[],
  { tools = [], extra_args = {} }: { tools?: ModelTool[]; extra_args?: JsonObject } = {},
): ModelRequest {
  const said: ModelMessage[] = typeof messages === 'string' ? [{ role: 'user', content: messages }] : messages;
  return { messages: said, tools, extra_args };
}

export function aCall(signal: AbortSignal = new AbortController().signal): ModelCall {
  return {
    signal,
    bytes: async () => {
      throw new Error('no file was expected');
    },
  };
}

/** Streams, and keeps what came. */
export async function streamed(model: Model, request: ModelRequest, call: ModelCall = aCall()) {
  const chunks: ModelChunk[] = [];
  const answer: ModelAnswer = await model.stream(request, call, async (chunk) => void chunks.push(chunk));
  const text = chunks.map(({ content = '' }) => content).join('');
  const thought = chunks.map(({ reasoning_content = '' }) => reasoning_content).join('');
  const calls = chunks.flatMap(({ tool_calls = [] }) => tool_calls);
  return { chunks, answer, text, thought, calls };
}

export async function refusalOf(work: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await work.then(
    () => new Error('nothing was refused'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw error;
  return error;
}

export const weather: ModelTool = {
  name: 'weather',
  description: 'Tells the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
