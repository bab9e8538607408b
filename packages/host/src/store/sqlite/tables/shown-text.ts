import type { AttachedArtifact } from '@rostra/kernel/projection/transcript-row';
import { limits } from '@rostra/protocol/wire/limits';
import type { ShownMessage, ShownPage } from '../../ports/transcript.ts';
import { jsonValue } from '../json-column.ts';
import type { Statements } from '../statements.ts';
import { isAmendment, messagesOf, ofSession } from './row-filter.ts';

/** A message on its way between threads; attachments and card are texts of JSON themselves, null where there is none. */
type Shown = [
  seq: number,
  item_id: string,
  role: string,
  created_at: number,
  content: string | null,
  attachments: string | null,
  ui_schema: string | null,
];

/** The last change of a message. Only agents change what they said. */
const changeOf = `iif(role = 'assistant', (SELECT rowid FROM transcript AS change INDEXED BY transcript_amended
  WHERE change.session = transcript.session AND change.item_id = transcript.item_id AND ${isAmendment}
  ORDER BY change.seq DESC LIMIT 1), NULL)`;

/**
 * Messages as one text of JSON, which the database writes: a row as an object costs by its columns, here and again on
 * its way to another thread. What a message weighs is summed up before any is read.
 */
export function shownText(sql: Statements, session_id: string, { after, before, where }: ShownPage): string {
  const messages = messagesOf(where);
  const found = sql.get(
    `WITH found AS (
        SELECT rowid AS place, seq, ${changeOf} AS change,
          octet_length(content) + octet_length(attachments) + ifnull(octet_length(ui_schema), 0) AS own
        ${ofSession} AND seq > ? AND seq < ?${messages.sql} ORDER BY seq LIMIT ${limits.shown_items}),
      weighed AS (
        SELECT *, own + ifnull((SELECT octet_length(content) FROM transcript WHERE rowid = change), 0) AS bytes FROM found),
      summed AS (SELECT *, sum(bytes) OVER (ORDER BY seq ROWS UNBOUNDED PRECEDING) AS total FROM weighed)
    SELECT json_group_array(json_array(
        said.seq, said.item_id, said.role, said.created_at,
        iif(change.item_type = 'message.deleted', NULL, ifnull(change.content, said.content)),
        nullif(said.attachments, '[]'), said.ui_schema) ORDER BY said.seq) AS messages
      FROM summed JOIN transcript AS said ON said.rowid = summed.place
        LEFT JOIN transcript AS change ON change.rowid = summed.change
      WHERE total <= ${limits.page_bytes} OR total = bytes`,
    session_id,
    after,
    before,
    ...messages.values,
  );
  return found?.messages as string;
}

/** What `shownText` wrote. */
export function shownMessages(text: string): ShownMessage[] {
  return (JSON.parse(text) as Shown[]).map(([seq, item_id, role, created_at, content, attachments, ui_schema]) => ({
    seq,
    item_id,
    role,
    created_at,
    content,
    attachments: attachments === null ? [] : (JSON.parse(attachments) as AttachedArtifact[]),
    ui_schema: jsonValue(ui_schema),
  }));
}
