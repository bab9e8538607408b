import { z } from 'zod';
import { ModelId, ModelKind, ModelProvider } from '../config/model-config.ts';
import { JsonObject } from '../wire/json.ts';
import { CapabilityReason } from '../wire/reason.ts';
import { CapabilityProblem } from './capability-problem.ts';
import { namedId } from './named-id.ts';

/** Who described a model: the file, a person at run time, or the environment of the host. */
export const ModelOrigin = z.enum(['file', 'store', 'detected']);
export type ModelOrigin = z.infer<typeof ModelOrigin>;

/** A model as whoever runs the host sees it. */
export const ModelItem = z.object({
  id: z.string(),
  kind: ModelKind,
  provider: ModelProvider,
  model: z.string().describe('Its name there.'),
  label: z.string().nullable(),
  source: ModelOrigin,
  isReadOnly: z.boolean().describe('Whether it can only be changed where it is described.'),
  hasKey: z.boolean().describe('Whether there is a key for it. No part of a key is ever shown.'),
  keyVariable: z.string().nullable().describe('The variable that its key is read from; null for one that is kept.'),
  problem: CapabilityProblem.nullable().describe('Why it cannot be called; null unless that is known beforehand.'),
});
export type ModelItem = z.infer<typeof ModelItem>;

/** The same with its whole description. */
export const ModelDetails = ModelItem.extend({
  revision: z.number().int().nullable().describe('Rises with every change; null for what was not made at run time.'),
  config: JsonObject.describe(
    'The model as `rostra.yaml` would describe it (docs/configuration.md). Its key and its headers are shown as `(secret)`.',
  ),
});
export type ModelDetails = z.infer<typeof ModelDetails>;

/** `POST /api/v1/models` */
export const NewModel = z.strictObject({
  id: namedId(ModelId),
  config: JsonObject.describe(
    'As in `rostra.yaml` under `models.<id>` (docs/configuration.md); `provider` and `model` are needed. `api_key` and `headers` are kept encrypted.',
  ),
});
export type NewModel = z.infer<typeof NewModel>;

/** `PATCH /api/v1/models/{modelId}`: what is null is taken out, what is left out stays. */
export const ModelPatch = z.strictObject({
  config: JsonObject.describe('A merge patch (RFC 7396) of the model’s description.'),
});
export type ModelPatch = z.infer<typeof ModelPatch>;

/** What one small call to a model came to. */
export const ModelTrial = z.object({
  ok: z.boolean(),
  latencyMs: z.number().int().nonnegative(),
  sentence: z.string(),
  reason: CapabilityReason.nullable(),
  hint: z.string().nullable(),
});
export type ModelTrial = z.infer<typeof ModelTrial>;
