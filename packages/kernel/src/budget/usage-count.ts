import type { ModelPrice, PriceTable } from '@rostra/protocol/config/budget-config';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';

/** Tokens by kind. A kind of which nothing was said is null where it matters: unknown is not none. */
export interface TokenCount {
  readonly model: string | null;
  /** Read at the full price. */
  readonly fresh: number | null;
  /** Read from a cache. */
  readonly cached: number;
  readonly written: number | null;
  /** All of them together. */
  readonly total: number | null;
}

/** What runners call the same thing. */
const names = {
  input: ['input_tokens', 'prompt_tokens'],
  output: ['output_tokens', 'completion_tokens'],
  total: ['total_tokens'],
  /** Part of the input. */
  cached: ['cached_tokens', 'cached_input_tokens'],
  /** Beside the input. */
  cache_read: ['cache_read_input_tokens'],
  cache_written: ['cache_creation_input_tokens'],
} as const;

function number(usage: JsonObject, keys: readonly string[]): number | null {
  for (const key of keys) {
    const value: Json | undefined = Object.hasOwn(usage, key) ? usage[key] : undefined;
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  }
  return null;
}

/** Reads what a runner reports; whatever it does not say stays unknown. */
export function tokenCount(usage: JsonObject): TokenCount {
  const input = number(usage, names.input);
  const written = number(usage, names.output);
  const within = Math.min(number(usage, names.cached) ?? 0, input ?? 0);
  const beside = number(usage, names.cache_read) ?? 0;
  const fresh = input === null ? null : input - within + (number(usage, names.cache_written) ?? 0);
  const cached = within + beside;
  const sum = fresh === null || written === null ? null : fresh + cached + written;
  const model = typeof usage.model === 'string' ? usage.model : null;
  return { model, fresh, cached, written, total: number(usage, names.total) ?? sum };
}

const PER = 1_000_000;

/** Null where the price or a count is not known. */
export function costOf({ model, fresh, cached, written }: TokenCount, prices: PriceTable): number | null {
  const price = priceOf(model, prices);
  if (price === null || fresh === null || written === null) return null;
  return (fresh * price.input + cached * (price.cached ?? price.input) + written * price.output) / PER;
}

function priceOf(model: string | null, prices: PriceTable): ModelPrice | null {
  if (model !== null && Object.hasOwn(prices, model)) return prices[model] ?? null;
  return Object.hasOwn(prices, '*') ? (prices['*'] ?? null) : null;
}
