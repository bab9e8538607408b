import type { Grant } from '@rostra/kernel/grant/grant';
import type { AgentRunContext } from '@rostra/protocol/runner/run-context';

/** Who keeps what runs receive and may touch, for whoever wants to understand them later. It never holds a run up. */
export interface RunDossiers {
  keep(context: AgentRunContext, grant: Grant): void;
}
