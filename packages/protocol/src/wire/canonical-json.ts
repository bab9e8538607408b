/** The same value gives the same text whatever the order of its keys was: what is hashed, and compared over restarts. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const members = Object.keys(fields)
    .filter((key) => fields[key] !== undefined)
    .sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonicalJson(fields[key])}`).join()}}`;
}
