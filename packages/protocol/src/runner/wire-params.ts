import { z } from 'zod';
import { Json } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';
import { ContextPart, OwnContext } from './context-part.ts';
import { AgentRunContext } from './run-context.ts';
import { RunResultPieces, RunResultTuple } from './run-result.ts';

/** Params of the runner wire, by method; LIST_AGENT_RUNNERS and PING take the host's version and nothing. */
export const ListAgentRunnersParams = z.object({ protocol_version: z.string(), host: z.string() });
export type ListAgentRunnersParams = z.infer<typeof ListAgentRunnersParams>;

export const AgentRunRequest = z.object({ runner_id: z.string(), runner_name: z.string(), context: AgentRunContext });
export type AgentRunRequest = z.infer<typeof AgentRunRequest>;

/** The place of a part among those that a connection keeps. */
const place = z
  .number()
  .int()
  .min(0)
  .max(limits.context_parts - 1);

/** Keeps a part of contexts for the runs that will name it; what stood in its place is forgotten. */
export const ContextPartParams = z.object({ part: place, context: ContextPart });
export type ContextPartParams = z.infer<typeof ContextPartParams>;

/** An AgentRunRequest that names the part of its context which this connection was told before. */
export const PartedRunRequest = AgentRunRequest.extend({ part: place, context: OwnContext });
export type PartedRunRequest = z.infer<typeof PartedRunRequest>;

export const RunRef = z.object({ run_id: z.string() });
export type RunRef = z.infer<typeof RunRef>;

export const ResultsParams = z.object({
  run_id: z.string(),
  results: z.array(z.union([RunResultTuple, RunResultPieces])),
});
export type ResultsParams = z.infer<typeof ResultsParams>;

/** What the runner may send beyond what it has sent so far; given back as the host commits. */
export const RunCreditParams = z.object({
  run_id: z.string(),
  results: z.number().int().nonnegative(),
  bytes: z.number().int().nonnegative(),
});
export type RunCreditParams = z.infer<typeof RunCreditParams>;

/** A process group that a run started, or that is gone: what the host ends with a run that does not end by itself. */
export const RunProcessParams = z.object({ run_id: z.string(), pid: z.number().int().positive() });
export type RunProcessParams = z.infer<typeof RunProcessParams>;

/** A piece of the answer to a proxied call, by the id of its request. */
export const CallChunkParams = z.object({ id: z.union([z.number(), z.string()]), chunk: Json });
export type CallChunkParams = z.infer<typeof CallChunkParams>;

/** Whoever made this request wants no more of it. */
export const CallCancelParams = z.object({ id: z.union([z.number(), z.string()]) });
export type CallCancelParams = z.infer<typeof CallCancelParams>;
