import { NUL_SHOWN } from '@rostra/kernel/projection/transcript-row';

/** What a statement binds. Anything else is turned into one of these before: drivers disagree on booleans and dates. */
export type SqlValue = string | number | null | Uint8Array;
export type SqlRow = Record<string, SqlValue>;

export interface Statement {
  run(...values: SqlValue[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  get(...values: SqlValue[]): SqlRow | undefined;
  all(...values: SqlValue[]): SqlRow[];
}

/** The part of the `node:sqlite` interface that is used here; `iterate` is not, its errors carry no code. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /** Only on a connection that was opened for it. */
  loadExtension(path: string): void;
  /** A function of bytes for SQL; null is NULL. */
  define(name: string, work: (...values: Uint8Array[]) => number | Uint8Array | null): void;
  /** With the package the file is let go only when the statements are collected, at the latest when the thread ends. */
  close(): void;
}

export interface ConnectOptions {
  readOnly: boolean;
  /** Whether a library may be loaded into it. */
  allowExtension?: boolean;
}

/** A connection as the packages have it. */
interface Connection extends Pick<Database, 'exec' | 'prepare' | 'loadExtension' | 'close'> {
  enableLoadExtension(allow: boolean): void;
  function(name: string, options: { deterministic: boolean }, work: (...values: Uint8Array[]) => SqlValue): void;
}

interface Sqlite {
  DatabaseSync: new (path: string, options: ConnectOptions) => Connection;
}

/** First Node whose own SQLite needs no flag. */
const builtinSince = [22, 13] as const;

async function loadSqlite(): Promise<Sqlite> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const builtin = major > builtinSince[0] || (major === builtinSince[0] && minor >= builtinSince[1]);
  // Both packages type their rows more loosely than this file does.
  const module: unknown = builtin ? builtinSqlite() : await import('@photostructure/sqlite');
  return module as Sqlite;
}

/** Some Nodes warn of it on stderr, as often as it is loaded, whoever reads that. */
function builtinSqlite(): unknown {
  const warn = process.emitWarning;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = warn;
  }
}

/** No bytes, but at an address: without one, some drivers write NULL. */
const noBytes = new Uint8Array(new ArrayBuffer(1), 0, 0);

/**
 * Drivers end a text at its first NUL: what comes after it would be lost, and one id would be taken for another. The
 * values are changed where they stand: a list for each statement of a commit would be made for nothing.
 */
function whole(values: SqlValue[]): SqlValue[] {
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (typeof value === 'string') {
      if (value.includes('\0')) values[index] = value.replaceAll('\0', NUL_SHOWN);
    } else if (typeof value === 'object' && value?.length === 0) values[index] = noBytes;
  }
  return values;
}

class WholeTexts implements Database {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  prepare(sql: string): Statement {
    const statement = this.#db.prepare(sql);
    return {
      run: (...values) => statement.run(...whole(values)),
      get: (...values) => statement.get(...whole(values)),
      all: (...values) => statement.all(...whole(values)),
    };
  }

  /** Nothing else is loaded before or after: a statement of SQL could ask for it otherwise. */
  loadExtension(path: string): void {
    this.#db.enableLoadExtension(true);
    try {
      this.#db.loadExtension(path);
    } finally {
      this.#db.enableLoadExtension(false);
    }
  }

  define(name: string, work: (...values: Uint8Array[]) => number | Uint8Array | null): void {
    this.#db.function(name, { deterministic: true }, work);
  }

  close(): void {
    this.#db.close();
  }
}

/** Node's own SQLite when it has one, else the same interface from a package. */
export async function connect(path: string, options: ConnectOptions): Promise<Database> {
  const { DatabaseSync } = await loadSqlite();
  return new WholeTexts(new DatabaseSync(path, options));
}
