import type { ActionPolicy } from '@rostra/protocol/config/agent-config';
import type { ToolResource } from '@rostra/protocol/runner/resources';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';

/** A tool as runs are granted it. Its name fits every provider: letters, digits, `_` and `-`, at most 64. */
export interface OfferedTool {
  readonly resource: ToolResource;
  /** What is done when it is called, unless the agent's policy names it. */
  readonly policy: ActionPolicy;
}

/** Whose call it is, as far as tools need to know. */
export interface ToolCaller {
  readonly run_id: string;
  readonly session_id: string;
  readonly agent_id: string;
  /** Aborted when the run is over or gives the call up: whatever the tool does then is stopped. */
  readonly signal: AbortSignal;
  /** Aborted when the run is over, whatever became of the call; unless there is one, `signal` stands for it. */
  readonly run_over?: AbortSignal;
  /** Puts a question to a person in the name of the run; for servers that may. */
  readonly ask?: (question: JsonObject) => Promise<{ action: string | null; values: JsonObject }>;
}

/** A file that a tool gave back. */
export interface ToolFile {
  readonly name: string;
  readonly mime_type: string;
  readonly bytes: Uint8Array;
}

export interface ToolAnswer {
  /** What the model is told. */
  readonly content: Json;
  /** The tool itself says that it failed: the model is told, and the run goes on. */
  readonly is_error: boolean;
  readonly files: readonly ToolFile[];
}

/** Where tools come from: the host itself, or a server. What cannot be reached is an ApiError. */
export interface ToolSource {
  /** Those that may be called now: approved, and as they were when they were approved. */
  offers(): readonly OfferedTool[];
  call(tool_name: string, parameters: JsonObject, caller: ToolCaller): Promise<ToolAnswer>;
  close(): Promise<void>;
}
