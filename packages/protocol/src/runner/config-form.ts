import { z } from 'zod';
import { Json } from '../wire/json.ts';
import { I18nObject } from './manifest.ts';

/** What an item of a form takes; those that name things of the host are chosen from what the host has. */
export const FormItemType = z.enum([
  'string',
  'text',
  'integer',
  'float',
  'boolean',
  'select',
  'multi-select',
  'array',
  'secret',
  'prompt',
  'model',
  'models-with-fallback',
  'rerank-model',
  'knowledge-bases',
  'tools',
  'agent',
]);
export type FormItemType = z.infer<typeof FormItemType>;

/** One item of the form by which an agent's owner configures its runner: an element of `config_schema` (RP-3.2). */
export const DynamicFormItem = z.object({
  /** The key in the configuration. */
  name: z.string().min(1).max(128),
  label: I18nObject,
  description: I18nObject.optional(),
  type: FormItemType,
  required: z.boolean().default(false),
  /** What holds where nothing is told. */
  default: Json.optional(),
  options: z.array(z.object({ value: z.string(), label: I18nObject })).default([]),
  min: z.number().optional(),
  max: z.number().optional(),
});
export type DynamicFormItem = z.infer<typeof DynamicFormItem>;
