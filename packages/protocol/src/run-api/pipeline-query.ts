import { z } from 'zod';
import { Json, JsonObject } from '../wire/json.ts';

/** Platforms name things by texts or by numbers. */
const id = z.union([z.string(), z.number()]);
const name = z.string().nullable().default(null);
const section = JsonObject.catch({}).default({});

/** A request of a message pipeline as that dumps it. What is not named here is a matter of the pipeline alone. */
export const PipelineQuery = z.object({
  query_id: id,
  launcher_type: name,
  launcher_id: id.nullable().default(null),
  sender_id: id.nullable().default(null),
  bot_uuid: name,
  pipeline_uuid: name,
  pipeline_config: z
    .object({
      ai: z
        .object({
          runner: section,
          runner_config: z.record(z.string(), section).default({}),
        })
        .catchall(Json)
        .prefault({}),
    })
    .catchall(Json)
    .prefault({}),
  message_event: z
    .object({
      type: name,
      time: z.number().nullable().default(null),
      sender: z
        .object({ id: id.nullable().default(null), nickname: name, member_name: name })
        .nullable()
        .default(null),
      source_platform_object: Json.default(null),
    })
    .catchall(Json)
    .nullable()
    .default(null),
  /** Components: `Source` names the message, `Plain` has its words, others what came with it. */
  message_chain: z.array(JsonObject).nullable().default(null),
  session: z
    .object({ using_conversation: z.object({ uuid: name }).nullable().default(null) })
    .nullable()
    .default(null),
  user_message: z
    .object({
      content: z
        .union([z.string(), z.array(JsonObject)])
        .nullable()
        .default(null),
    })
    .nullable()
    .default(null),
  variables: section,
  prompt: z
    .object({ messages: z.array(JsonObject).default([]) })
    .nullable()
    .default(null),
  use_llm_model_uuid: name,
  use_funcs: z
    .array(z.object({ name: z.string() }))
    .nullable()
    .default(null),
  current_stage_name: name,
});
export type PipelineQuery = z.infer<typeof PipelineQuery>;
