/**
 * Records by ids of turns and transactions, which are new every time. Without a prototype an object is a table to the
 * engine; any other one would get a shape of its own with every id, and no two of them could be copied the same way.
 */
function tableOf<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  const table: Record<string, T> = Object.create(null);
  for (const id in record) {
    const entry = record[id];
    if (entry !== undefined) table[id] = entry;
  }
  return table;
}

/** The same record with one entry more, or another one in its place. */
export function withEntry<T>(record: Readonly<Record<string, T>>, id: string, entry: T): Record<string, T> {
  const table = tableOf(record);
  table[id] = entry;
  return table;
}

export function withoutEntry<T>(record: Readonly<Record<string, T>>, id: string): Record<string, T> {
  const table = tableOf(record);
  delete table[id];
  return table;
}
