import type { ModelMessage, ModelTool } from '@rostra/runner-sdk';

const MESSAGE = 4;
const IMAGE = 1100;
const FILE = 2500;
const CHARS = 4;

/** Estimated: four characters of ASCII a token, any other character one of its own. */
export function tokensOf(text: string): number {
  let other = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 127) other += 1;
  return Math.ceil((text.length - other) / CHARS) + other;
}

/** How many characters so many tokens are worth at least of most texts. */
export function charsOf(tokens: number): number {
  return Math.max(0, Math.floor(tokens * CHARS));
}

const known = new WeakMap<ModelMessage, number>();

function contentTokens({ content }: ModelMessage): number {
  if (content === null) return 0;
  if (typeof content === 'string') return tokensOf(content);
  return content.reduce((sum, part) => {
    if (part.type === 'text') return sum + tokensOf(part.text);
    return sum + (part.type === 'image' ? IMAGE : FILE);
  }, 0);
}

/** Messages are never changed in place, so that each is counted once. */
export function messageTokens(message: ModelMessage): number {
  const before = known.get(message);
  if (before !== undefined) return before;
  const calls = message.tool_calls === undefined ? 0 : tokensOf(JSON.stringify(message.tool_calls));
  const tokens = MESSAGE + contentTokens(message) + calls;
  known.set(message, tokens);
  return tokens;
}

export function requestTokens(messages: readonly ModelMessage[], tools: readonly ModelTool[]): number {
  const said = messages.reduce((sum, message) => sum + messageTokens(message), 0);
  return tools.length === 0 ? said : said + tokensOf(JSON.stringify(tools));
}
