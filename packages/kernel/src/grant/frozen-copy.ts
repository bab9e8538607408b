function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const each of Object.values(value)) freeze(each);
  Object.freeze(value);
}

/** A copy of JSON that nobody can change, down to its leaves: what was granted stays, whatever its sources become. */
export function frozenCopy<T>(value: T): T {
  const copy: T = JSON.parse(JSON.stringify(value));
  freeze(copy);
  return copy;
}
