import { z } from 'zod';
import { Json } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';

/** One value of the configuration and where it comes from. */
export const SettingItem = z.object({
  key: z.string().describe('Its dotted path, as in docs/configuration.md.'),
  value: Json.describe('Null for a secret.'),
  isSecret: z.boolean(),
  origin: z.string().describe('`flag --port`, `env ROSTRA_PORT`, `file rostra.yaml:3`, `store` or `default`.'),
  isChangeable: z
    .boolean()
    .describe('Whether PATCH may set it: neither given elsewhere nor needed by the start itself.'),
});
export type SettingItem = z.infer<typeof SettingItem>;

const key = z.string().min(1).max(256);

/** `PATCH /api/v1/settings`: all of it, or nothing. */
export const SettingChanges = z.strictObject({
  set: z
    .record(key, Json)
    .default({})
    .refine((values) => Object.keys(values).length <= limits.setting_changes, 'too many settings at once'),
  reset: z.array(key).max(limits.setting_changes).default([]).describe('Keys that go back to their defaults.'),
});
export type SettingChanges = z.infer<typeof SettingChanges>;

export const ChangedSettings = z.object({
  items: z.array(SettingItem).describe('Those that were named.'),
  needsRestart: z.array(z.string()).describe('Keys whose new value is only seen by the next start.'),
});
export type ChangedSettings = z.infer<typeof ChangedSettings>;
