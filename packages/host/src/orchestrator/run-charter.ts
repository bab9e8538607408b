import type { Grant } from '@rostra/kernel/grant/grant';
import type { AgentEventEnvelope } from '@rostra/protocol/runner/run-context';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { AgentBinding } from '../discovery/agent-catalog.ts';

/** What a run was started with. Nothing of it changes while the run lives. */
export interface RunCharter {
  readonly grant: Grant;
  readonly binding: AgentBinding;
  readonly envelope: AgentEventEnvelope;
  /** The package whose process has the run: who it is to whatever belongs to a package. */
  readonly package_name: string;
}

/** A live run as those see it who act for it: the proxy, the inbox, the budget. */
export interface ActiveRun {
  readonly run_id: string;
  readonly turn_id: string;
  readonly session_id: string;
  readonly agent_id: string;
  readonly charter: RunCharter;
  /** As the gate sees it: it moves by the time that people were waited for (SR-D49). */
  readonly deadline_at: number;
  /** Milliseconds so far that it stood still while people were waited for. */
  waited(now: number): number;
  /** Aborted when the run is over, whatever ended it; its reason is an ApiError. */
  readonly signal: AbortSignal;
}

/** The same answer for a run that is over, is somebody else's or never was: an id tells nothing to whoever guesses it. */
export function noSuchRun(): ApiError {
  return new ApiError('unauthorized', 'There is no such live run on this connection.');
}
