import { RostraError } from '@rostra/client';

/** What people are told of something that was thrown; of a refusal also what they can do about it. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const hint = error instanceof RostraError ? error.details.hint : null;
  if (typeof hint !== 'string') return error.message;
  return /[.!?]$/.test(error.message) ? `${error.message} ${hint}` : `${error.message}. ${hint}`;
}
