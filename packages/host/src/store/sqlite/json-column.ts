import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import type { SqlValue } from './driver.ts';

/** A JSON value as a column; null is NULL. */
export function jsonText(value: Json): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** What `jsonText` wrote. */
export function jsonValue(column: SqlValue | undefined): Json {
  return typeof column === 'string' ? JSON.parse(column) : null;
}

export function jsonObject(column: SqlValue | undefined): JsonObject {
  return jsonValue(column) as JsonObject;
}
