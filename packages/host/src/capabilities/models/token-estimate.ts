import type { ModelMessage } from '@rostra/protocol/api/models';
import type { ModelRequest } from './model.ts';
import type { TokenCounter } from './token-counter.ts';

/** What stands around each message and each tool. */
const MESSAGE_TOKENS = 4;
/** About a picture of a megapixel with any provider. */
const IMAGE_TOKENS = 1200;

/** How many tokens a request has, near enough to plan by. */
export async function estimatedTokens(
  { messages, tools }: Pick<ModelRequest, 'messages' | 'tools'>,
  counter: TokenCounter,
): Promise<number> {
  const texts = [...messages.flatMap(textsOf), ...tools.map((tool) => JSON.stringify(tool))];
  const images = messages.reduce((sum, message) => sum + imagesIn(message), 0);
  const around = (messages.length + tools.length) * MESSAGE_TOKENS;
  return around + images * IMAGE_TOKENS + (await counter.count(texts.filter((text) => text !== '')));
}

function textsOf({ content, tool_calls = [], reasoning_content = '' }: ModelMessage): string[] {
  const elements = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : (content ?? []);
  const said = elements.flatMap((element) => (element.type === 'text' ? [element.text] : []));
  return [...said, reasoning_content, ...tool_calls.map((call) => JSON.stringify(call))];
}

function imagesIn({ content }: ModelMessage): number {
  return Array.isArray(content) ? content.filter(({ type }) => type !== 'text').length : 0;
}
