import { ApiError, type CapabilityReason, failed, type RunFailure, type RunResult } from '@rostra/runner-sdk';
import { ModelFailure } from './model-failure.ts';
import type { UsageCount } from './usage.ts';

const overflow: CapabilityReason = 'CONTEXT_OVERFLOW';
const late: RunFailure = 'deadline_exceeded';
const spent: RunFailure = 'budget_exceeded';
const other: RunFailure = 'runner.error';

/** How a run ends that cannot go on, with what it has used. What is no refusal is a bug, and is thrown. */
export function failureOf(error: unknown, usage: UsageCount): RunResult {
  const refusal = error instanceof ModelFailure ? error.refusal : error;
  if (!(refusal instanceof ApiError)) throw error;
  const { type, data } = failed(codeOf(refusal, error), sentenceOf(refusal), refusal.retryable);
  return { type, data: { ...data, ...usage.told } };
}

function codeOf({ code, details }: ApiError, error: unknown): string {
  const { reason } = details;
  if (reason === spent) return spent;
  if (reason === overflow) return 'context.overflow';
  if (code === 'deadline_exceeded' && reason === undefined) return late;
  if (error instanceof ModelFailure) return 'model.failed';
  if (code === 'invalid_argument') return 'config.invalid';
  return code === 'not_found' ? 'model.missing' : other;
}

/** What a person can do about it stands behind what happened. */
function sentenceOf({ message, details }: ApiError): string {
  const { hint } = details;
  return typeof hint === 'string' && hint !== '' && !message.endsWith(hint) ? `${message} ${hint}` : message;
}
