import { namesOf, type SaidMessage } from '@rostra/kernel/projection/said-message';
import type { AttachedArtifact, TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import { limits } from '@rostra/protocol/wire/limits';
import type { InThread } from '../../in-thread.ts';
import { pageLimit } from '../../ports/page.ts';
import type {
  ShownPage,
  TranscriptFilter,
  TranscriptPage,
  TranscriptSearch,
  TranscriptStore,
} from '../../ports/transcript.ts';
import type { SqlRow, SqlValue } from '../driver.ts';
import { jsonObject, jsonText, jsonValue } from '../json-column.ts';
import { SearchIndex } from '../search-index.ts';
import { seqOfKey, sessionOfKey } from '../search-key.ts';
import type { Statements } from '../statements.ts';
import { isAmendment, messagesOf, ofSession } from './row-filter.ts';
import { shownText } from './shown-text.ts';
import { TranscriptFinder } from './transcript-finder.ts';

/** What a row weighs, without reading it. */
const weight = `octet_length(content) + ifnull(octet_length(content_json), 0) + ifnull(octet_length(ui_schema), 0)
  + octet_length(attachments) + octet_length(metadata)`;

/** The port as threads have it: with what brings its index up to date, and messages as one text. */
export interface TranscriptCalls extends Omit<TranscriptStore, 'shown'> {
  index(): Promise<boolean>;
  shownText(session_id: string, page: ShownPage): Promise<string>;
}

export class TranscriptTable implements InThread<TranscriptCalls> {
  readonly #sql: Statements;
  readonly #index: SearchIndex;
  readonly #finder: TranscriptFinder;

  constructor(sql: Statements, now: () => number = Date.now) {
    this.#sql = sql;
    this.#index = new SearchIndex(sql);
    this.#finder = new TranscriptFinder(sql, now);
  }

  get(session_id: string, seq: number): TranscriptRow | null {
    const row = this.#sql.get(`SELECT * ${ofSession} AND seq = ?`, session_id, seq);
    return row === undefined ? null : decode(session_id, row);
  }

  page(session_id: string, page: TranscriptPage = {}): { rows: TranscriptRow[]; has_more: boolean } {
    const limit = pageLimit(page.limit);
    const { before = Number.MAX_SAFE_INTEGER, after, from = after === undefined ? 'newest' : 'oldest' } = page;
    const order = from === 'newest' ? 'DESC' : 'ASC';
    const { sql, values } = messagesOf(page.where);
    const found = this.#sql.all(
      `SELECT seq, ${weight} AS bytes ${ofSession} AND seq < ? AND seq > ?${sql} ORDER BY seq ${order} LIMIT ?`,
      session_id,
      before,
      after ?? 0,
      ...values,
      limit + 1,
    );
    const seqs = withinBytes(found.slice(0, limit)).map((row) => row.seq as number);
    const rows = this.#sql.all(
      `SELECT * ${ofSession} AND seq IN (SELECT value FROM json_each(?)) ORDER BY seq`,
      session_id,
      JSON.stringify(seqs),
    );
    return { rows: rows.map((row) => decode(session_id, row)), has_more: found.length > seqs.length };
  }

  shownText(session_id: string, page: ShownPage): string {
    return shownText(this.#sql, session_id, page);
  }

  search(search: TranscriptSearch): { rows: TranscriptRow[]; total: number } {
    const limit = pageLimit(search.limit, limits.search_top_k);
    const { keys, total } = this.#finder.find({ ...search, limit });
    const found = this.#sql.all(
      `SELECT found.value AS place, ${weight} AS bytes FROM json_each(?) AS found
        JOIN transcript ON transcript.session = ${sessionOfKey('found.value')}
          AND transcript.seq = ${seqOfKey('found.value')} ORDER BY found.key`,
      JSON.stringify(keys),
    );
    const rows = this.#sql.all(
      `SELECT transcript.*, session.id AS session_id FROM json_each(?) AS found
        JOIN transcript ON transcript.session = ${sessionOfKey('found.value')}
          AND transcript.seq = ${seqOfKey('found.value')}
        JOIN session ON session.key = transcript.session ORDER BY found.key`,
      JSON.stringify(withinBytes(found).map((row) => row.place)),
    );
    return { rows: rows.map((row) => decode(row.session_id as string, row)), total };
  }

  count(session_id: string, before: number, where: TranscriptFilter = {}): number {
    const { sql, values } = messagesOf(where);
    return Number(
      this.#sql.get(`SELECT count(*) AS n ${ofSession} AND seq < ?${sql}`, session_id, before, ...values)?.n,
    );
  }

  amendments(session_id: string, item_ids: readonly string[]): TranscriptRow[] {
    const rows = this.#sql.all(
      `SELECT * ${ofSession} AND ${isAmendment} AND item_id IN (SELECT value FROM json_each(?)) ORDER BY seq`,
      session_id,
      JSON.stringify(item_ids),
    );
    return rows.map((row) => decode(session_id, row));
  }

  has(session_id: string, where: TranscriptFilter): boolean {
    const { sql, values } = messagesOf(where);
    return this.#sql.get(`SELECT 1 ${ofSession}${sql} LIMIT 1`, session_id, ...values) !== undefined;
  }

  said(session_id: string, ids: readonly string[]): SaidMessage[] {
    const { sql } = messagesOf();
    const rows = this.#sql.all(
      `SELECT seq, item_id, turn_id, client_id, role, item_type, content_json, iif(role = 'user', content, '') AS content
        ${ofSession}${sql} AND (client_id IN (SELECT value FROM json_each(?2)) OR item_id IN (SELECT value FROM json_each(?2))
          OR substr(item_id, length(turn_id) + 2) IN (SELECT value FROM json_each(?2))) ORDER BY seq`,
      session_id,
      JSON.stringify(ids),
    );
    const wanted = new Set(ids);
    const found = new Map<string, SaidMessage>();
    for (const row of rows) {
      for (const said of namesOf(named(row))) if (wanted.has(said.id)) found.set(`${said.role} ${said.id}`, said);
    }
    return [...found.values()];
  }

  index(): boolean {
    return this.#index.step();
  }
}

