import { cosineDistance, hammingDistance, vectorOf } from '../search/vectors.ts';
import type { Database } from './driver.ts';

/**
 * Gives a connection `vec_distance_cosine`, `vec_distance_hamming` and `vec_bit`: those of sqlite-vec, or the same in
 * plain code, several times slower, wherever it does not load. The library is for few platforms and is not always
 * installed, and there is no telling by what error that shows.
 */
export async function addVectorFunctions(db: Database, load = loadablePath): Promise<'native' | 'plain'> {
  try {
    db.loadExtension(await load());
    return 'native';
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    db.define('vec_distance_cosine', (a, b) => cosineDistance(vectorOf(a), vectorOf(b)));
    db.define('vec_distance_hamming', (a, b) => hammingDistance(a, b));
    db.define('vec_bit', (bits) => bits);
    return 'plain';
  }
}

async function loadablePath(): Promise<string> {
  const { getLoadablePath } = await import('sqlite-vec');
  return getLoadablePath();
}
