import type { Grant } from '@rostra/kernel/grant/grant';
import type { AgentEventEnvelope } from '@rostra/protocol/runner/run-context';
import type { AgentBinding } from '../discovery/agent-catalog.ts';

/** What a run was started with. Nothing of it changes while the run lives. */
export interface RunCharter {
  readonly grant: Grant;
  readonly binding: AgentBinding;
  readonly envelope: AgentEventEnvelope;
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
  /** Aborted when the run is over, whatever ended it. */
  readonly signal: AbortSignal;
}
