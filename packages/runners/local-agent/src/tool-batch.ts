import {
  ApiError,
  type CapabilityReason,
  isJsonObject,
  type Json,
  type JsonObject,
  type ModelMessage,
  type ModelToolCall,
  type RunResult,
  toolCompleted,
  toolFailed,
  toolStarted,
} from '@rostra/runner-sdk';
import { cut } from './cut.ts';
import { patiently } from './patience.ts';
import type { ToolSet } from './tool-set.ts';
import type { TurnRun } from './turn-run.ts';

/** What a call came to: what the model is told of it, and what is shown. */
interface Outcome {
  readonly text: string;
  readonly shown: { readonly result: Json } | { readonly error: string };
  readonly results?: readonly RunResult[];
  readonly ends?: boolean;
}

export interface BatchResult {
  /** In the order of the calls. */
  readonly messages: ModelMessage[];
  /** Nothing is left to be done in this turn but to say so. */
  readonly ends: boolean;
}

const CALLS_MAX = 32;
/** What of a result is shown to people; the host bounds and keeps what is larger. */
const SHOWN_CHARS = 256 * 1024;
const QUOTED_CHARS = 300;
const denied: CapabilityReason = 'TOOL_DENIED';

/**
 * Calls the tools that a model asked for in one message.
 *
 * B1. Results are shown and told in the order of the calls, whichever came first.
 * B2. What goes wrong with a tool is told to the model, and the run goes on (check 93).
 * B3. What is shown as called was granted, and every call that is shown as begun is shown as ended.
 */
export async function* toolBatch(
  run: TurnRun,
  set: ToolSet,
  calls: readonly ModelToolCall[],
): AsyncGenerator<RunResult, BatchResult> {
  const messages: ModelMessage[] = [];
  let ends = false;
  const { parallel_tools } = run.settings;
  const begun: Promise<Outcome>[] = [];
  if (parallel_tools) {
    for (const call of calls) yield* shownStart(run, set, call);
    for (const [index, call] of calls.entries()) begun.push(outcomeOf(run, set, call, index));
    // Whichever is awaited first: none of the others may reject unheard.
    for (const each of begun) each.catch(() => undefined);
  }
  for (const [index, call] of calls.entries()) {
    if (!parallel_tools) yield* shownStart(run, set, call);
    const outcome = await (begun[index] ?? outcomeOf(run, set, call, index));
    yield* shownEnd(run, set, call, outcome);
    yield* outcome.results ?? [];
    messages.push({ role: 'tool', tool_call_id: call.id, name: call.name, content: outcome.text });
    ends ||= outcome.ends === true;
  }
  return { messages, ends };
}

/** Calls of the client's own tools are shown by the host, who asks the client for them. */
function isShown({ granted }: ToolSet, { name }: ModelToolCall): boolean {
  const tool = granted.get(name);
  return tool !== undefined && tool.tool_type !== 'client';
}

function* shownStart(run: TurnRun, set: ToolSet, call: ModelToolCall): Generator<RunResult> {
  if (!isShown(set, call)) return;
  const { type, data } = toolStarted(shownId(run, call), call.name, call.arguments);
  yield { type, data: { ...data, ...run.usage.told } };
}

function* shownEnd(run: TurnRun, set: ToolSet, call: ModelToolCall, { shown }: Outcome): Generator<RunResult> {
  if (!isShown(set, call)) return;
  if ('error' in shown) yield toolFailed(shownId(run, call), call.name, shown.error);
  else yield toolCompleted(shownId(run, call), call.name, shown.result);
}

/** No two calls of a conversation have the same. */
function shownId({ context }: TurnRun, { id }: ModelToolCall): string {
  return `${context.run_id}.${id}`;
}

/** Rejects only when the run is over. */
async function outcomeOf(run: TurnRun, set: ToolSet, call: ModelToolCall, index: number): Promise<Outcome> {
  if (index >= CALLS_MAX) return failedCall(`At most ${CALLS_MAX} tools are called at once; call it again.`);
  const { granted, built_in } = set;
  const { name, arguments: parameters } = call;
  const own = built_in.get(name);
  if (name === '') return failedCall(unreadable(parameters));
  if (own === undefined && !granted.has(name)) return failedCall(`There is no tool "${cut(name, QUOTED_CHARS)}".`);
  if (!isJsonObject(parameters)) return failedCall(brokenArguments(parameters));
  try {
    if (own !== undefined) return ownOutcome(run, await own.call(parameters, run));
    return hostOutcome(run, await called(run, name, parameters));
  } catch (error) {
    if (run.tools.signal.aborted || !(error instanceof ApiError)) throw error;
    return failedCall(sentenceOf(error));
  }
}

async function called({ tools }: TurnRun, tool_name: string, parameters: JsonObject): Promise<Json> {
  const { result } = await patiently(tools, () => tools.api.tools.call({ tool_name, parameters }));
  return result;
}

function hostOutcome({ settings }: TurnRun, result: Json): Outcome {
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  const shown = text.length > SHOWN_CHARS ? cut(text, SHOWN_CHARS) : result;
  return { text: cut(text, settings.max_tool_result_chars), shown: { result: shown } };
}

function ownOutcome({ settings }: TurnRun, answer: Pick<Outcome, 'text' | 'results' | 'ends'>): Outcome {
  return { ...answer, text: cut(answer.text, settings.max_tool_result_chars), shown: { result: null } };
}

function failedCall(error: string): Outcome {
  return { text: `Error: ${error}`, shown: { error } };
}

function brokenArguments(given: Json): string {
  return `The arguments are not a JSON object: ${quoted(given)}\nCall the tool again with arguments that match its schema.`;
}

/** A model that writes its calls into its text can miss more than the arguments. */
function unreadable(written: Json): string {
  return `This call names no tool, or is not written as JSON: ${quoted(written)}\nWrite it again.`;
}

function quoted(given: Json): string {
  return cut(typeof given === 'string' ? given : JSON.stringify(given), QUOTED_CHARS);
}

function sentenceOf({ message, details }: ApiError): string {
  const said = cut(message, 4 * QUOTED_CHARS);
  return details.reason === denied ? `${said} Do not call it again unless the person asks for it.` : said;
}
