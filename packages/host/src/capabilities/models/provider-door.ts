import type { EmbeddingModelV3, LanguageModelV3 } from '@ai-sdk/provider';
import type { ModelConfig, ModelProvider } from '@rostra/protocol/config/model-config';
import { limits } from '@rostra/protocol/wire/limits';
import type { ModelKey } from './model-key.ts';
import type { Silence } from './silence.ts';

export type Fetch = typeof globalThis.fetch;

/** How a provider is reached for one call. */
export interface DoorOptions {
  readonly config: ModelConfig;
  readonly key: ModelKey;
  readonly fetch: Fetch;
}

const addresses: Readonly<Record<ModelProvider, { url: string; path: string }>> = {
  openai: { url: 'https://api.openai.com/v1', path: '/v1' },
  anthropic: { url: 'https://api.anthropic.com/v1', path: '/v1' },
  google: { url: 'https://generativelanguage.googleapis.com/v1beta', path: '/v1beta' },
  'openai-compatible': { url: 'http://127.0.0.1:11434/v1', path: '/v1' },
};

/** Always told to the SDK, which would otherwise read addresses from the environment. A bare host gets the usual path. */
export function addressOf({ provider, base_url }: ModelConfig): string {
  const { url, path } = addresses[provider];
  if (base_url === undefined) return url;
  const told = new URL(base_url);
  return told.pathname === '/' ? `${told.origin}${path}` : base_url.replace(/\/+$/, '');
}

/** Under which name a provider looks for options of its own. */
export const optionNames: Readonly<Record<ModelProvider, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'google',
  'openai-compatible': 'compatible',
};

/** A model that writes, as the SDK offers it. Made anew for every call, so that no key is kept. */
export async function languageModel(options: DoorOptions): Promise<LanguageModelV3> {
  const { config } = options;
  const settings = settingsOf(options);
  switch (config.provider) {
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI(settings).responses(config.model);
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(settings)(config.model);
    case 'google':
      return (await import('@ai-sdk/google')).createGoogleGenerativeAI(settings)(config.model);
    case 'openai-compatible':
      return (await compatible(options)).chatModel(config.model);
  }
}

/** A model that gives vectors; null where the provider has none. */
export async function embeddingModel(options: DoorOptions): Promise<EmbeddingModelV3 | null> {
  const { config } = options;
  const settings = settingsOf(options);
  switch (config.provider) {
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI(settings).embedding(config.model);
    case 'anthropic':
      return null;
    case 'google':
      return (await import('@ai-sdk/google')).createGoogleGenerativeAI(settings).embedding(config.model);
    case 'openai-compatible':
      return (await compatible(options)).embeddingModel(config.model);
  }
}

async function compatible(options: DoorOptions) {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const { baseURL, headers, fetch } = settingsOf(options);
  const { value } = options.key;
  return createOpenAICompatible({
    name: optionNames['openai-compatible'],
    baseURL,
    headers,
    fetch,
    ...(value !== null && { apiKey: value }),
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
}

function settingsOf({ config, key, fetch }: DoorOptions) {
  return { baseURL: addressOf(config), headers: config.headers, fetch, apiKey: key.value ?? '' };
}

/**
 * Reaches the provider itself: nobody is followed who points elsewhere, because the key would go along. Every byte of
 * the answer counts as a word, and there are only so many.
 */
export function heardFetch(fetch: Fetch, silence: Silence, endless: () => Error): Fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'error' });
    silence.heard();
    if (response.body === null) return response;
    let left = limits.model_answer_bytes;
    const listen = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        silence.heard();
        left -= bytes.byteLength;
        if (left >= 0) {
          controller.enqueue(bytes);
          return;
        }
        const reason = endless();
        silence.end(reason);
        controller.error(reason);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(listen), { status, statusText, headers });
  };
}
