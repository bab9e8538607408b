/**
 * Whose each message is, and by which words it is found. `transcript.key` counts the messages as they are written: those
 * above `indexed` in `meta` are not in `search` yet. A row of `search` is named after its session and `seq` (see
 * `search-key.ts`), so that one conversation is one stretch of it; it keeps words only, neither their order nor the text.
 * `event` says where the events of the log stand.
 */
export const search = `
CREATE TABLE message_item (
  key INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES session (key),
  seq INTEGER NOT NULL,
  item_id TEXT NOT NULL,
  thread_id TEXT,
  bot_id TEXT,
  actor_id TEXT,
  turn_id TEXT,
  run_id TEXT,
  event_id TEXT,
  event_type TEXT NOT NULL,
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
INSERT INTO message_item (session, seq, item_id, thread_id, actor_id, turn_id, run_id, event_id, event_type, role,
    item_type, created_at, actor, attachments, metadata, content, content_json, ui_schema)
  SELECT transcript.session, seq, item_id, thread_id, session.owner_id, turn_id, run_id, turn_id,
    iif(role = 'user', 'message.received', 'message.completed'), role, item_type, transcript.created_at, actor,
    attachments, metadata, content, content_json, ui_schema
  FROM transcript JOIN session ON session.key = transcript.session ORDER BY transcript.rowid;
DROP TABLE transcript;
ALTER TABLE message_item RENAME TO transcript;
INSERT INTO meta (key, value) VALUES ('indexed', '0');

CREATE VIRTUAL TABLE search USING fts5 (words, content='', contentless_delete=1, detail=none, tokenize='ascii');

CREATE TABLE event (
  session INTEGER NOT NULL REFERENCES session (key),
  seq INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  event_type TEXT NOT NULL,
  turn_id TEXT,
  run_id TEXT,
  thread_id TEXT,
  bot_id TEXT,
  actor_id TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_id ON event (event_id);
INSERT INTO event (session, seq, event_id, event_type, turn_id, actor_id, created_at)
  SELECT turn.session, first_seq, turn_id, 'message.received', turn_id, session.owner_id, turn.created_at
  FROM turn JOIN session ON session.key = turn.session WHERE turn.message_id <> turn.turn_id
  ON CONFLICT DO NOTHING;
`;
