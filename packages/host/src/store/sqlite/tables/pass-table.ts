import { limits } from '@rostra/protocol/wire/limits';
import { type NewChunk, noRoomForChunks } from '../../ports/knowledge.ts';
import { chunkWords } from '../../search/chunk-words.ts';
import { sketchOf } from '../../search/vectors.ts';
import { chunkKey, passRange } from '../chunk-key.ts';
import type { Statements } from '../statements.ts';

/** What is written of one pass, and where. */
interface OpenPass {
  readonly base: number;
  readonly pass: number;
}

/** Passes over documents and the chunks that they write. */
export class PassTable {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  begin(document_id: string, model_id: string | null): number | null {
    const found = this.#sql.get(
      `UPDATE knowledge_base SET passes = passes + 1 WHERE kb_id IS NOT NULL
        AND key = (SELECT base FROM knowledge_document WHERE document_id = ?) RETURNING key, passes`,
      document_id,
    );
    if (found === undefined) return null;
    this.dropUnpublished(document_id);
    const [base, pass] = [Number(found.key), Number(found.passes)];
    if (chunkKey(base, pass, 0) === null) throw noRoomForChunks();
    this.#sql.run(
      'INSERT INTO knowledge_pass (base, pass, document_id, embedding_model) VALUES (?, ?, ?, ?)',
      base,
      pass,
      document_id,
      model_id,
    );
    return pass;
  }

  add(document_id: string, generation: number, chunks: readonly NewChunk[]): boolean {
    const open = this.#open(document_id, generation);
    if (open === null) return false;
    for (const chunk of chunks) this.#insert(open, chunk);
    this.#sql.run(
      'UPDATE knowledge_pass SET chunks = chunks + ? WHERE base = ? AND pass = ?',
      chunks.length,
      open.base,
      open.pass,
    );
    return true;
  }

  publish(document_id: string, generation: number, at: number): boolean {
    const open = this.#open(document_id, generation);
    if (open === null) return false;
    this.#sql.run(
      `UPDATE knowledge_document SET generation = ?1, status = 'ready', problem = NULL, updated_at = ?2,
          chunks = (SELECT chunks FROM knowledge_pass WHERE base = ?3 AND pass = ?1)
        WHERE document_id = ?4`,
      open.pass,
      at,
      open.base,
      document_id,
    );
    this.dropUnpublished(document_id);
    return true;
  }

  /** All passes of a document but the one whose chunks are found. */
  dropUnpublished(document_id: string): void {
    this.#sql.run(
      `UPDATE knowledge_pass SET dropped = 1 WHERE document_id = ?1 AND dropped = 0
        AND pass <> (SELECT generation FROM knowledge_document WHERE document_id = ?1)`,
      document_id,
    );
  }

  /** The document, everything that is found of it, and its file, unless another document has the same. */
  forget(document_id: string): void {
    const gone = this.#sql.get(
      'DELETE FROM knowledge_document WHERE document_id = ? RETURNING artifact_id',
      document_id,
    );
    if (gone === undefined) return;
    this.#sql.run('UPDATE knowledge_pass SET dropped = 1 WHERE document_id = ?', document_id);
    this.#sql.run(
      `UPDATE artifact SET expires_at = 0 WHERE artifact_id = ?1
        AND NOT EXISTS (SELECT 1 FROM knowledge_document WHERE artifact_id = ?1)`,
      gone.artifact_id ?? null,
    );
  }

  sweep(): boolean {
    const dropped = this.#sql.get('SELECT base, pass FROM knowledge_pass WHERE dropped = 1 LIMIT 1');
    if (dropped !== undefined) {
      this.#remove(Number(dropped.base), Number(dropped.pass));
      return true;
    }
    const left = this.#sql.all(
      `SELECT document_id FROM knowledge_document WHERE base IN (SELECT key FROM knowledge_base WHERE kb_id IS NULL)
        LIMIT ?`,
      limits.knowledge_step_chunks,
    );
    for (const { document_id } of left) this.forget(String(document_id));
    if (left.length > 0) return true;
    return this.#sql.run('DELETE FROM knowledge_base WHERE kb_id IS NULL') > 0;
  }

  #open(document_id: string, pass: number): OpenPass | null {
    const row = this.#sql.get(
      `SELECT pass.base FROM knowledge_document AS document
        JOIN knowledge_base AS base ON base.key = document.base AND base.kb_id IS NOT NULL
        JOIN knowledge_pass AS pass ON pass.base = document.base AND pass.pass = ?2
          AND pass.document_id = document.document_id AND pass.dropped = 0
        WHERE document.document_id = ?1 AND document.generation <> ?2`,
      document_id,
      pass,
    );
    return row === undefined ? null : { base: Number(row.base), pass };
  }

  #insert({ base, pass }: OpenPass, chunk: NewChunk): void {
    const key = chunkKey(base, pass, chunk.position);
    if (key === null) throw noRoomForChunks();
    const { content, page, heading, embedding } = chunk;
    this.#sql.run(
      'INSERT INTO knowledge_chunk (key, page, heading, content) VALUES (?, ?, ?, ?)',
      key,
      page,
      heading,
      content,
    );
    const words = [...new Set(chunkWords(chunk))].join(' ');
    this.#sql.run('INSERT INTO knowledge_words (rowid, words) VALUES (?, ?)', key, words);
    if (embedding === null) return;
    const { buffer, byteOffset, byteLength } = embedding;
    this.#sql.run('INSERT INTO knowledge_sketch (key, bits) VALUES (?, ?)', key, sketchOf(embedding));
    this.#sql.run(
      'INSERT INTO knowledge_vector (key, embedding) VALUES (?, ?)',
      key,
      new Uint8Array(buffer, byteOffset, byteLength),
    );
  }

  #remove(base: number, pass: number): void {
    const range = passRange(base, pass);
    const keys = this.#sql.all(
      'SELECT key FROM knowledge_chunk WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ?',
      range.first,
      range.last,
      limits.knowledge_step_chunks,
    );
    const last = keys.at(-1)?.key;
    if (last === undefined) {
      this.#sql.run('DELETE FROM knowledge_pass WHERE base = ? AND pass = ?', base, pass);
      return;
    }
    for (const { key } of keys) this.#sql.run('DELETE FROM knowledge_words WHERE rowid = ?', key ?? null);
    for (const table of ['knowledge_sketch', 'knowledge_vector', 'knowledge_chunk']) {
      this.#sql.run(`DELETE FROM ${table} WHERE key BETWEEN ? AND ?`, range.first, last);
    }
  }
}
