import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Refusal } from '../refusal.ts';
import { toApiError } from '../refused.ts';

const full: Refusal = {
  reason: 'DISK_FULL',
  message: 'The disk of the data folder is full.',
  retryable: true,
  hint: 'Free some space: the host goes on by itself.',
};

/** What the system says about a file, as the store's own refusals. */
function refusalOf(code: string, what: string): Refusal {
  if (['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code)) return full;
  if (!['EROFS', 'EACCES', 'EPERM'].includes(code)) {
    return { reason: 'STORE_FAILED', message: `${what} failed with ${code}.`, retryable: true };
  }
  return {
    reason: 'STORE_READONLY',
    message: `${what} cannot be written.`,
    retryable: true,
    hint: 'Check that the disk is mounted for writing and that this user may write the data folder.',
  };
}

export function errnoOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** Refusals of the file system as the host's own; bugs and refusals that already are the host's pass unchanged. */
export function toFileError(error: unknown, what = 'The folder of the artifacts'): Error {
  if (error instanceof ApiError) return error;
  const code = errnoOf(error);
  if (code === null || !(error instanceof Error)) return error instanceof Error ? error : new Error(String(error));
  if (!('syscall' in error)) return error;
  const refusal = toApiError(refusalOf(code, what));
  refusal.cause = error;
  return refusal;
}
