/**
 * Sessions by when they were used last, whole and by owner; what a person called them; how the log of a deleted one
 * ended. Changes of messages are few: an index of them alone costs nothing but where there is one.
 */
export const sessionList = `
ALTER TABLE session ADD COLUMN active_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN title TEXT;
UPDATE session SET active_at = updated_at;
CREATE INDEX session_active ON session (workspace_id, active_at);
CREATE INDEX session_of_owner ON session (workspace_id, owner_id, active_at);
ALTER TABLE tombstone ADD COLUMN workspace_id TEXT;
ALTER TABLE tombstone ADD COLUMN owner_id TEXT;
ALTER TABLE tombstone ADD COLUMN last_seq INTEGER;
ALTER TABLE tombstone ADD COLUMN hash TEXT;
CREATE INDEX transcript_amended ON transcript (session, item_id)
  WHERE item_type IN ('message.edited', 'message.deleted');
`;
