import { limits } from '@rostra/protocol/wire/limits';
import type { TranscriptSearch } from '../../ports/transcript.ts';
import { searchTooLong } from '../../refusal.ts';
import { best, scoreOf, weightOf } from '../../search/ranking.ts';
import { type QueryWord, queryWords, wordsOf } from '../../search/words.ts';
import type { SqlRow } from '../driver.ts';
import { matchPhrase } from '../match-phrase.ts';
import { everywhere, searchRange, seqOfKey, sessionOfKey } from '../search-key.ts';
import type { Statements } from '../statements.ts';
import { type Conditions, messagesOf } from './row-filter.ts';

interface Match {
  /** Its row in the index. */
  place: number;
  score: number;
}

/** A word of the query, how many messages have it, and how telling that makes it. */
interface Sought {
  readonly word: QueryWord;
  readonly having: number;
  readonly weight: number;
}

const matching = 'SELECT rowid AS place FROM search WHERE search MATCH ? AND rowid BETWEEN ? AND ?';
/** Those of one owner: what others wrote neither counts nor takes the place of what is theirs. */
const owned = `SELECT place FROM (${matching} ORDER BY rowid DESC LIMIT ${limits.search_scan_rows})
  WHERE ${sessionOfKey('place')} IN (SELECT key FROM session WHERE workspace_id = ? AND owner_id = ?)`;
const countOf = (found: string) => `SELECT count(*) AS n FROM (${found} LIMIT ${limits.search_word_rows})`;
const newestOf = (found: string) =>
  `SELECT json_group_array(place - ?) AS places FROM (${found} ORDER BY place DESC LIMIT ?)`;

/** Where to look: a range of the index, of which only what one owner has, where there is one. */
interface Place {
  readonly first: number;
  readonly last: number;
  /** Workspace and owner. */
  readonly whose: readonly [string, string] | null;
  /** About how many messages may be there. */
  readonly messages: number;
}

/** Nothing changed it or took it back since. */
const stands = ` AND NOT EXISTS (SELECT 1 FROM transcript AS later WHERE later.session = transcript.session
  AND later.item_id = transcript.item_id AND later.item_type IN ('message.edited', 'message.deleted')
  AND later.seq > transcript.seq)`;

/**
 * Finds messages by words in bounded work: the rarest words lead to candidates, the best of which are read and ranked in
 * full. No step takes long, and between two of them the time is looked at.
 */
export class TranscriptFinder {
  readonly #sql: Statements;
  readonly #now: () => number;

  constructor(sql: Statements, now: () => number) {
    this.#sql = sql;
    this.#now = now;
  }

