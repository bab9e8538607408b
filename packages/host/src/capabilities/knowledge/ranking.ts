/** The usual constant: how fast places further down count less. */
const FIRST = 60;

/**
 * One order of several: reciprocal rank fusion. Scores of different kinds are of no common measure, places are. Scores
 * of the result are between 0 and 1, which is the first place in every list.
 */
export function fuseRanks(lists: readonly (readonly string[])[]): { id: string; score: number }[] {
  const best = lists.length / (FIRST + 1);
  const scores = new Map<string, number>();
  for (const list of lists) {
    for (const [at, id] of list.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (FIRST + 1 + at) / best);
  }
  return Array.from(scores, ([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score);
}
