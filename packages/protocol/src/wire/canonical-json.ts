/** What JSON writes as it is. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function hasFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The same value gives the same text whatever the order of its keys was: what is hashed, and compared over restarts. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${value.map(canonicalJson).join()}]`;
  if (!hasFields(value)) return JSON.stringify(value) ?? 'null';
  const keys = Object.keys(value);
  if (keys.length === 0) return '{}';
  // Every body of a run passes here: no list of members is made on the way.
  let members = '';
  for (const key of keys.sort()) {
    const member = value[key];
    if (member === undefined) continue;
    members += `${members === '' ? '' : ','}${quoted(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}
