import type { Json, JsonObject } from '@rostra/protocol/wire/json';

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** RFC 7396: null takes a key out, an object is laid over an object, anything else replaces what was there. */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else {
      const before = Object.hasOwn(target, key) ? target[key] : undefined;
      result[key] = isObject(value) ? mergePatch(isObject(before) ? before : {}, value) : value;
    }
  }
  return result;
}
