import { limits } from '@rostra/protocol/wire/limits';
import { chunkWords } from '../../search/chunk-words.ts';
import { best, scoreOf, usualChunkWords, weightOf } from '../../search/ranking.ts';
import { type QueryWord, queryWords } from '../../search/words.ts';
import { passOfKey } from '../chunk-key.ts';
import { matchPhrase } from '../match-phrase.ts';
import type { Statements } from '../statements.ts';

/** Where to look: the stretch of a base, of which only what `reachable` names. */
export interface Place {
  readonly base: number;
  readonly first: number;
  readonly last: number;
  /** Chunks that can be found there. */
  readonly chunks: number;
}

export interface PlacedMatch {
  /** The row of the chunk. */
  place: number;
  score: number;
}

interface Sought {
  readonly word: QueryWord;
  readonly having: number;
  readonly weight: number;
}

export interface WordSearch {
  readonly query: string;
  readonly limit: number;
  /** Throws when the search has taken too long. */
  readonly check: () => void;
}

/** How many times what is wanted is ranked in full. */
const CANDIDATES = 4;

const matching = `SELECT rowid AS place FROM knowledge_words WHERE knowledge_words MATCH ? AND rowid BETWEEN ? AND ?
  AND ${passOfKey('rowid')} IN (SELECT pass FROM reachable)`;
const countOf = `SELECT count(*) AS n FROM (${matching} LIMIT ${limits.search_word_rows})`;
const placesOf = `SELECT json_group_array(place - ?) AS places FROM (${matching} LIMIT ?)`;

/**
 * In bounded work: the rarest words lead to candidates, as many as there is room for; the best of these are read and
 * ranked by bm25 over all words of the query. Words that most chunks have lead nowhere, and are only compared.
 */
export function findByWords(sql: Statements, place: Place, { query, limit, check }: WordSearch): PlacedMatch[] {
  const { first, last, chunks } = place;
  const sought: Sought[] = [];
  for (const word of queryWords(query)) {
    check();
    const having = Number(sql.get(countOf, matchPhrase(word), first, last)?.n ?? 0);
    if (having > 0) sought.push({ word, having, weight: weightOf(having, chunks) });
  }
  sought.sort((a, b) => a.having - b.having);
  const candidates = best(candidatesOf(sql, sought, place, check), limit * CANDIDATES);
  return best(rankedOf(sql, candidates, sought, check), limit);
}

function candidatesOf(sql: Statements, sought: readonly Sought[], place: Place, check: () => void): PlacedMatch[] {
  const { first, last } = place;
  const scores = new Map<number, number>();
  let room: number = limits.search_rows;
  for (const { word, weight } of sought) {
    if (room <= 0) break;
    check();
    const found = sql.get(placesOf, first, matchPhrase(word), first, last, room);
    const places: number[] = JSON.parse(String(found?.places));
    for (const at of places) scores.set(at, (scores.get(at) ?? 0) + weight);
    room -= places.length;
  }
  return Array.from(scores, ([at, score]) => ({ place: at + first, score }));
}

function rankedOf(
  sql: Statements,
  candidates: readonly PlacedMatch[],
  sought: readonly Sought[],
  check: () => void,
): PlacedMatch[] {
  const query = new Map(sought.map(({ word, weight }) => [word, weight]));
  const rows = sql.all(
    `SELECT knowledge_chunk.key, heading, content FROM json_each(?) AS candidate
      CROSS JOIN knowledge_chunk ON knowledge_chunk.key = candidate.value`,
    JSON.stringify(candidates.map(({ place }) => place)),
  );
  check();
  return rows.map(({ key, heading, content }) => {
    const words = chunkWords({ heading: heading === null ? null : String(heading), content: String(content) });
    return { place: Number(key), score: scoreOf(words, query, usualChunkWords) };
  });
}
