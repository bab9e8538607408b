import { z } from 'zod';
import { HostConfig } from './host-config.ts';

/** A JSON Schema as plain data; `secret: true` is a word of ours. */
export type ConfigSchema = z.core.JSONSchema.BaseSchema;

/** `rostra.yaml` as JSON Schema: for editors, for the documentation, and for finding the nearest valid key. */
export function hostConfigSchema(): ConfigSchema {
  return z.toJSONSchema(HostConfig, { target: 'draft-2020-12', io: 'input', unrepresentable: 'throw' });
}
