import type { LanguageModelV3Usage } from '@ai-sdk/provider';
import type { ModelUsage } from '@rostra/protocol/api/models';

/** Tokens by kind, as far as the provider counted them: what it did not say is absent. Null when it said nothing. */
export function usageOf({ inputTokens, outputTokens }: LanguageModelV3Usage): ModelUsage | null {
  const { total: input, cacheRead, cacheWrite } = inputTokens;
  const { total: output, reasoning } = outputTokens;
  const counted = {
    input_tokens: input,
    output_tokens: output,
    total_tokens: isCount(input) && isCount(output) ? input + output : undefined,
    cached_input_tokens: cacheRead,
    cache_write_input_tokens: cacheWrite,
    reasoning_tokens: reasoning,
  };
  const known = Object.entries(counted).filter((entry): entry is [string, number] => isCount(entry[1]));
  return known.length === 0 ? null : Object.fromEntries(known);
}

export function embeddingUsage(tokens: readonly (number | undefined)[]): ModelUsage | null {
  if (!tokens.every(isCount)) return null;
  const sum = tokens.reduce((all, count) => all + count, 0);
  return { input_tokens: sum, total_tokens: sum };
}

function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value >= 0;
}
