import { limits } from '@rostra/protocol/wire/limits';
import { indexedText } from '../search/words.ts';
import { searchKey } from './search-key.ts';
import type { Statements } from './statements.ts';

/** Brings new messages into the index, some at a time: a row by itself would cost more than the message. */
export class SearchIndex {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  /** One step, within a transaction: whether there is more to do. */
  step(): boolean {
    const from = Number(this.#sql.get(`SELECT value FROM meta WHERE key = 'indexed'`)?.value ?? 0);
    const found = this.#sql.all(
      `SELECT key, session, seq, substr(content, 1, ?2) AS text FROM transcript WHERE key > ?1 ORDER BY key LIMIT ?3`,
      from,
      limits.search_chars,
      limits.index_rows,
    );
    const rows: { key: number; words: string }[] = [];
    let last = from;
    let chars = 0;
    for (const row of found) {
      if (chars > limits.index_chars) break;
      const text = String(row.text);
      chars += text.length;
      last = Number(row.key);
      const key = searchKey(Number(row.session), Number(row.seq));
      if (key !== null) rows.push({ key, words: indexedText(text) });
    }
    if (last === from) return false;
    // In the order of their keys they are written as one piece.
    rows.sort((a, b) => a.key - b.key);
    for (const { key, words } of rows) this.#sql.run('INSERT INTO search (rowid, words) VALUES (?, ?)', key, words);
    this.#sql.run(`UPDATE meta SET value = ? WHERE key = 'indexed'`, String(last));
    return last !== found.at(-1)?.key || found.length === limits.index_rows;
  }
}
