type Table<T> = Record<string, T>;

/** Without entries, and of a shape that the engine knows to have none: most of the time that is what there is. */
const nothing: Readonly<Table<never>> = Object.freeze(Object.setPrototypeOf({}, null));

/**
 * Records by ids of turns and transactions, which are new every time. Without a prototype an object is a table to the
 * engine; any other one would get a shape of its own with every id, and no two of them could be copied the same way.
 */
function tableOf<T>(record: Readonly<Table<T>>): Table<T> {
  const table: Table<T> = Object.create(null);
  for (const id in record) {
    const entry = record[id];
    if (entry !== undefined) table[id] = entry;
  }
  return table;
}

/** The same record with one entry more, or another one in its place. */
export function withEntry<T>(record: Readonly<Table<T>>, id: string, entry: T): Table<T> {
  const table = tableOf(record);
  table[id] = entry;
  return table;
}

export function withoutEntry<T>(record: Readonly<Table<T>>, id: string): Table<T> {
  const table = tableOf(record);
  delete table[id];
  for (const _id in table) return table;
  return nothing;
}
