/**
 * What a client calls its messages has no order: among all names of a session each new one had a page of its own to
 * change, the more so the older the session. Now it stands among those of some thousand records, which are at hand. Which
 * turn a message made, anywhere, `turn-of-message.ts` tells; and who commits has asked.
 */
export const nearNames = `
ALTER TABLE turn RENAME TO far_turn;
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
  retryable INTEGER NOT NULL
) STRICT;
INSERT INTO turn (rowid, turn_id, session, message_id, client_run_id, payload_hash, agent_id, status, created_at,
    ended_at, first_seq, code, message, retryable)
  SELECT rowid, turn_id, session, message_id, client_run_id, payload_hash, agent_id, status, created_at,
    ended_at, first_seq, code, message, retryable
  FROM far_turn ORDER BY rowid;
DROP TABLE far_turn;
CREATE UNIQUE INDEX turn_message ON turn (session, first_seq >> 12, message_id);
CREATE INDEX turn_live ON turn (session) WHERE ended_at IS NULL;
`;
