import { limits } from '@rostra/protocol/wire/limits';
import { sketchOf } from '../../search/vectors.ts';
import { firstOfPass, lastOfPass } from '../chunk-key.ts';
import type { SqlRow } from '../driver.ts';
import type { Statements } from '../statements.ts';
import type { Place, PlacedMatch } from './chunk-words.ts';

export interface VectorSearch {
  readonly model_id: string;
  readonly values: Float32Array;
  readonly limit: number;
}

/** Rows of a table within the passes whose vectors are of that model. */
const within = (table: string) => `FROM reachable CROSS JOIN ${table} AS found
    ON found.key BETWEEN ${firstOfPass('?1', 'reachable.pass')} AND ${lastOfPass('?1', 'reachable.pass')}
  WHERE reachable.model = ?2`;
const byDistance = `octet_length(found.embedding) = octet_length(?3)
  ORDER BY distance NULLS LAST, found.key LIMIT ?4`;
const distance = 'vec_distance_cosine(found.embedding, ?3) AS distance';
const nearest = `SELECT found.key, ${distance} ${within('knowledge_vector')} AND ${byDistance}`;
const nearestOf = `SELECT found.key, ${distance} FROM json_each(?1) AS alike
  CROSS JOIN knowledge_vector AS found ON found.key = alike.value WHERE ?2 IS NOT NULL AND ${byDistance}`;
const alike = `SELECT found.key ${within('knowledge_sketch')} AND octet_length(found.bits) = octet_length(?3)
  ORDER BY vec_distance_hamming(vec_bit(found.bits), vec_bit(?3)) LIMIT ${limits.knowledge_vectors_alike}`;

/**
 * By the angle between vectors. Where there are very many, only those are read in full whose signs are the most alike:
 * a thirtieth of the bytes tells nearly all of the nearest.
 */
export function findByVector(sql: Statements, place: Place, { model_id, values, limit }: VectorSearch): PlacedMatch[] {
  const vector = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const having = sql.get('SELECT ifnull(sum(chunks), 0) AS n FROM reachable WHERE model = ?', model_id)?.n ?? 0;
  if (Number(having) <= limits.knowledge_vectors_whole) {
    return decode(sql.all(nearest, place.first, model_id, vector, limit));
  }
  const keys = sql.all(alike, place.first, model_id, sketchOf(values)).map(({ key }) => key);
  return decode(sql.all(nearestOf, JSON.stringify(keys), model_id, vector, limit));
}

/** A vector without a direction is no match. */
function decode(rows: readonly SqlRow[]): PlacedMatch[] {
  return rows.flatMap(({ key, distance: apart }) =>
    typeof apart === 'number' ? [{ place: Number(key), score: 1 - apart }] : [],
  );
}
