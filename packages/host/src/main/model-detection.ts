import { connect } from 'node:net';
import { ModelConfig, ModelId, ModelProvider } from '@rostra/protocol/config/model-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { z } from 'zod';
import type { SourcedModel } from '../capabilities/models/model-source.ts';
import type { Environment } from './settings.ts';

/** A model that this machine has, and what told us of it. */
export interface DetectedModel {
  readonly model_id: string;
  readonly model: SourcedModel;
  /** A variable, or an address. */
  readonly by: string;
}

/** What was found; `note` is a sentence about what was meant to be there and could not be used. */
export interface Detection {
  readonly found: DetectedModel | null;
  readonly note: string | null;
}

/** The models of a server, or why it does not say which it has. */
export type ModelsAnswer = readonly string[] | 'unreachable' | 'refused' | 'silent';

/** Asks a server that speaks OpenAI's interface which models it has. */
export type AskModels = (base_url: string, key: string | null, timeout: number) => Promise<ModelsAnswer>;

export interface Ground {
  readonly env: Environment;
  readonly askModels?: AskModels;
}

interface Hosted {
  readonly provider: ModelProvider;
  readonly variables: readonly string[];
  readonly model: string;
  readonly context_window: number;
  /** The variable for another address, and what such an address ends with. */
  readonly base?: { readonly variable: string; readonly version: string };
}

/** In the order in which keys are looked for. */
const hosted: readonly Hosted[] = [
  {
    provider: 'anthropic',
    variables: ['ANTHROPIC_API_KEY'],
    model: 'claude-sonnet-5',
    context_window: 200_000,
    base: { variable: 'ANTHROPIC_BASE_URL', version: '/v1' },
  },
  { provider: 'openai', variables: ['OPENAI_API_KEY'], model: 'gpt-5.4-mini', context_window: 128_000 },
  {
    provider: 'google',
    variables: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    model: 'gemini-flash-latest',
    context_window: 200_000,
  },
];

const OWN_SERVER: ModelProvider = 'openai-compatible';
/** What a server on one's own machine usually reads at most, unless it was told to read more. */
const OWN_WINDOW = 8192;
const loopback = ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:1234/v1'];
/** Models that write nothing. */
const noWriter = /embed|rerank|whisper|tts|bge-|dall-e|moderation|transcribe|image/i;

/** Looks for a model: what was chosen, then keys, then servers on this machine. Nothing of it is kept. */
export async function detectModel({ env, askModels = modelsOf }: Ground): Promise<Detection> {
  const chosen = chosenModel(env);
  if (chosen !== null) return fromChoice(env, chosen, askModels);
  for (const each of hosted) {
    const variable = each.variables.find((name) => isSet(env, name));
    if (variable === undefined) continue;
    if (each.provider === 'openai' && isSet(env, 'OPENAI_BASE_URL')) return fromBaseUrl(env, null, askModels);
    return { found: fromKey(env, each, variable, each.model), note: null };
  }
  if (isSet(env, 'OPENAI_BASE_URL')) return fromBaseUrl(env, null, askModels);
  return { found: await fromThisMachine(env, askModels), note: null };
}

/** Every key in the environment that a model may be called with, as it is sent: what must not be in a log. */
export function modelKeysIn(env: Environment): string[] {
  return hosted.flatMap(({ variables }) => variables.flatMap((name) => env[name]?.trim() || []));
}

interface Choice {
  readonly provider: ModelProvider;
  readonly model: string;
}

function chosenModel(env: Environment): Choice | null {
  const text = env.ROSTRA_MODEL ?? '';
  if (text === '') return null;
  const at = text.indexOf('/');
  const provider = ModelProvider.safeParse(text.slice(0, Math.max(0, at)));
  const model = text.slice(at + 1);
  if (provider.success && model !== '') return { provider: provider.data, model };
  const known = ModelProvider.options.join(', ');
  throw new ApiError('invalid_argument', `ROSTRA_MODEL must be provider/model, with a provider of ${known}.`, {
    details: { hint: 'Correct the variable, like ROSTRA_MODEL=anthropic/claude-sonnet-5, or unset it.' },
  });
}

async function fromChoice(env: Environment, { provider, model }: Choice, askModels: AskModels): Promise<Detection> {
  if (provider === OWN_SERVER) return fromBaseUrl(env, model, askModels);
  const host = hosted.find((each) => each.provider === provider);
  if (host === undefined) throw new Error(`there is no row for ${provider}`);
  const variable = host.variables.find((name) => isSet(env, name)) ?? host.variables[0] ?? '';
  if (!isSet(env, variable)) {
    const note = `ROSTRA_MODEL chooses ${provider}/${model}, and ${variable} is not set.`;
    return { found: null, note };
  }
  return { found: fromKey(env, host, variable, model), note: null };
}

function fromKey(env: Environment, host: Hosted, key_variable: string, model: string): DetectedModel {
  const { provider, context_window, base } = host;
  const base_url = base === undefined ? '' : addressIn(env, base.variable);
  const address = base_url === '' || base_url.endsWith(base?.version ?? '') ? base_url : base_url + base?.version;
  const config = ModelConfig.parse({ provider, model, context_window, ...(address !== '' && { base_url: address }) });
  return {
    model_id: `${provider}/${model}`,
    model: { config, source: 'detected', key_variable },
    by: key_variable,
  };
}

