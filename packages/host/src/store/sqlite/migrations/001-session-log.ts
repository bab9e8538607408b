/**
 * In `session` the columns that change with every unit come first and keep their width, the context comes last: SQLite
 * then overwrites the row in place and touches no overflow page of a large context.
 */
export const sessionLog = `
CREATE TABLE session (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  context_seq INTEGER NOT NULL DEFAULT 0,
  context_hash TEXT,
  context TEXT
) STRICT;

CREATE TABLE segment (
  session INTEGER NOT NULL REFERENCES session (key),
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  time INTEGER NOT NULL,
  hash TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (session, first_seq)
) STRICT;

CREATE TABLE turn (
  turn_id TEXT NOT NULL UNIQUE,
  session INTEGER NOT NULL REFERENCES session (key),
  message_id TEXT NOT NULL,
  client_run_id TEXT,
  payload_hash TEXT,
  agent_id TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  first_seq INTEGER NOT NULL,
  code TEXT,
  message TEXT,
  retryable INTEGER NOT NULL,
  UNIQUE (session, message_id)
) STRICT;
CREATE INDEX turn_live ON turn (session) WHERE ended_at IS NULL;

CREATE TABLE message (
  session INTEGER NOT NULL REFERENCES session (key),
  id TEXT NOT NULL,
  PRIMARY KEY (session, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox (
  session INTEGER NOT NULL REFERENCES session (key),
  seq INTEGER NOT NULL,
  PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;
`;
