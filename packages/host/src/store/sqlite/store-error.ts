import { CorruptLogError } from '../port.ts';
import { type Refusal, StoreError } from '../refusal.ts';

const busy: Refusal = {
  reason: 'STORE_BUSY',
  message: 'The database is locked by another program.',
  retryable: true,
  hint: 'Close the program that holds the database open (a backup, a database browser).',
};
const readonly: Refusal = {
  reason: 'STORE_READONLY',
  message: 'The database cannot be written.',
  retryable: true,
  hint: 'Check that the disk is mounted for writing and that this user may write the data folder.',
};
const damaged: Refusal = {
  reason: 'STORE_CORRUPT',
  message: 'The database file is damaged.',
  retryable: false,
  hint: 'Stop the host, keep a copy of the data folder and restore a backup.',
};

/** SQLite's primary result codes that have a meaning of their own here. */
const refusals: Record<number, Refusal> = {
  3: readonly,
  5: busy,
  6: busy,
  8: readonly,
  10: { reason: 'STORE_FAILED', message: 'The disk reported an error.', retryable: true },
  11: damaged,
  13: {
    reason: 'DISK_FULL',
    message: 'The disk of the data folder is full.',
    retryable: true,
    hint: 'Free some space: the host goes on by itself.',
  },
  14: { ...readonly, message: 'The database file cannot be opened.' },
  19: { reason: 'STORE_DUPLICATE', message: 'The store already holds a row with this id.', retryable: true },
  26: { ...damaged, message: 'The database file is not a SQLite database.' },
};

/** What our own statements meet in a file that SQLite can read and no Rostra wrote, or whose schema was hit. */
export const foreign: Refusal = {
  ...damaged,
  message: 'The database file does not hold the tables of a Rostra database.',
};

export const SQLITE_ERROR = 1;
export const SQLITE_CORRUPT = 11;

/** SQLite's primary result code, or null for an error that is not SQLite's. */
export function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_SQLITE_ERROR') return null;
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : SQLITE_ERROR;
}

/** A refusal of the database as the host's own error; bugs and refusals that are already the host's pass unchanged. */
export function toStoreError(error: unknown): Error {
  if (error instanceof StoreError || error instanceof CorruptLogError) return error;
  const code = sqliteCode(error);
  if (code === null) return error instanceof Error ? error : new Error(String(error));
  const refusal = refusals[code];
  if (refusal !== undefined) return new StoreError(refusal, error);
  return new StoreError(
    { reason: 'STORE_FAILED', message: `SQLite failed with code ${code}.`, retryable: false },
    error,
  );
}
