import type { Grant, GrantTerms } from '@rostra/kernel/grant/grant';
import type { AgentRunContext } from '@rostra/protocol/runner/run-context';

/** What one run received and may touch. */
export interface ToldRun {
  readonly context: AgentRunContext;
  /** The context as JSON, without what all runs of the agent are told alike. */
  readonly own: string;
  readonly grant: Grant;
  /** What the grant was made from: the same object for all runs of the agent. */
  readonly terms: GrantTerms;
}

/** Who keeps what runs receive and may touch, for whoever wants to understand them later. It never holds a run up. */
export interface RunDossiers {
  keep(told: ToldRun): void;
}
