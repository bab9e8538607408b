import type { ApiError } from '@rostra/protocol/wire/api-error';

/** A refusal as every command tells one: a sentence and what to do. Machines get it as the API has it, in one line. */
export function errorText(error: ApiError, isJson: boolean): string {
  if (isJson) return JSON.stringify(error);
  const { hint } = error.details;
  return typeof hint === 'string' ? `${error.message}\n→ ${hint}` : error.message;
}
