import type { EventRow } from '@rostra/kernel/projection/event-row';
import { namesOf, type SaidMessage } from '@rostra/kernel/projection/said-message';
import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import { limits } from '@rostra/protocol/wire/limits';
import type { InThread } from '../in-thread.ts';
import { type EventPage, type EventStore, SAME_ID } from '../ports/event.ts';
import { pageLimit } from '../ports/page.ts';
import type {
  ShownMessage,
  ShownPage,
  TranscriptFilter,
  TranscriptPage,
  TranscriptSearch,
  TranscriptStore,
} from '../ports/transcript.ts';
import { best, scoreOf, weightOf } from '../search/ranking.ts';
import { type QueryWord, queryWords, wordsOf } from '../search/words.ts';
import type { MemorySession, MemoryTables } from './memory-tables.ts';

type Placed = Pick<TranscriptRow, 'thread_id' | 'bot_id' | 'actor_id' | 'event_type' | 'created_at'> & {
  role?: string;
  item_type?: string;
};

function lies(row: Placed, where: TranscriptFilter = {}): boolean {
  const { thread_id, bot_id, actor_id, event_types, roles, item_types, since, until } = where;
  return (
    (thread_id === undefined || row.thread_id === thread_id) &&
    (bot_id === undefined || row.bot_id === bot_id) &&
    (actor_id === undefined || row.actor_id === actor_id) &&
    (event_types === undefined || event_types.includes(row.event_type)) &&
    (roles === undefined || (row.role !== undefined && roles.includes(row.role))) &&
    (item_types === undefined || (row.item_type !== undefined && item_types.includes(row.item_type))) &&
    (since === undefined || row.created_at > since) &&
    (until === undefined || row.created_at < until)
  );
}

function bytesOf({ content, content_json, ui_schema, attachments, metadata }: TranscriptRow): number {
  const parts = [content_json, ui_schema].map((part) => (part === null ? '' : JSON.stringify(part)));
  return Buffer.byteLength([content, ...parts, JSON.stringify(attachments), JSON.stringify(metadata)].join(''));
}

/** As many of the rows as weigh no more than a page; one in any case. */
function withinBytes<Row>(rows: readonly Row[], weigh: (row: Row) => number): Row[] {
  let bytes = 0;
  const end = rows.findIndex((row) => {
    bytes += weigh(row);
    return bytes > limits.page_bytes;
  });
  return end === -1 ? [...rows] : rows.slice(0, Math.max(end, 1));
}

function shownBytes({ content, attachments, ui_schema }: ShownMessage): number {
  const card = ui_schema === null ? '' : JSON.stringify(ui_schema);
  return Buffer.byteLength([content ?? '', JSON.stringify(attachments), card].join(''));
}

/** Only agents change what they said. */
function asItStands(row: TranscriptRow, change: TranscriptRow | undefined): ShownMessage {
  const { seq, item_id, role, created_at, attachments, ui_schema } = row;
  const said = role === 'assistant' ? (change ?? row) : row;
  const content = said.item_type === 'message.deleted' ? null : said.content;
  return { seq, item_id, role, created_at, content, attachments, ui_schema };
}

function hasWord(words: readonly string[], { text, open }: QueryWord): boolean {
  return words.some((word) => (open ? word.startsWith(text) : word === text));
}

function isOf({ row }: MemorySession, { workspace_id, owner_id }: TranscriptSearch): boolean {
  return row.workspace_id === workspace_id && (owner_id === undefined || row.owner_id === owner_id);
}

function isAmendment({ item_type }: TranscriptRow): boolean {
  return item_type === 'message.edited' || item_type === 'message.deleted';
}

/** Whether no later one of these messages took the place of one. */
export function leftIn(rows: readonly TranscriptRow[]): (row: TranscriptRow) => boolean {
  const branches = rows.flatMap(({ seq, supersedes }) => (supersedes === null ? [] : { seq, supersedes }));
  return ({ seq }) => !branches.some((later) => later.seq > seq && later.supersedes <= seq);
}

/** Nothing changed it or took it back since. */
function stands({ transcript }: MemorySession, { item_id, seq }: TranscriptRow): boolean {
  return !transcript.some((later) => later.seq > seq && later.item_id === item_id && isAmendment(later));
}

export class MemoryTranscript implements InThread<TranscriptStore> {
  readonly #tables: MemoryTables;

  constructor(tables: MemoryTables) {
    this.#tables = tables;
  }

  get(session_id: string, seq: number): TranscriptRow | null {
    return this.#rows(session_id).find((row) => row.seq === seq) ?? null;
  }

