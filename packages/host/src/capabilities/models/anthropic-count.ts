import type { LanguageModelV3CallOptions } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject } from '@rostra/protocol/wire/json';
import { z } from 'zod';
import { type DoorOptions, languageModel } from './provider-door.ts';
import { postJson } from './rerank.ts';

const Count = z.object({ input_tokens: z.number().int().nonnegative() });

/** What the counter takes of a request. */
const counted = ['model', 'system', 'messages', 'tools', 'tool_choice', 'thinking'];
const VERSION = '2023-06-01';

/** Anthropic's own count of a request, which is written by the SDK as if it were to be answered. */
export async function countedByProvider(
  asked: LanguageModelV3CallOptions,
  door: DoorOptions,
  signal: AbortSignal,
): Promise<number> {
  const request = await written(asked, door);
  const body = Object.fromEntries(Object.entries(request).filter(([key]) => counted.includes(key)));
  const headers = { 'x-api-key': door.key.value ?? '', 'anthropic-version': VERSION };
  const keyless = { ...door, key: { ...door.key, value: null } };
  return Count.parse(await postJson('/messages/count_tokens', body, keyless, { signal, headers })).input_tokens;
}

/** The body that the SDK would send; nothing is sent. */
async function written(asked: LanguageModelV3CallOptions, door: DoorOptions): Promise<JsonObject> {
  let body: JsonObject = {};
  const keep: DoorOptions['fetch'] = async (_url, init) => {
    const value: unknown = JSON.parse(String(init?.body));
    if (isJsonObject(value)) body = value;
    const usage = { input_tokens: 0, output_tokens: 0 };
    const answer = {
      type: 'message',
      id: '',
      role: 'assistant',
      model: '',
      content: [],
      stop_reason: 'end_turn',
      usage,
    };
    return Response.json(answer);
  };
  const model = await languageModel({ ...door, fetch: keep });
  await model.doGenerate(asked);
  return body;
}
