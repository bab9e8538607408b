import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import type { ActiveRun } from '../orchestrator/run-charter.ts';

/** What an agent asks a platform to do. Nothing in it says whether it may be done. */
export interface RequestedAction {
  readonly action: string;
  readonly target: JsonObject;
  readonly payload: JsonObject;
}

/** An entry that can do things beside showing what is said. */
export interface PlatformSurface {
  readonly actions: readonly string[];
  /** Performs one of its actions for a live run; throws an ApiError for what cannot be done. */
  perform(run: ActiveRun, requested: RequestedAction): Promise<Json>;
}
