import type { Json, JsonObject, ModelTool, RunResult } from '@rostra/runner-sdk';
import type { TurnRun } from './turn-run.ts';

export interface BuiltInAnswer {
  readonly text: string;
  /** What the host is asked to do. */
  readonly results?: readonly RunResult[];
  /** Nothing is left to be done in this turn but to say so. */
  readonly ends?: boolean;
}

/** A tool of the agent itself. It stands in no grant: what it does goes through calls and results that do. */
export interface BuiltIn {
  readonly tool: ModelTool;
  call(parameters: JsonObject, run: TurnRun): Promise<BuiltInAnswer>;
  /** The same for a call of an earlier attempt, with what a person has answered since; null where nobody has. */
  answered?(answer: Json): BuiltIn;
}

/** A text among the arguments of a call; empty for anything else. */
export function textIn(parameters: JsonObject, name: string): string {
  const value = parameters[name];
  return typeof value === 'string' ? value : '';
}
