import type { ModelProvider } from '@rostra/protocol/config/model-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { CapabilityReason } from '@rostra/protocol/wire/reason';
import type { SourcedModel } from './model-source.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What people call a provider, and the variables that may hold its key, the better known one first. */
export const providers: Readonly<Record<ModelProvider, { label: string; variables: readonly string[] }>> = {
  openai: { label: 'OpenAI', variables: ['OPENAI_API_KEY'] },
  anthropic: { label: 'Anthropic', variables: ['ANTHROPIC_API_KEY'] },
  google: { label: 'Google', variables: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'] },
  'openai-compatible': { label: 'The OpenAI-compatible server', variables: [] },
};

const keyMissing: CapabilityReason = 'MODEL_KEY_MISSING';
const keyRefused: CapabilityReason = 'MODEL_KEY_REFUSED';

/** The key of a model, and where a person would change it. */
export interface ModelKey {
  readonly value: string | null;
  /** `ANTHROPIC_API_KEY`, or the words for a key that stands with the model. */
  readonly where: string;
}

/**
 * Reads the key when it is needed. A model that was described at run time and has an address of its own gets no key of
 * the environment: whoever may describe models must not thereby be able to send it anywhere.
 */
export function keyOf(
  model_id: string,
  { config, source, key_variable }: SourcedModel,
  environment: Environment,
): ModelKey {
  const { provider, api_key, base_url } = config;
  const own = `the api_key of ${model_id}`;
  const variables = key_variable === undefined ? providers[provider].variables : [key_variable];
  const isReachable = source !== 'store' || base_url === undefined;
  const variable = isReachable ? variables.find((name) => (environment[name] ?? '').trim() !== '') : undefined;
  const value = api_key ?? (variable === undefined ? undefined : environment[variable]);
  // A key that was found in a variable may stand with the model as well: there is where it is changed.
  const isOwn = !isReachable || (api_key !== undefined && key_variable === undefined);
  const where = (isOwn ? undefined : (variable ?? variables[0])) ?? own;
  if (value !== undefined) return { value: sendable(value.trim(), provider, where), where };
  // Servers of one's own mostly ask for none.
  if (provider === 'openai-compatible') return { value: null, where };
  throw missing(provider, model_id, isReachable ? (variables[0] ?? null) : null);
}

/** What no header can carry would fail later, as something else. */
function sendable(value: string, provider: ModelProvider, where: string): string {
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  const hint = `Check ${where}.`;
  throw new ApiError(
    'runtime_error',
    `${providers[provider].label} cannot be called: its key has letters that no key has. ${hint}`,
    {
      details: { reason: keyRefused, provider, hint },
    },
  );
}

function missing(provider: ModelProvider, model_id: string, variable: string | null): ApiError {
  const { label } = providers[provider];
  const hint = variable === null ? `Give ${model_id} an api_key.` : `Set ${variable}, or give ${model_id} an api_key.`;
  return new ApiError('runtime_error', `There is no key for ${label}. ${hint}`, {
    details: { reason: keyMissing, provider, hint },
  });
}
