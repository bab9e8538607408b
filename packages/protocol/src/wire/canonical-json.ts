/** The same value gives the same text whatever the order of its keys was: what is hashed, and compared over restarts. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  // Every body of a run passes here: no list of members is made on the way.
  let members = '';
  for (const key of Object.keys(fields).sort()) {
    const member = fields[key];
    if (member === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}
