import { isJsonObject, type JsonObject } from '@rostra/protocol/wire/json';

/** `message.delta` as the hot path needs it. The schema in `protocol/runner/run-result` says the same. */
export interface Delta {
  chunk: { role?: string; content?: string; reasoning_content?: string };
  usage?: JsonObject | null;
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

/** A compiled check: one result in a hundred is anything but a delta, and a schema costs ten times as much. */
export function isDelta(data: unknown): data is Delta {
  if (!isJsonObject(data) || !isJsonObject(data.chunk)) return false;
  if (data.usage !== undefined && data.usage !== null && !isJsonObject(data.usage)) return false;
  const { role, content, reasoning_content } = data.chunk;
  return isTextOrAbsent(role) && isTextOrAbsent(content) && isTextOrAbsent(reasoning_content);
}