  page(session_id: string, page: TranscriptPage = {}): { rows: TranscriptRow[]; has_more: boolean } {
    const limit = pageLimit(page.limit);
    const { before = Number.MAX_SAFE_INTEGER, after, where } = page;
    const { from = after === undefined ? 'newest' : 'oldest' } = page;
    const found = this.#standing(session_id, where).filter((row) => {
      return row.seq < before && row.seq > (after ?? 0) && lies(row, where);
    });
    if (from === 'newest') found.reverse();
    const rows = withinBytes(found.slice(0, limit), bytesOf);
    return { rows: from === 'newest' ? rows.toReversed() : rows, has_more: found.length > rows.length };
  }

  shown(session_id: string, { after, before, where }: ShownPage): ShownMessage[] {
    const found = this.#standing(session_id, where).filter((row) => {
      return row.seq < before && row.seq > after && lies(row, where);
    });
    const changes = new Map(this.#rows(session_id).flatMap((row) => (isAmendment(row) ? [[row.item_id, row]] : [])));
    const rows = found.slice(0, limits.shown_items).map((row) => asItStands(row, changes.get(row.item_id)));
    return withinBytes(rows, shownBytes);
  }

  search(search: TranscriptSearch): { rows: TranscriptRow[]; total: number } {
    const limit = pageLimit(search.limit, limits.search_top_k);
    const messages = this.#messages(search.session_id);
    const [only] = search.session_id === undefined ? [] : messages;
    const most = only?.session.row.last_seq ?? messages.length;
    const query = new Map<QueryWord, number>();
    for (const word of queryWords(search.query)) {
      const having = messages.filter(({ words }) => hasWord(words, word)).length;
      if (having > 0) query.set(word, weightOf(having, most));
    }
    const found = messages.flatMap(({ session, row, words, isLeft }, place) => {
      const score = scoreOf(words, query);
      const isMeant =
        isOf(session, search) && isLeft(row) && lies(row, search.where) && (!search.current || stands(session, row));
      return score > 0 && isMeant ? [{ row, score, place }] : [];
    });
    const rows = best(found, limit).map(({ row }) => row);
    return { rows: withinBytes(rows, bytesOf), total: found.length };
  }

  count(session_id: string, before: number, where: TranscriptFilter = {}): number {
    return this.#standing(session_id, where).filter((row) => row.seq < before && lies(row, where)).length;
  }

  amendments(session_id: string, item_ids: readonly string[]): TranscriptRow[] {
    return this.#rows(session_id).filter((row) => isAmendment(row) && item_ids.includes(row.item_id));
  }

  has(session_id: string, where: TranscriptFilter): boolean {
    return this.#standing(session_id, where).some((row) => lies(row, where));
  }

  said(session_id: string, ids: readonly string[]): SaidMessage[] {
    const found = new Map<string, SaidMessage>();
    for (const said of this.#standing(session_id).flatMap(namesOf)) {
      if (ids.includes(said.id)) found.set(`${said.role} ${said.id}`, said);
    }
    return [...found.values()];
  }

  /** Session after session, each in its own order. */
  #messages(session_id: string | undefined) {
    const all = [...this.#tables.sessions.values()];
    return all
      .filter(({ row }) => session_id === undefined || row.id === session_id)
      .flatMap((session) => {
        const isLeft = leftIn(session.transcript);
        return session.transcript.map((row) => ({ session, row, words: wordsOf(row.content), isLeft }));
      });
  }

  #standing(session_id: string, where: TranscriptFilter = {}): TranscriptRow[] {
    const rows = this.#rows(session_id);
    return where.superseded === true ? [...rows] : rows.filter(leftIn(rows));
  }

  #rows(session_id: string): readonly TranscriptRow[] {
    return this.#tables.sessions.get(session_id)?.transcript ?? [];
  }
}

export class MemoryEvents implements InThread<EventStore> {
  readonly #tables: MemoryTables;

  constructor(tables: MemoryTables) {
    this.#tables = tables;
  }

  find(event_id: string): EventRow[] {
    const all = [...this.#tables.sessions.values()].flatMap(({ events }) => events);
    return all
      .filter((row) => row.event_id === event_id)
      .reverse()
      .slice(0, SAME_ID);
  }

  page(session_id: string, page: EventPage = {}): { rows: EventRow[]; has_more: boolean } {
    const limit = pageLimit(page.limit);
    const { before = Number.MAX_SAFE_INTEGER, where } = page;
    const events = this.#tables.sessions.get(session_id)?.events ?? [];
    const found = events.filter((row) => row.seq < before && lies(row, where)).reverse();
    return { rows: found.slice(0, limit), has_more: found.length > limit };
  }
}
