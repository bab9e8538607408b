import type { ModelConfig } from '@rostra/protocol/config/model-config';
import { ApiError, type ApiErrorCode } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import type { CapabilityReason } from '@rostra/protocol/wire/reason';
import { z } from 'zod';
import { type ModelKey, providers } from './model-key.ts';
import { type ProviderWords, quoted, wordsOf } from './provider-words.ts';
import { retryAfter } from './retry-after.ts';

/** Whose call failed. */
export interface CalledModel {
  readonly model_id: string;
  readonly config: ModelConfig;
  readonly key: ModelKey;
  /** Where it is reached, without anything secret. */
  readonly origin: string;
}

/** A call to a provider that failed; whether it is worth to make it again, and when. */
export interface ProviderFailure {
  readonly error: ApiError;
  readonly repeatable: boolean;
  /** Milliseconds that the provider asked for. */
  readonly wait: number | null;
}

interface Verdict {
  readonly code: ApiErrorCode;
  readonly reason: CapabilityReason;
  readonly sentence: string;
  readonly hint: string;
  readonly retryable?: boolean;
}

const overflowCodes = new Set(['context_length_exceeded', 'exceed_context_size_error', 'request_too_large']);
const keyCodes = new Set(['invalid_api_key', 'authentication_error', 'API_KEY_INVALID', 'UNAUTHENTICATED']);
/** Rate limits that no waiting lifts. */
const quotaCodes = new Set(['insufficient_quota', 'billing_error']);
/** What is answered with 200 and then turns out to be too busy. */
const busyCodes = new Set(['overloaded_error', 'rate_limit_error', 'server_error', 'api_error', 'UNAVAILABLE']);
/** The one thing that several providers tell in words only. */
const overflowWords =
  /prompt is too long|input token count.*exceeds|maximum context length|context (window|size|length)/i;
/** How far into a message they are looked for: whoever sent it may have made it to be long. */
const READ_CHARS = 2000;
const repeatableStatus = new Set([408, 409, 429]);
const timeouts = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);

/** What became of a call, for its caller and for whoever repeats it. Never holds a key. */
export function failureOf(error: unknown, called: CalledModel): ProviderFailure {
  if (error instanceof ApiError) return { error, repeatable: false, wait: null };
  const words = wordsOf(error);
  const verdict = verdictOf(error, words, called);
  const { status } = words;
  const wait = retryAfter(words.headers);
  const details: JsonObject = {
    reason: verdict.reason,
    provider: called.config.provider,
    ...(status !== null && status >= 300 && { status }),
    hint: verdict.hint,
    ...(wait !== null && { retry_after_ms: wait }),
  };
  const retryable = verdict.retryable === true;
  const refusal = new ApiError(verdict.code, verdict.sentence, { retryable, details });
  const isTransient = status === null || status >= 500 || repeatableStatus.has(status) || status < 400;
  return { error: refusal, repeatable: retryable && isTransient, wait };
}

/** Nobody waited any longer; or the provider was silent for too long. */
export function silenceFailure({ config, origin }: CalledModel): ApiError {
  const seconds = Math.round(config.timeout / 1000);
  const { label } = providers[config.provider];
  const hint = `Try again, or raise the timeout of the model.`;
  return new ApiError('deadline_exceeded', `${label} at ${origin} said nothing for ${seconds} seconds.`, {
    retryable: true,
    details: { reason: 'MODEL_TIMEOUT' satisfies CapabilityReason, provider: config.provider, hint },
  });
}

/** More than an answer can be: it is not read to its end. */
export function endlessFailure({ config, origin }: CalledModel): ApiError {
  const { label } = providers[config.provider];
  const hint = `Check that ${origin} speaks the interface of ${config.provider}.`;
  return new ApiError('payload_too_large', `${label} at ${origin} gave back more than can be taken.`, {
    details: { reason: 'MODEL_FAILED' satisfies CapabilityReason, provider: config.provider, hint },
  });
}

