/** The word that was most likely meant: at most a third of its letters wrong; null when none is near. */
export function nearest(word: string, words: Iterable<string>): string | null {
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of words) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Letters to insert, remove, replace or swap with their neighbour. */
function editDistance(a: string, b: string): number {
  let [before, last, row]: [number[], number[], number[]] = [[], [], Array.from({ length: b.length + 1 }, (_, n) => n)];
  for (let i = 1; i <= a.length; i += 1) {
    [before, last, row] = [last, row, [i]];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(change, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) row[j] = Math.min(row[j] ?? 0, (before[j - 2] ?? 0) + 1);
    }
  }
  return row[b.length] ?? 0;
}
