/**
 * The saved context has a table of its own: it is as large as all else in a session's row ten times over and seldom
 * written, while the row changes with every unit, and with it a page that many sessions can share.
 */
export const sessionContext = `
CREATE TABLE session_context (
  session INTEGER PRIMARY KEY REFERENCES session (key),
  context_seq INTEGER NOT NULL,
  context_hash TEXT NOT NULL,
  context TEXT NOT NULL
) STRICT;
INSERT INTO session_context (session, context_seq, context_hash, context)
  SELECT key, context_seq, ifnull(context_hash, ''), context FROM session WHERE context IS NOT NULL ORDER BY key;
ALTER TABLE session DROP COLUMN context;
ALTER TABLE session DROP COLUMN context_hash;
ALTER TABLE session DROP COLUMN context_seq;
`;
