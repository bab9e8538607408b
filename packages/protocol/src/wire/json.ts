import { z } from 'zod';

// Pure, so that a program that only asks `isJsonObject` is built without zod.
/** Any JSON value. The host stores and forwards it; a key that the host reads becomes a field of its own. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export const Json: z.ZodType<Json> = /* @__PURE__ */ z.json();

export const JsonObject = /* @__PURE__ */ z.record(/* @__PURE__ */ z.string(), Json);
export type JsonObject = z.infer<typeof JsonObject>;

/** Whether a value that was read from JSON is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object that a value is; one without keys for anything else. */
export function jsonObjectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
