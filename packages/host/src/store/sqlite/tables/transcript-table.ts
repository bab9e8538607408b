import type { AttachedArtifact, TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import type { InThread } from '../../in-thread.ts';
import { pageLimit } from '../../ports/page.ts';
import type { TranscriptPage, TranscriptStore } from '../../ports/transcript.ts';
import type { SqlRow, SqlValue } from '../driver.ts';
import { jsonObject, jsonText, jsonValue } from '../json-column.ts';
import type { Statements } from '../statements.ts';

const ofSession = 'FROM transcript WHERE session = (SELECT key FROM session WHERE id = ?1)';

export class TranscriptTable implements InThread<TranscriptStore> {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  get(session_id: string, seq: number): TranscriptRow | null {
    const row = this.#sql.get(`SELECT * ${ofSession} AND seq = ?2`, session_id, seq);
    return row === undefined ? null : decode(session_id, row);
  }

  page(session_id: string, page: TranscriptPage = {}): { rows: TranscriptRow[]; has_more: boolean } {
    const limit = pageLimit(page.limit);
    const { before = Number.MAX_SAFE_INTEGER, after } = page;
    const order = after === undefined ? 'DESC' : 'ASC';
    const found = this.#sql.all(
      `SELECT * ${ofSession} AND seq < ?2 AND seq > ?3 ORDER BY seq ${order} LIMIT ?4`,
      session_id,
      before,
      after ?? 0,
      limit + 1,
    );
    const rows = found.slice(0, limit).map((row) => decode(session_id, row));
    if (after === undefined) rows.reverse();
    return { rows, has_more: found.length > limit };
  }
}

/** In the order of `transcriptValues`. */
export const transcriptColumns = [
  'seq',
  'item_id',
  'thread_id',
  'turn_id',
  'run_id',
  'event_id',
  'role',
  'item_type',
  'created_at',
  'actor',
  'attachments',
  'metadata',
  'content',
  'content_json',
  'ui_schema',
] as const;

export function transcriptValues(row: TranscriptRow): SqlValue[] {
  return [
    row.seq,
    row.item_id,
    row.thread_id,
    row.turn_id,
    row.run_id,
    row.event_id,
    row.role,
    row.item_type,
    row.created_at,
    jsonText(row.actor),
    JSON.stringify(row.attachments),
    JSON.stringify(row.metadata),
    row.content,
    jsonText(row.content_json),
    jsonText(row.ui_schema),
  ];
}

function decode(session_id: string, row: SqlRow): TranscriptRow {
  return {
    session_id,
    seq: row.seq as number,
    item_id: row.item_id as string,
    thread_id: row.thread_id as string | null,
    turn_id: row.turn_id as string | null,
    run_id: row.run_id as string | null,
    event_id: row.event_id as string | null,
    role: row.role as string,
    item_type: row.item_type as string,
    actor: row.actor === null ? null : jsonObject(row.actor),
    content: row.content as string,
    content_json: jsonValue(row.content_json),
    attachments: JSON.parse(row.attachments as string) as AttachedArtifact[],
    ui_schema: jsonValue(row.ui_schema),
    created_at: row.created_at as number,
    metadata: jsonObject(row.metadata),
  };
}
