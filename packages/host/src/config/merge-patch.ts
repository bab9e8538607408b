import { isJsonObject, type JsonObject } from '@rostra/protocol/wire/json';

/** RFC 7396: null takes a key out, an object is laid over an object, anything else replaces what was there. */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else {
      const before = Object.hasOwn(target, key) ? target[key] : undefined;
      result[key] = isJsonObject(value) ? mergePatch(isJsonObject(before) ? before : {}, value) : value;
    }
  }
  return result;
}
