import { ApiError, type Json, type JsonObject } from '@rostra/runner-sdk';
import { usual } from './config-form.ts';

/** The configuration of an agent as its runs use it; null where the host's own word or all of the grant holds. */
export interface Settings {
  readonly model: string | null;
  readonly fallback_models: readonly string[];
  readonly prompt: string | null;
  readonly knowledge_bases: readonly string[] | null;
  readonly top_k: number;
  readonly rerank_model: string | null;
  readonly tools: readonly string[] | null;
  readonly parallel_tools: boolean;
  readonly max_iterations: number;
  readonly max_tool_result_chars: number;
  readonly context_window: number | null;
  readonly temperature: number | null;
  readonly show_reasoning: boolean;
  readonly handover_to: readonly string[];
  readonly ask_person: boolean;
}

/** Refuses what it cannot follow: an agent that quietly does something else is worse than one that says so. */
export function settingsOf(config: JsonObject): Settings {
  const whole = (name: 'top_k' | 'max_iterations' | 'max_tool_result_chars') =>
    number(config, name, { ...usual[name], isWhole: true }) ?? usual[name].default;
  return {
    model: text(config, 'model'),
    fallback_models: texts(config, 'fallback_models') ?? [],
    prompt: text(config, 'prompt'),
    knowledge_bases: texts(config, 'knowledge_bases'),
    top_k: whole('top_k'),
    rerank_model: text(config, 'rerank_model'),
    tools: texts(config, 'tools'),
    parallel_tools: flag(config, 'parallel_tools') ?? true,
    max_iterations: whole('max_iterations'),
    max_tool_result_chars: whole('max_tool_result_chars'),
    context_window: number(config, 'context_window', { ...usual.context_window, isWhole: true }),
    temperature: number(config, 'temperature', usual.temperature),
    show_reasoning: flag(config, 'show_reasoning') ?? true,
    handover_to: texts(config, 'handover_to') ?? [],
    ask_person: flag(config, 'ask_person') ?? false,
  };
}

function told(config: JsonObject, name: keyof Settings): Json {
  return Object.hasOwn(config, name) ? (config[name] ?? null) : null;
}

/** A form that was left empty says nothing. */
function text(config: JsonObject, name: keyof Settings): string | null {
  const value = told(config, name);
  if (value === null || value === '') return null;
  return typeof value === 'string' ? value : refuse(name, 'a text');
}

function texts(config: JsonObject, name: keyof Settings): string[] | null {
  const value = told(config, name);
  if (value === null) return null;
  if (!Array.isArray(value)) return refuse(name, 'a list of texts');
  return value.map((each) => (typeof each === 'string' ? each : refuse(name, 'a list of texts')));
}

function flag(config: JsonObject, name: keyof Settings): boolean | null {
  const value = told(config, name);
  if (value === null) return null;
  return typeof value === 'boolean' ? value : refuse(name, 'true or false');
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly isWhole?: boolean;
}

function number(config: JsonObject, name: keyof Settings, { min, max, isWhole = false }: Bounds): number | null {
  const value = told(config, name);
  if (value === null) return null;
  const fits = typeof value === 'number' && value >= min && value <= max && (!isWhole || Number.isInteger(value));
  return fits ? value : refuse(name, `${isWhole ? 'a whole number' : 'a number'} from ${min} to ${max}`);
}

function refuse(name: string, wanted: string): never {
  const message = `The agent’s configuration cannot be used: ${name} must be ${wanted}.`;
  throw new ApiError('invalid_argument', message, { details: { hint: `Correct ${name} in the agent’s config.` } });
}
