import type { StateScope } from '@rostra/protocol/config/agent-config';
import type { AgentRunState } from '@rostra/protocol/runner/run-context';
import { emptyState } from '../context/run-context.ts';

/** What a run finds in `ctx.state`, and how many keys of a scope did not fit into it. */
export interface StateSnapshot {
  readonly state: AgentRunState;
  readonly omitted: Readonly<Partial<Record<StateScope, number>>>;
}

export const emptySnapshot: StateSnapshot = { state: emptyState, omitted: {} };
