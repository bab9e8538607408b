/**
 * Whether a parsed value nests at most `max` levels. Iterative on purpose: `JSON.parse` accepts what every recursive
 * reader after it, a schema or `JSON.stringify`, dies of.
 */
export function withinDepth(value: unknown, max: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      if (depth >= max) return false;
      for (const child of Object.values(item)) next.push(child);
    }
    level = next;
  }
  return true;
}