/** `OPENAI_BASE_URL` makes the key that of another server, which is asked what it has unless that was chosen. */
async function fromBaseUrl(env: Environment, chosen: string | null, askModels: AskModels): Promise<Detection> {
  const base_url = addressIn(env, 'OPENAI_BASE_URL');
  if (base_url === '') {
    if (chosen !== null) {
      const there = await fromThisMachine(env, askModels);
      const own = there?.model.config.base_url;
      if (own !== undefined) return { found: ownServer(own, chosen, own, undefined), note: null };
    }
    return { found: null, note: 'ROSTRA_MODEL chooses openai-compatible, and OPENAI_BASE_URL is not set.' };
  }
  const key = env.OPENAI_API_KEY || null;
  const variable = key === null ? undefined : 'OPENAI_API_KEY';
  const answer = chosen === null ? await askModels(base_url, key, limits.detect_server) : [chosen];
  const model = chosen ?? writerOf(answer);
  if (model !== null) return { found: ownServer(base_url, model, 'OPENAI_BASE_URL', variable), note: null };
  // An address may hold a password, or a key in its query.
  const { origin, pathname } = new URL(base_url);
  return { found: null, note: `${origin}${pathname} (OPENAI_BASE_URL) ${whyNone(answer, key)}` };
}

function whyNone(answer: ModelsAnswer, key: string | null): string {
  const choose = 'choose one by ROSTRA_MODEL=openai-compatible/MODEL.';
  if (answer === 'unreachable') return `cannot be reached; start it before Rostra, correct the address, or ${choose}`;
  if (answer !== 'refused') return `does not say which models it has; ${choose}`;
  return key === null ? 'wants a key; set OPENAI_API_KEY.' : 'refuses the key; correct OPENAI_API_KEY.';
}

/** Without the slash at its end; empty when it is not set. */
function addressIn(env: Environment, variable: string): string {
  const address = (env[variable] ?? '').replace(/\/+$/, '');
  if (address === '' || (/^https?:\/\//.test(address) && URL.canParse(address))) return address;
  throw new ApiError('invalid_argument', `${variable} must be an address like http://127.0.0.1:8000/v1.`, {
    details: { hint: 'Correct the variable, or unset it.' },
  });
}

/** Ollama's own variable is heeded: whoever moved it moved it for everybody. */
async function fromThisMachine(env: Environment, askModels: AskModels): Promise<DetectedModel | null> {
  const moved = ollamaAddress(env.OLLAMA_HOST ?? '');
  const places = moved === null ? loopback : [moved];
  const answers = await Promise.all(places.map((base_url) => askModels(base_url, null, limits.detect_loopback)));
  for (const [n, base_url] of places.entries()) {
    const model = writerOf(answers[n] ?? 'silent');
    if (model !== null) return ownServer(base_url, model, new URL(base_url).host, undefined);
  }
  return null;
}

function ownServer(base_url: string, model: string, by: string, key_variable: string | undefined): DetectedModel {
  const config = ModelConfig.parse({ provider: OWN_SERVER, model, base_url, context_window: OWN_WINDOW });
  return { model_id: `${OWN_SERVER}/${model}`, model: { config, source: 'detected', key_variable }, by };
}

function ollamaAddress(text: string): string | null {
  if (text === '') return null;
  const address = /^https?:\/\//.test(text) ? text : `http://${text}`;
  if (!URL.canParse(address)) return null;
  const { protocol, hostname, port } = new URL(address);
  // What a server binds is no address to call.
  const host = hostname === '0.0.0.0' ? '127.0.0.1' : hostname;
  return `${protocol}//${host}:${port || '11434'}/v1`;
}

function writerOf(answer: ModelsAnswer): string | null {
  if (typeof answer === 'string') return null;
  return answer.find((id) => ModelId.safeParse(id).success && !noWriter.test(id)) ?? null;
}

function isSet(env: Environment, name: string): boolean {
  return (env[name] ?? '').trim() !== '';
}

const ModelList = z.object({ data: z.array(z.object({ id: z.string().min(1).max(256) })) });

const modelsOf: AskModels = async (base_url, key, timeout) => {
  // Where nobody listens that is known at once, and nothing that makes requests need be loaded for it.
  if (!(await isListening(new URL(base_url), timeout))) return 'unreachable';
  const headers: Record<string, string> = key === null ? {} : { Authorization: `Bearer ${key}` };
  try {
    const answer = await fetch(`${base_url}/models`, {
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(timeout),
    });
    if (answer.status === 401 || answer.status === 403) return 'refused';
    const body = ModelList.safeParse(answer.ok ? await answer.json() : null);
    return body.success ? body.data.data.map(({ id }) => id) : 'silent';
  } catch {
    // Whatever listens there, it is no such server.
    return 'silent';
  }
};

function isListening({ hostname, port, protocol }: URL, timeout: number): Promise<boolean> {
  const usual = protocol === 'https:' ? 443 : 80;
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: port === '' ? usual : Number(port), timeout });
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}
