import { withinDepth } from '@rostra/kernel/run/json-depth';
import { type ApiMethodName, apiMethods } from '@rostra/protocol/api/api-methods';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { CheckedParams } from './api-family.ts';

/** Params that say or carry how much; more than a piece of them is too large, not wrong. */
const sizes: ReadonlySet<PropertyKey> = new Set(['length', 'content_base64', 'value_base64']);

/** A key that some of those who copy an object obey instead of keeping it. */
const TREACHEROUS = '__proto__';

function hasTreacherousKey(value: Json): boolean {
  const left: Json[] = [value];
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    if (typeof item !== 'object' || item === null) continue;
    if (Object.hasOwn(item, TREACHEROUS)) return true;
    for (const child of Object.values(item)) left.push(child);
  }
  return false;
}

function wrong(method: ApiMethodName, what: string, path: string): ApiError {
  return new ApiError('invalid_argument', `The params of ${method} are wrong: ${what}.`, { details: { path } });
}

/** What is wrong with one param, as its schema says. */
interface Issue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly maximum?: number | bigint;
}

function refusal(method: ApiMethodName, issue: Issue | undefined): ApiError {
  const path = issue?.path.map(String).join('.').slice(0, limits.audit_text_chars) ?? '';
  const last = issue?.path.at(-1);
  if (issue?.code === 'too_big' && last !== undefined && sizes.has(last)) {
    const message = `${method}: ${path} is larger than what crosses in one call.`;
    return new ApiError('payload_too_large', message, { details: { path, most: Number(issue.maximum) } });
  }
  const what = (issue?.message ?? 'not what was expected').slice(0, limits.audit_text_chars);
  return wrong(method, path === '' ? what : `${path}: ${what}`, path);
}

/** The params of a call by their schema; what the schema does not name, such as an identity, is left out (RP-8.7). */
export function readParams<M extends ApiMethodName>(method: M, params: Json | undefined): CheckedParams<M> {
  const given = params ?? {};
  if (!withinDepth(given, limits.json_depth)) {
    throw wrong(method, `they nest more than ${limits.json_depth} levels deep`, '');
  }
  if (hasTreacherousKey(given)) throw wrong(method, `${TREACHEROUS} is no name for a key`, '');
  const parsed = apiMethods[method].params.safeParse(given);
  if (!parsed.success) throw refusal(method, parsed.error.issues[0]);
  return parsed.data as CheckedParams<M>;
}
