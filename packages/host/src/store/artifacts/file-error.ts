import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Refusal } from '../refusal.ts';
import { toApiError } from '../refused.ts';

const full: Refusal = {
  reason: 'DISK_FULL',
  message: 'The disk of the data folder is full.',
  retryable: true,
  hint: 'Free some space: the host goes on by itself.',
};
const readonly: Refusal = {
  reason: 'STORE_READONLY',
  message: 'The folder of the artifacts cannot be written.',
  retryable: true,
  hint: 'Check that the disk is mounted for writing and that this user may write the data folder.',
};

/** What the system says about a file, as the store's own refusals. */
const refusals: Readonly<Record<string, Refusal>> = {
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: full,
  EROFS: readonly,
  EACCES: readonly,
  EPERM: readonly,
};

export function errnoOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** Refusals of the file system as the host's own; bugs and refusals that already are the host's pass unchanged. */
export function toFileError(error: unknown): Error {
  if (error instanceof ApiError) return error;
  const code = errnoOf(error);
  if (code === null || !(error instanceof Error)) return error instanceof Error ? error : new Error(String(error));
  if (!('syscall' in error)) return error;
  const failed = `The folder of the artifacts failed with ${code}.`;
  const refusal = toApiError(refusals[code] ?? { reason: 'STORE_FAILED', message: failed, retryable: true });
  refusal.cause = error;
  return refusal;
}
