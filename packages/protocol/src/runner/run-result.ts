import { z } from 'zod';
import { Json, JsonObject } from '../wire/json.ts';

/** What the run has cost so far, as its runner counts; absent is unknown, which is not the same as none. */
const usage = JsonObject.nullish();
const failure = z
  .object({ code: z.string().min(1).max(128), message: z.string().optional(), error: z.string().optional() })
  .extend({ retryable: z.boolean().default(false), usage });

/** The data of every stable result type (RP-6.2). Unknown types are ignored with a warning, by the orchestrator. */
export const RunResultData = {
  'message.delta': z.object({
    chunk: z.object({
      role: z.string().default('assistant'),
      content: z.string().optional(),
      reasoning_content: z.string().optional(),
    }),
    usage,
  }),
  'message.completed': z.object({
    message: z.object({
      role: z.string().default('assistant'),
      content: Json,
      reasoning_content: z.string().optional(),
      ui_hints: Json.optional(),
    }),
    usage,
  }),
  'tool.call.started': z.object({
    tool_call_id: z.string().min(1).max(256),
    tool_name: z.string().min(1).max(256),
    parameters: Json.optional(),
    usage,
  }),
  'tool.call.completed': z.object({
    tool_call_id: z.string().min(1).max(256),
    tool_name: z.string().min(1).max(256),
    result: Json.optional(),
    error: z.string().optional(),
    ui_hints: Json.optional(),
    usage,
  }),
  'artifact.created': JsonObject,
  'state.updated': z.object({ scope: z.string(), key: z.string(), value: Json, usage }),
  'action.requested': z.object({
    action: z.string().min(1).max(128),
    target: Json.optional(),
    payload: Json.optional(),
    usage,
  }),
  'run.completed': z.object({ finish_reason: z.string().optional(), message: Json.optional(), usage }),
  'run.failed': failure,
};
export type RunResultType = keyof typeof RunResultData;
/** A result as its author writes it, before defaults are filled in. */
export type RunResult = {
  [T in RunResultType]: { type: T; data: z.input<(typeof RunResultData)[T]> };
}[RunResultType];
export type RunResultDataOf<T extends RunResultType> = z.infer<(typeof RunResultData)[T]>;

/** One result as it crosses the wire inside `RESULTS`: its number, its type, its data. */
export const RunResultTuple = z.tuple([z.number().int(), z.string(), JsonObject]);
export type RunResultTuple = z.infer<typeof RunResultTuple>;

/** A `message.delta` and the pieces of text that follow it at once, each with the next number: since protocol 1.1. */
export const RunResultPieces = z.tuple([...RunResultTuple.def.items, z.array(z.string().min(1)).min(1)]);
export type RunResultPieces = z.infer<typeof RunResultPieces>;

/** Each result for itself. */
export function everyResult(results: readonly (RunResultTuple | RunResultPieces)[]): RunResultTuple[] {
  return results.flatMap(([sequence, type, data, more = []]): RunResultTuple[] => [
    [sequence, type, data],
    ...more.map((content, index): RunResultTuple => {
      return [sequence + index + 1, type, { chunk: { role: 'assistant', content } }];
    }),
  ]);
}

export const AgentRunResult = z.object({
  run_id: z.string(),
  type: z.string(),
  data: JsonObject.default({}),
  sequence: z.number().int().nullable().default(null),
  timestamp: z.number().int().nullable().default(null),
});
export type AgentRunResult = z.infer<typeof AgentRunResult>;