function verdictOf(error: unknown, words: ProviderWords, called: CalledModel): Verdict {
  const { status, codes } = words;
  const { config, key } = called;
  const { label } = providers[config.provider];
  const has = (known: ReadonlySet<string>) => codes.some((code) => known.has(code));
  const said = quoted(words.message, secretsOf(called));
  const told = said === '' ? '' : `: ${said}`;
  if (status === 401 || status === 403 || has(keyCodes)) {
    const hint = `Check ${key.where}.`;
    const sentence = `${label} refused the key (${status ?? 401}). ${hint}`;
    return { code: 'runtime_error', reason: 'MODEL_KEY_REFUSED', sentence, hint };
  }
  if (
    status === 413 ||
    has(overflowCodes) ||
    (isRefusal(status) && overflowWords.test(words.message.slice(0, READ_CHARS)))
  ) {
    const sentence = `${label} cannot take so much at once (${status ?? 400})${told}.`;
    return { code: 'payload_too_large', reason: 'CONTEXT_OVERFLOW', sentence, hint: 'Send less of the conversation.' };
  }
  if (status === 404) {
    const sentence = `${label} has no model ${config.model} at ${called.origin} (404).`;
    return { code: 'not_found', reason: 'MODEL_NOT_FOUND', sentence, hint: `Check the name of ${called.model_id}.` };
  }
  if (status === 402 || has(quotaCodes)) {
    const sentence = `${label} says that the account has nothing left (${status ?? 429}).`;
    const hint = `Check the plan of the account that ${key.where} belongs to.`;
    return { code: 'rate_limited', reason: 'MODEL_RATE_LIMITED', sentence, hint };
  }
  if (status === 429) {
    const sentence = `${label} is asked too often (429).`;
    return {
      code: 'rate_limited',
      reason: 'MODEL_RATE_LIMITED',
      sentence,
      hint: 'Wait a little and try again.',
      retryable: true,
    };
  }
  if (status === 408 || status === 504) return late(`${label} took too long (${status}).`);
  if (status !== null && status >= 400 && status < 500) {
    return failed(
      `${label} refused the request (${status})${told}.`,
      'Check the options of the model.',
      status === 409,
    );
  }
  if (status !== null && (status >= 500 || status >= 300)) {
    return failed(`${label} failed (${status})${told}.`, 'Try again later, or use another model.', status >= 500);
  }
  if (has(busyCodes) || said !== '')
    return failed(`${label} broke off${told}.`, 'Try again later, or use another model.', true);
  return unanswered(error, called);
}

function isRefusal(status: number | null): boolean {
  return status === null || (status >= 400 && status < 500);
}

/** No answer at all, or one that broke or made no sense. */
function unanswered(error: unknown, { config, origin, ...called }: CalledModel): Verdict {
  const { label } = providers[config.provider];
  const { names, code } = causesOf(error);
  if (code !== null && timeouts.has(code)) return late(`${label} at ${origin} did not answer in time (${code}).`);
  if (code !== null || names.includes('TypeError') || isUnsent(error, names)) {
    const hint = config.base_url === undefined ? 'Check the network.' : `Check that a server runs at ${origin}.`;
    const why = code === null ? '' : ` (${code})`;
    const sentence = `${label} at ${origin} cannot be reached, or broke off${why}.`;
    return { code: 'runtime_error', reason: 'MODEL_UNREACHABLE', sentence, hint, retryable: true };
  }
  if (names.some((name) => inputErrors.has(name))) {
    const words = error instanceof Error ? quoted(error.message, secretsOf({ config, origin, ...called })) : '';
    const hint = 'Leave it out, or use another model.';
    return { code: 'invalid_argument', reason: 'MODEL_FAILED', sentence: `${label} cannot take this: ${words}`, hint };
  }
  if (names.includes('AI_InvalidResponseDataError') || names.includes('UnfinishedAnswer')) {
    return failed(`${label} broke off before its answer was complete.`, 'Try again.', true);
  }
  const hint = `Check that ${origin} speaks the interface of ${config.provider}.`;
  return failed(`${label} at ${origin} gave an answer that makes no sense.`, hint, false);
}

/** An answer that ended without a word that it is over. */
export class UnfinishedAnswer extends Error {
  override readonly name = 'UnfinishedAnswer';
}

/** Errors of the SDK about what it was asked. */
const inputErrors = new Set(['AI_InvalidArgumentError', 'AI_InvalidPromptError', 'AI_UnsupportedFunctionalityError']);

const Cause = z.object({ name: z.string().optional(), code: z.string().optional(), cause: z.unknown().optional() });

/** The names of an error and of what caused it, and the first system code among them. */
function causesOf(error: unknown): { names: string[]; code: string | null } {
  const names: string[] = [];
  let code: string | null = null;
  let next: unknown = error;
  for (let depth = 0; depth < 6 && next instanceof Error; depth += 1) {
    const cause: z.infer<typeof Cause> = Cause.safeParse(next).data ?? {};
    names.push(next.name);
    code ??= cause.code ?? null;
    next = next.cause;
  }
  return { names, code };
}

/** The SDK's own word for a request that got no answer. */
function isUnsent(error: unknown, names: readonly string[]): boolean {
  return names.includes('AI_APICallError') && wordsOf(error).status === null;
}

function failed(sentence: string, hint: string, retryable: boolean): Verdict {
  return { code: 'runtime_error', reason: 'MODEL_FAILED', sentence, hint, retryable };
}

function late(sentence: string): Verdict {
  return { code: 'deadline_exceeded', reason: 'MODEL_TIMEOUT', sentence, hint: 'Try again.', retryable: true };
}

function secretsOf({ config, key }: CalledModel): string[] {
  return [key.value ?? '', ...Object.values(config.headers)].filter((secret) => secret !== '');
}
