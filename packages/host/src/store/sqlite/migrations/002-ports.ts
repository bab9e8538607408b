/**
 * Leases, the ledger, the transcript, and the tables that are written beside the log. Of a deleted session the row keeps
 * its key, under another id, until the last of its rows is gone; `tombstone.session` is that key, null afterwards.
 */
export const ports = `
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE holder (
  id TEXT PRIMARY KEY,
  until INTEGER NOT NULL,
  lapsed INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE lease (
  session INTEGER PRIMARY KEY REFERENCES session (key),
  holder TEXT NOT NULL
) STRICT;

CREATE TABLE tombstone (
  session_id TEXT PRIMARY KEY,
  session INTEGER,
  deleted_at INTEGER NOT NULL,
  why TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstone_unpurged ON tombstone (session) WHERE session IS NOT NULL;

CREATE TABLE run (
  run_id TEXT NOT NULL UNIQUE,
  session INTEGER NOT NULL REFERENCES session (key),
  turn_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  code TEXT,
  usage TEXT
) STRICT;
CREATE INDEX run_session ON run (session);
CREATE INDEX run_turn ON run (turn_id);
CREATE INDEX run_open ON run (session) WHERE status IN ('queued', 'running', 'interrupted');

CREATE TABLE transcript (
  session INTEGER NOT NULL REFERENCES session (key),
  seq INTEGER NOT NULL,
  item_id TEXT NOT NULL,
  thread_id TEXT,
  turn_id TEXT,
  run_id TEXT,
  event_id TEXT,
  role TEXT NOT NULL,
  item_type TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  actor TEXT,
  attachments TEXT NOT NULL,
  metadata TEXT NOT NULL,
  content TEXT NOT NULL,
  content_json TEXT,
  ui_schema TEXT,
  UNIQUE (session, seq)
) STRICT;

CREATE TABLE state (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  session_id TEXT,
  updated_at INTEGER NOT NULL,
  value TEXT NOT NULL,
  UNIQUE (scope, key)
) STRICT;
CREATE INDEX state_session ON state (session_id) WHERE session_id IS NOT NULL;

CREATE TABLE storage (
  scope TEXT NOT NULL,
  owner TEXT NOT NULL,
  key TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  mime_type TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  bytes BLOB,
  UNIQUE (scope, owner, key)
) STRICT;
CREATE INDEX storage_file ON storage (sha256) WHERE bytes IS NULL;

CREATE TABLE artifact (
  artifact_id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL,
  session_id TEXT,
  run_id TEXT,
  agent_id TEXT,
  name TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  metadata TEXT NOT NULL
) STRICT;
CREATE INDEX artifact_session ON artifact (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX artifact_file ON artifact (sha256);
CREATE INDEX artifact_expiry ON artifact (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE interaction (
  interaction_id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  turn_id TEXT,
  run_id TEXT,
  kind TEXT NOT NULL,
  token_hash TEXT,
  status TEXT NOT NULL,
  answered_by TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  resolved_at INTEGER,
  request TEXT NOT NULL,
  answer TEXT
) STRICT;
CREATE INDEX interaction_session ON interaction (session_id);
CREATE INDEX interaction_pending ON interaction (expires_at) WHERE status = 'pending';

CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  workspace_id TEXT NOT NULL,
  actor TEXT NOT NULL,
  session_id TEXT,
  run_id TEXT,
  runner_id TEXT,
  action TEXT NOT NULL,
  resource TEXT,
  scope TEXT,
  result TEXT NOT NULL,
  details TEXT
) STRICT;
CREATE INDEX audit_session ON audit (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX audit_run ON audit (run_id) WHERE run_id IS NOT NULL;

CREATE TABLE registry (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  revision INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  updated_by TEXT NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
`;
