import {
  type AgentRunContext,
  ApiError,
  type CapabilityReason,
  type JsonObject,
  type ModelMessage,
  type ModelResource,
  type ModelTool,
  type ToolResource,
  type TranscriptItem,
} from '@rostra/runner-sdk';
import { type ApiAnswers, type TestInput, type TestRun, testHost, testKeep } from '@rostra/runner-sdk/testing';
import { localAgent } from '../src/runner.ts';

export const NOW = Date.UTC(2026, 2, 15, 10);

/** What a model was asked. */
export interface Asked {
  readonly model_id: string;
  readonly messages: ModelMessage[];
  readonly tools: ModelTool[];
  readonly extra_args: JsonObject;
  readonly method: 'models.invoke' | 'models.stream';
}

/** What it does next: says, thinks, calls, or fails, after so many pieces where that is told. */
export interface Line {
  readonly says?: string;
  readonly thinks?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: JsonObject | string }[];
  readonly fails?: ApiError;
  readonly finish?: string;
}

export type Script = (asked: Asked, turn: number) => Line;

export function says(text: string): Line {
  return { says: text };
}

export function calls(...names: readonly (string | [string, JsonObject | string])[]): Line {
  return {
    calls: names.map((each) =>
      typeof each === 'string' ? { name: each, arguments: {} } : { name: each[0], arguments: each[1] },
    ),
  };
}

export function refusal(reason: CapabilityReason, message = 'The model failed (500).'): ApiError {
  const code = reason === 'CONTEXT_OVERFLOW' ? 'payload_too_large' : 'runtime_error';
  return new ApiError(code, message, { details: { reason } });
}

export const usage = { input_tokens: 10, output_tokens: 5 };

/** Lines in their order; the last one again and again. */
export function inTurn(...lines: readonly Line[]): Script {
  return (_asked, turn) => lines[Math.min(turn, lines.length - 1)] ?? {};
}

export function modelResource(model_id: string, metadata: JsonObject = {}): ModelResource {
  const operations: ModelResource['operations'] = ['invoke', 'stream', 'count_tokens'];
  return { model_id, model_type: 'chat', provider: 'test', operations, metadata };
}

export function toolResource(tool_name: string, more: Partial<ToolResource> = {}): ToolResource {
  return {
    tool_name,
    tool_type: 'mcp',
    owner: 'test',
    description: `does ${tool_name}`,
    parameters: { type: 'object', properties: { q: { type: 'string' } } },
    operations: ['detail', 'call'],
    ...more,
  };
}

/** What was said at a place of the transcript. */
export function transcriptItem(seq: number, more: Partial<TranscriptItem>): TranscriptItem {
  return {
    item_id: `i-${seq}`,
    seq,
    cursor: `c-${seq}`,
    conversation_id: 'conversation-1',
    thread_id: null,
    run_id: null,
    event_id: `e-${seq}`,
    role: 'user',
    item_type: 'message',
    actor: null,
    content: '',
    attachments: [],
    created_at: seq,
    metadata: {},
    ...more,
  };
}

type Resources = AgentRunContext['resources'];

export interface StageOptions {
  readonly script?: Script;
  readonly resources?: Partial<Resources>;
  readonly api?: ApiAnswers;
  readonly history?: readonly string[];
}

/** Whether a request asks for a summary of what came before. */
export function isSummary({ messages }: Pick<Asked, 'messages'>): boolean {
  return String(messages[0]?.content).includes('memory of a conversation');
}

/** The agent with a scripted model on a test host, which keeps state and history. */
export function stage({ script = inTurn(says('Hello.')), resources = {}, api = {}, history = [] }: StageOptions = {}) {
  const asked: Asked[] = [];
  const keep = testKeep({ history });
  let turns = 0;
  const next = (params: Omit<Asked, 'method'>, method: Asked['method']) => {
    const question = { ...params, method };
    asked.push(question);
    const line = script(question, turns);
    turns += 1;
    return line;
  };
  const answers: ApiAnswers = {
    'models.invoke': (params) => answered(next(whole(params), 'models.invoke')),
    'models.stream': (params, send) => {
      const line = next(whole(params), 'models.stream');
      for (const word of pieces(line.thinks)) send({ reasoning_content: word, is_final: false });
      for (const word of pieces(line.says)) send({ content: word, is_final: false });
      return answered(line);
    },
    'models.count_tokens': (params) => ({ tokens: Math.ceil(JSON.stringify(params.messages).length / 4) }),
    ...api,
  };
  const host = testHost(localAgent({ now: () => NOW }), { api: answers, keep });
  const granted = { ...bare, models: [modelResource('first')], ...resources };
  const run = (input: string | TestInput): TestRun => {
    const given = typeof input === 'string' ? { text: input } : input;
    const state = { ...emptyState, conversation: conversationState(keep.state) };
    return host.run({ ...given, context: { resources: granted, state, ...given.context } });
  };
  return { host, run, asked, keep };
}

const bare: Resources = {
  models: [],
  tools: [],
  knowledge_bases: [],
  artifacts: [],
  storage: { plugin_storage: false, workspace_storage: false, binding_storage: true },
  history: {},
  platform_capabilities: {},
};
const emptyState = { conversation: {}, actor: {}, subject: {}, runner: {}, binding: {} };

/** What a host would inline. */
function conversationState(state: ReadonlyMap<string, unknown>): JsonObject {
  const lead = 'conversation/';
  const own = [...state].filter(([key, value]) => key.startsWith(lead) && value !== null);
  return JSON.parse(JSON.stringify(Object.fromEntries(own.map(([key, value]) => [key.slice(lead.length), value]))));
}

function whole({ model_id, messages, tools = [], extra_args = {} }: JsonParams): Omit<Asked, 'method'> {
  return JSON.parse(JSON.stringify({ model_id, messages, tools, extra_args }));
}

interface JsonParams {
  readonly model_id: string;
  readonly messages: unknown;
  readonly tools?: unknown;
  readonly extra_args?: unknown;
}

function pieces(text = ''): string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

function answered({ says: content = '', thinks, calls: wanted = [], fails, finish = 'stop' }: Line) {
  if (fails !== undefined) throw fails;
  const tool_calls = wanted.map((call, index) => ({ id: `same-${index}`, ...call }));
  return {
    message: {
      role: 'assistant' as const,
      content,
      ...(thinks === undefined ? {} : { reasoning_content: thinks }),
      ...(tool_calls.length > 0 ? { tool_calls } : {}),
    },
    finish_reason: finish,
    usage,
  };
}

/** Everything a model was told, as one text. */
export function told({ messages }: Pick<Asked, 'messages'>): string {
  return messages.map((message) => JSON.stringify(message.content)).join('\n');
}

export function typesOf(run: TestRun): string[] {
  return run.results.map(([, type]) => type);
}