/** As many of the rows as weigh no more than a page; one in any case. */
function withinBytes(rows: readonly SqlRow[]): SqlRow[] {
  let bytes = 0;
  const end = rows.findIndex((row) => {
    bytes += row.bytes as number;
    return bytes > limits.page_bytes;
  });
  return end === -1 ? [...rows] : rows.slice(0, Math.max(end, 1));
}

/** In the order of `transcriptValues`. */
export const transcriptColumns = [
  'seq',
  'item_id',
  'thread_id',
  'bot_id',
  'actor_id',
  'turn_id',
  'run_id',
  'event_id',
  'event_type',
  'role',
  'item_type',
  'created_at',
  'actor',
  'attachments',
  'metadata',
  'content',
  'content_json',
  'ui_schema',
  'client_id',
  'supersedes',
] as const;

export function transcriptValues(row: TranscriptRow): SqlValue[] {
  return [
    row.seq,
    row.item_id,
    row.thread_id,
    row.bot_id,
    row.actor_id,
    row.turn_id,
    row.run_id,
    row.event_id,
    row.event_type,
    row.role,
    row.item_type,
    row.created_at,
    jsonText(row.actor),
    JSON.stringify(row.attachments),
    JSON.stringify(row.metadata),
    row.content,
    jsonText(row.content_json),
    jsonText(row.ui_schema),
    row.client_id,
    row.supersedes,
  ];
}

/** Of a row what its names are made of. */
export function named(row: SqlRow) {
  return {
    seq: row.seq as number,
    item_id: row.item_id as string,
    turn_id: row.turn_id as string | null,
    client_id: row.client_id as string | null,
    role: row.role as string,
    item_type: row.item_type as string,
    content: row.content as string,
    content_json: jsonValue(row.content_json),
  };
}

function decode(session_id: string, row: SqlRow): TranscriptRow {
  return {
    session_id,
    seq: row.seq as number,
    item_id: row.item_id as string,
    thread_id: row.thread_id as string | null,
    bot_id: row.bot_id as string | null,
    actor_id: row.actor_id as string | null,
    turn_id: row.turn_id as string | null,
    run_id: row.run_id as string | null,
    event_id: row.event_id as string | null,
    event_type: row.event_type as string,
    role: row.role as string,
    item_type: row.item_type as string,
    actor: row.actor === null ? null : jsonObject(row.actor),
    content: row.content as string,
    content_json: jsonValue(row.content_json),
    attachments: JSON.parse(row.attachments as string) as AttachedArtifact[],
    ui_schema: jsonValue(row.ui_schema),
    created_at: row.created_at as number,
    metadata: jsonObject(row.metadata),
    client_id: row.client_id as string | null,
    supersedes: row.supersedes as number | null,
  };
}
