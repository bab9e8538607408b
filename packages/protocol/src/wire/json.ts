import { z } from 'zod';

// Pure, so that a program that only asks `isJsonObject` is built without zod.
/** Any JSON value. The host stores and forwards it; a key that the host reads becomes a field of its own. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export const Json: z.ZodType<Json> = /* @__PURE__ */ jsonSchema();

export const JsonObject = /* @__PURE__ */ objectSchema();
export type JsonObject = z.infer<typeof JsonObject>;

/** Whether a value that was read from JSON is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object that a value is; one without keys for anything else. */
export function jsonObjectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/**
 * Nearly every value was read from JSON and is taken as it stands, which costs a look at it. Of the others zod's own schema
 * decides: it makes a copy, without keys that would reach a prototype.
 */
function jsonSchema(): z.ZodType<Json> {
  const exact = z.json();
  return z
    .unknown()
    .overwrite((value) => (isPlain(value) ? value : exact.safeParse(value).data))
    .refine((value): value is Json => value !== undefined);
}

function objectSchema(): z.ZodType<Record<string, Json>, Record<string, unknown>> {
  return z.withParser(z.record(z.string(), Json), (value) => {
    return isJsonObject(value) && isPlain(value) ? value : z.INVALID;
  });
}

/** What is nested deeper takes the long way. */
const PLAIN_LEVELS = 64;

/** Whether a value is JSON beyond doubt. */
function isPlain(value: unknown, levels = PLAIN_LEVELS): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || levels === 0) return false;
  if (Array.isArray(value)) {
    for (const each of value) if (!isPlain(each, levels - 1)) return false;
    return true;
  }
  if (!isJsonObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const key of Object.keys(value)) if (key === '__proto__' || !isPlain(value[key], levels - 1)) return false;
  return true;
}