  find(search: TranscriptSearch): { keys: number[]; total: number } {
    const until = this.#now() + limits.search;
    const check = () => {
      if (this.#now() > until) throw searchTooLong();
    };
    const place = this.#place(search);
    if (place === null) return { keys: [], total: 0 };
    const sought = this.#seek(queryWords(search.query), place, check);
    const matches = best(this.#candidates(sought, place, check), limits.search_rows);
    const rows = this.#allowed(matches, search, check);
    return { keys: this.#ranked(rows, sought, search.limit, check), total: rows.length };
  }

  /** Null: there is no such session. */
  #place({ session_id, workspace_id, owner_id }: TranscriptSearch): Place | null {
    const whose = owner_id === undefined ? null : ([workspace_id, owner_id] as const);
    if (session_id === undefined) {
      const messages = Number(this.#sql.get('SELECT max(key) AS n FROM transcript')?.n ?? 0);
      return { ...everywhere, whose, messages };
    }
    const session = this.#sql.get('SELECT key, last_seq FROM session WHERE id = ?', session_id);
    if (session === undefined) return null;
    return { ...searchRange(Number(session.key)), whose, messages: Number(session.last_seq) };
  }

  /** Words that occur, the rarest first. */
  #seek(words: QueryWord[], { first, last, whose, messages }: Place, check: () => void): Sought[] {
    const sought: Sought[] = [];
    const count = countOf(whose === null ? matching : owned);
    for (const word of words) {
      check();
      const having = Number(this.#sql.get(count, matchPhrase(word), first, last, ...(whose ?? []))?.n ?? 0);
      if (having > 0) sought.push({ word, having, weight: weightOf(having, messages) });
    }
    return sought.sort((a, b) => a.having - b.having);
  }

  /**
   * Messages that have any of the words. What most have leads nowhere: when the rarer words lead to enough, the common
   * ones are only compared, and else to the newest that have them.
   */
  #candidates(sought: readonly Sought[], { first, last, whose }: Place, check: () => void): Match[] {
    const newest = newestOf(whose === null ? matching : owned);
    const scores = new Map<number, number>();
    let room: number = limits.search_rows;
    for (const { word, weight, having } of sought) {
      const isCommon = having === limits.search_word_rows;
      if (room <= 0 || (isCommon && scores.size >= limits.search_candidates)) break;
      check();
      const found = this.#sql.get(newest, first, matchPhrase(word), first, last, ...(whose ?? []), room);
      const places: number[] = JSON.parse(String(found?.places));
      for (const place of places) scores.set(place, (scores.get(place) ?? 0) + weight);
      room -= places.length;
    }
    return Array.from(scores, ([place, score]) => ({ place: place + first, score }));
  }

  /** The best matches that lie within the search, as far as they are worth a closer look. */
  #allowed(matches: readonly Match[], search: TranscriptSearch, check: () => void): number[] {
    const conditions = messagesOf(search.where);
    const allowed: number[] = [];
    for (let at = 0; at < matches.length && allowed.length < search.limit * 2; at += limits.search_candidates) {
      check();
      const keys = matches.slice(at, at + limits.search_candidates).map(({ place }) => place);
      allowed.push(...this.#filter(keys, search, conditions));
    }
    return allowed;
  }

  #filter(
    keys: readonly number[],
    { workspace_id, owner_id, current = false }: TranscriptSearch,
    { sql, values }: Conditions,
  ): number[] {
    const found = this.#sql.all(
      // From the few to what they name, whatever index of sessions there is: the other way all messages would be read.
      `SELECT candidate.value AS key FROM json_each(?) AS candidate
        CROSS JOIN transcript ON transcript.session = ${sessionOfKey('candidate.value')}
          AND transcript.seq = ${seqOfKey('candidate.value')}
        CROSS JOIN session ON session.key = transcript.session
        WHERE session.workspace_id = ?${owner_id === undefined ? '' : ' AND session.owner_id = ?'}${current ? stands : ''}
          AND NOT EXISTS (SELECT 1 FROM tombstone WHERE tombstone.session = session.key)${sql}`,
      JSON.stringify(keys),
      workspace_id,
      ...(owner_id === undefined ? [] : [owner_id]),
      ...values,
    );
    const among = new Set(found.map((row) => Number(row.key)));
    return keys.filter((key) => among.has(key));
  }

  /** By bm25 over all words of the query. */
  #ranked(keys: readonly number[], sought: readonly Sought[], limit: number, check: () => void): number[] {
    const query = new Map(sought.map(({ word, weight }) => [word, weight]));
    const matches: Match[] = [];
    for (const row of this.#texts(keys.slice(0, Math.max(limit * 2, limits.search_top_k)))) {
      check();
      matches.push({ place: Number(row.key), score: scoreOf(wordsOf(String(row.text)), query) });
    }
    return best(matches, limit).map(({ place }) => place);
  }

  #texts(keys: readonly number[]): SqlRow[] {
    return this.#sql.all(
      `SELECT candidate.value AS key, substr(content, 1, ${limits.search_chars}) AS text FROM json_each(?) AS candidate
        JOIN transcript ON transcript.session = ${sessionOfKey('candidate.value')}
          AND transcript.seq = ${seqOfKey('candidate.value')}`,
      JSON.stringify(keys),
    );
  }
}
