import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import {
  type ChunkFilter,
  type ChunkFindings,
  type ChunkRow,
  type ChunkSearch,
  chunkId,
} from '../../ports/knowledge.ts';
import { searchTooLong } from '../../refusal.ts';
import { baseRange, passOfKey, positionOfKey } from '../chunk-key.ts';
import type { Database, SqlRow, SqlValue } from '../driver.ts';
import { jsonObject } from '../json-column.ts';
import { Statements } from '../statements.ts';
import { findByVector } from './chunk-vectors.ts';
import { findByWords, type Place } from './chunk-words.ts';

/**
 * Searches the chunks of a base, on a connection of its own. A search reads within one transaction: of a document that
 * is published meanwhile it finds what was there before, and nothing else.
 */
export class ChunkFinder {
  readonly #db: Database;
  readonly #sql: Statements;
  readonly #now: () => number;

  constructor(db: Database, now: () => number) {
    this.#db = db;
    this.#sql = new Statements(db);
    this.#now = now;
    // The passes that a search may find something in, by their numbers in the base.
    db.exec('CREATE TEMP TABLE reachable (pass INTEGER PRIMARY KEY, chunks INTEGER NOT NULL, model TEXT) STRICT');
  }

  find(search: ChunkSearch): ChunkFindings {
    this.#db.exec('BEGIN');
    try {
      return this.#find(search);
    } finally {
      this.#db.exec('ROLLBACK');
    }
  }

  #find({ filter, words, vector, limit }: ChunkSearch): ChunkFindings {
    const until = this.#now() + limits.knowledge_search;
    const check = () => {
      if (this.#now() > until) throw searchTooLong(limits.knowledge_search);
    };
    const place = this.#reach(filter);
    if (place === null) return { words: [], vectors: [], chunks: [] };
    const byWords = words === null ? [] : findByWords(this.#sql, place, { query: words, limit, check });
    check();
    const byVector = vector === null ? [] : findByVector(this.#sql, place, { ...vector, limit });
    const keys = new Set([...byWords, ...byVector].map(({ place: key }) => key));
    const chunks = this.#rows(place, [...keys]);
    const idOf = (key: number) => chunks.get(key)?.chunk_id ?? '';
    return {
      words: byWords.map(({ place: key, score }) => ({ chunk_id: idOf(key), score })),
      vectors: byVector.map(({ place: key, score }) => ({ chunk_id: idOf(key), score })),
      chunks: [...chunks.values()],
    };
  }

  /** Null: there is no such base. */
  #reach(filter: ChunkFilter): Place | null {
    const base = this.#sql.get('SELECT key FROM knowledge_base WHERE kb_id = ?', filter.kb_id)?.key;
    if (typeof base !== 'number') return null;
    const { sql, values } = conditionsOf(filter);
    this.#sql.run(
      `INSERT INTO reachable (pass, chunks, model)
        SELECT document.generation, document.chunks, pass.embedding_model FROM knowledge_document AS document
        JOIN knowledge_pass AS pass ON pass.base = document.base AND pass.pass = document.generation
        WHERE document.base = ? AND document.generation > 0${sql}`,
      base,
      ...values,
    );
    const chunks = Number(this.#sql.get('SELECT sum(chunks) AS n FROM reachable')?.n ?? 0);
    return { ...baseRange(base), base, chunks };
  }

  #rows({ base }: Place, keys: readonly number[]): Map<number, ChunkRow> {
    const rows = this.#sql.all(
      `SELECT chunk.key, ${positionOfKey('chunk.key')} AS position, chunk.content, chunk.page, chunk.heading,
          document.document_id, document.name, document.metadata, document.generation
        FROM json_each(?) AS wanted CROSS JOIN knowledge_chunk AS chunk ON chunk.key = wanted.value
        CROSS JOIN knowledge_document AS document
          ON document.base = ? AND document.generation = ${passOfKey('chunk.key')} AND document.generation > 0`,
      JSON.stringify(keys),
      base,
    );
    return new Map(rows.map((row) => [Number(row.key), decode(row)]));
  }
}

/** Only these names ever stand in a statement; what callers give is bound. */
function conditionsOf({ metadata, document_ids, document_names }: ChunkFilter): { sql: string; values: SqlValue[] } {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  for (const [name, listed] of [['document_id', document_ids] as const, ['name', document_names] as const]) {
    if (listed === undefined) continue;
    conditions.push(`document.${name} IN (SELECT value FROM json_each(?))`);
    values.push(JSON.stringify(listed));
  }
  for (const [key, value] of Object.entries<Json>(metadata)) {
    conditions.push(
      `EXISTS (SELECT 1 FROM json_each(document.metadata) AS at WHERE at.key = ?
        AND at.type IN (SELECT value FROM json_each(?)) AND at.atom = json_extract(?, '$[0]'))`,
    );
    values.push(key, JSON.stringify(kindsOf(value)), JSON.stringify([value]));
  }
  return { sql: conditions.map((condition) => ` AND ${condition}`).join(''), values };
}

/** What SQLite calls such a value; nothing where it is none that can be compared. */
function kindsOf(value: Json): string[] {
  if (typeof value === 'string') return ['text'];
  if (typeof value === 'number') return ['integer', 'real'];
  return typeof value === 'boolean' ? [String(value)] : [];
}

function decode(row: SqlRow): ChunkRow {
  const document_id = row.document_id as string;
  const position = row.position as number;
  return {
    chunk_id: chunkId(document_id, row.generation as number, position),
    position,
    content: row.content as string,
    page: row.page as number | null,
    heading: row.heading as string | null,
    document_id,
    document_name: row.name as string,
    metadata: jsonObject(row.metadata),
  };
}
