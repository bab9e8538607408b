import type { CreateMessageRequest, CreateMessageResult } from '@modelcontextprotocol/client';
import type { ModelMessage } from '@rostra/protocol/api/models';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Model } from '../../models/model.ts';

type SamplingModel = Pick<Model, 'model_id' | 'invoke'>;

/** Where a server's model is found. */
export interface SamplingModels {
  find(model_id: string): SamplingModel | null;
}

type SamplingMessage = CreateMessageRequest['params']['messages'][number];

/** Lets a server use the one model that it was given, for text, and only while a call of it is at work. */
export async function sample(
  model: SamplingModel | null,
  { params }: CreateMessageRequest,
  signal: AbortSignal | undefined,
): Promise<CreateMessageResult> {
  if (model === null) throw new ApiError('not_found', 'There is no such model.');
  if (signal === undefined) throw new ApiError('unauthorized', 'A model may be used in the course of a call only.');
  const { messages, systemPrompt, maxTokens, temperature } = params;
  const system: ModelMessage[] = systemPrompt === undefined ? [] : [{ role: 'system', content: systemPrompt }];
  const extra_args = { max_tokens: maxTokens, ...(temperature !== undefined && { temperature }) };
  const request = { messages: [...system, ...messages.map(messageOf)], tools: [], extra_args };
  const { message, finish_reason } = await model.invoke(request, { signal, bytes: noFile });
  return {
    model: model.model_id,
    role: 'assistant',
    content: { type: 'text', text: textOf(message) },
    stopReason: finish_reason === 'length' ? 'maxTokens' : 'endTurn',
  };
}

function messageOf({ role, content }: SamplingMessage): ModelMessage {
  const blocks = Array.isArray(content) ? content : [content];
  const texts = blocks.map((block) => {
    if (block.type !== 'text') throw new ApiError('invalid_argument', 'Only text can be said to this model.');
    return block.text;
  });
  return { role, content: texts.join('\n\n') };
}

function textOf({ content }: ModelMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap((element) => (element.type === 'text' ? [element.text ?? ''] : [])).join('');
}

async function noFile(): Promise<Uint8Array> {
  throw new ApiError('not_found', 'There is no such file.');
}
