import type { Grant } from '@rostra/kernel/grant/grant';

/** Where something happened: what the scope of a call is measured by. */
export interface Place {
  workspace_id: string;
  conversation_id: string;
  bot_id: string | null;
  thread_id: string | null;
  actor_id: string | null;
  subject_id: string | null;
}

/** A run that was started: its place, its package, and what it was granted, as it stands in `ctx`. */
export interface RunFact {
  run_id: string;
  turn_id: string;
  agent_id: string;
  runner_id: string;
  package: string;
  place: Place;
  grant: Grant;
  deadline_at: number;
  has_prompt: boolean;
}

/** A row of the ledger. */
export interface LedgerFact {
  run_id: string;
  agent_id: string;
  status: 'running' | 'completed' | 'failed' | 'cancelled';
  place: Place;
}

/** Who may read it stands in its ids: those of a conversation, of an agent, or of one run. */
export interface ArtifactFact {
  artifact_id: string;
  workspace_id: string;
  visibility: 'conversation' | 'agent' | 'run';
  place: Place;
  agent_id: string;
  run_id: string;
  expires_at: number | null;
  bytes: Buffer;
}

/** A message that was said, and with it an event. */
export interface SaidFact {
  seq: number;
  event_id: string;
  run_id: string | null;
  event_type: string;
  role: 'user' | 'assistant';
  content: string;
  place: Place;
}

/** Everything that there is before the first call. */
export interface Facts {
  readonly ledger: LedgerFact[];
  readonly artifacts: ArtifactFact[];
  readonly said: SaidFact[];
}
