import { ApiError, type ModelResource } from '@rostra/runner-sdk';
import type { Settings } from './config.ts';

/** A model that this run may use, and what has to be known of it. */
export interface ChosenModel {
  readonly model_id: string;
  readonly streams: boolean;
  readonly invokes: boolean;
  readonly counts: boolean;
  /** It is handed tools as such; others read of them in words. */
  readonly native_tools: boolean;
  /** Tokens that what it is told may come to, with room left for its answer. */
  readonly room: number;
}

/** For models that do not say: small enough for most, and whoever knows better configures it. */
const WINDOW = 32_000;
const OUTPUT = 4096;
/** Estimates err. */
const SAFETY = 0.95;

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && value > 0 ? value : null;
}

function chosen({ model_id, operations, metadata }: ModelResource, { context_window }: Settings): ChosenModel {
  const window = context_window ?? numberOf(metadata.context_window) ?? WINDOW;
  const output = Math.min(numberOf(metadata.max_output_tokens) ?? OUTPUT, window / 4);
  return {
    model_id,
    streams: operations.includes('stream'),
    invokes: operations.includes('invoke'),
    counts: operations.includes('count_tokens'),
    native_tools: metadata.native_tools !== false,
    room: Math.floor((window - output) * SAFETY),
  };
}

/** The configured model and those in reserve, as far as they are granted; without a word the first that is granted. */
export function chosenModels(granted: readonly ModelResource[], settings: Settings): [ChosenModel, ...ChosenModel[]] {
  const chats = granted.filter(({ model_type, operations }) => {
    const speaks = operations.includes('stream') || operations.includes('invoke');
    return speaks && (model_type === null || model_type === 'chat');
  });
  const wanted = settings.model ?? chats[0]?.model_id;
  const names = [...new Set([...(wanted === undefined ? [] : [wanted]), ...settings.fallback_models])];
  const found = names.flatMap((name) => chats.find(({ model_id }) => model_id === name) ?? []);
  const [first, ...rest] = found.map((resource) => chosen(resource, settings));
  if (first !== undefined) return [first, ...rest];
  throw missing(settings.model);
}

function missing(model: string | null): ApiError {
  const message = model === null ? 'This agent has no model.' : `This agent may not use the model "${model}".`;
  return new ApiError('not_found', message, {
    details: { hint: 'Configure a model for the host, and name it in the agent’s config and grants.' },
  });
}
