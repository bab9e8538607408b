import type { Grant, GrantTerms } from '@rostra/kernel/grant/grant';
import type { AgentRunContext } from '@rostra/protocol/runner/run-context';

/** Who keeps what runs receive and may touch, for whoever wants to understand them later. It never holds a run up. */
export interface RunDossiers {
  /** `terms`: what the grant was made from, the same for all runs of the agent. */
  keep(context: AgentRunContext, grant: Grant, terms: GrantTerms): void;
}
