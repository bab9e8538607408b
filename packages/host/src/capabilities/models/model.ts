import type { ModelChunk, ModelMessage, ModelTool, ModelUsage } from '@rostra/protocol/api/models';
import type { ModelConfig } from '@rostra/protocol/config/model-config';
import type { ArtifactRef } from '@rostra/protocol/session/input';
import type { JsonObject } from '@rostra/protocol/wire/json';

/** What a model is asked. */
export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly extra_args: JsonObject;
}

export interface ModelAnswer {
  readonly message: ModelMessage;
  readonly finish_reason: string | null;
  readonly usage: ModelUsage | null;
}

export interface ModelCall {
  /** Aborted when nobody waits any more: the provider is told at once. */
  readonly signal: AbortSignal;
  /** The run that asks: what the model thought in it before it called a tool is told to it again with the result. */
  readonly run_id?: string;
  /** The bytes of a file that a message names, as far as the caller may read it. */
  readonly bytes: (artifact: ArtifactRef) => Promise<Uint8Array>;
}

export interface RankedDocument {
  readonly index: number;
  readonly relevance_score: number;
}

/**
 * One configured model. Whatever goes wrong with its provider is an ApiError with a reason of CapabilityReason, one
 * sentence with provider and status, and a hint that names what to check.
 */
export interface Model {
  readonly model_id: string;
  readonly config: ModelConfig;
  invoke(request: ModelRequest, call: ModelCall): Promise<ModelAnswer>;
  /** `push` resolves when another piece is wanted. Nothing is repeated after the first piece. */
  stream(request: ModelRequest, call: ModelCall, push: (chunk: ModelChunk) => Promise<void>): Promise<ModelAnswer>;
  /** What the request costs to read; an estimate where the provider does not count. */
  countTokens(request: ModelRequest, call: ModelCall): Promise<number>;
  embed(texts: readonly string[], signal: AbortSignal): Promise<{ vectors: Float32Array[]; usage: ModelUsage | null }>;
  rerank(query: string, documents: readonly string[], top_k: number, signal: AbortSignal): Promise<RankedDocument[]>;
}
