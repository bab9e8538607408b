/** The inbox is written with the session's log. Nothing wrote the table that it replaces. */
export const inbox = `
DROP TABLE interaction;
CREATE TABLE interaction (
  interaction_id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  turn_id TEXT,
  run_id TEXT,
  agent_id TEXT NOT NULL,
  purpose TEXT NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  answered_by TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  resolved_at INTEGER,
  request TEXT NOT NULL,
  answer TEXT
) STRICT;
CREATE INDEX interaction_session ON interaction (session_id);
CREATE INDEX interaction_pending ON interaction (workspace_id) WHERE status = 'pending';
`;
