/**
 * What a run costs beside its log.
 *
 * - The runs of a turn are found by their names, which begin with it, and nobody asks for open runs in any order.
 * - What a run received has a table of its own: rows that grow after they were made are moved about, and all rows of runs
 *   were as large as the largest. What the runs of one agent are told alike is kept once.
 * - A message of a person is an event, too, and is written once: `any_event` has both kinds.
 */
export const leanRuns = `
DROP INDEX run_turn;
DROP INDEX run_open;
DROP INDEX run_received;

CREATE TABLE dossier_terms (id TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;
CREATE TABLE dossier (
  run_id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  context TEXT NOT NULL,
  grant_text TEXT NOT NULL,
  terms TEXT
) STRICT;
INSERT INTO dossier (run_id, created_at, context, grant_text)
  SELECT run_id, created_at, context, grant_text FROM run WHERE context IS NOT NULL ORDER BY rowid;
ALTER TABLE run DROP COLUMN context;
ALTER TABLE run DROP COLUMN grant_text;

CREATE VIEW any_event AS
  SELECT session, seq, event_id, event_type, turn_id, run_id, thread_id, bot_id, actor_id, created_at FROM event
  UNION ALL
  SELECT session, seq, item_id, event_type, turn_id, run_id, thread_id, bot_id, actor_id, created_at FROM transcript
    WHERE role = 'user' AND item_type = 'message' AND item_id = turn_id AND run_id IS NULL
      AND NOT EXISTS (SELECT 1 FROM event WHERE event.session = transcript.session AND event.seq = transcript.seq);
`;
