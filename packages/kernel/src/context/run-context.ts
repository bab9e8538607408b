import type {
  AgentEventEnvelope,
  AgentRunContext,
  AgentRunState,
  AgentTrigger,
  ConversationContext,
  StaticContextRef,
} from '@rostra/protocol/runner/run-context';
import { buildToolsPrompt } from '@rostra/protocol/runner/tools-prompt';
import type { AgentInput, Resume } from '@rostra/protocol/session/input';
import { isJsonObject, type Json, type JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { HOST_NAME } from '@rostra/protocol/wire/method';
import { CLIENT_TOOL } from '../grant/client-tool.ts';
import type { Grant } from '../grant/grant.ts';
import type { TranscriptPlace } from '../projection/transcript-end.ts';
import { type Inlined, inline, type RecentMessages } from './bootstrap.ts';
import type { BootstrapPlan } from './bootstrap-plan.ts';
import type { RunEntry, RunTrigger } from './event-envelope.ts';
import { sessionKey } from './session-key.ts';
import type { TranscriptCursors } from './transcript-cursor.ts';

/** What all runs of one agent have in common: made once for each of its revisions. */
export interface AgentParts {
  /** Configuration of the agent, as it is; the rest of its binding stays in the host (RP-2.4). */
  readonly config: JsonObject;
  readonly bootstrap: BootstrapPlan;
  readonly static_refs: Record<string, StaticContextRef>;
}

export interface RunContextInput {
  readonly envelope: AgentEventEnvelope;
  /** How the event came in, where its source does not say. */
  readonly entry?: RunEntry | null;
  readonly turn_id: string;
  readonly trace_id: string;
  /** Position of the event in its conversation's log. */
  readonly event_seq: number | null;
  readonly grant: Grant;
  readonly agent: AgentParts;
  /** Milliseconds, like every instant inside the host. */
  readonly deadline_at: number;
  /** The end of the transcript, where the run may read it or gets some of it; null when nobody looked. */
  readonly recent: RecentMessages | null;
  /** Where the transcript ends, when that is known without having read it. */
  readonly end?: TranscriptPlace | null;
  /** How places in this run's conversation are written; without it none is named. */
  readonly cursors?: TranscriptCursors | null;
  readonly state: AgentRunState;
  /** How many keys of a scope are left out of `state`, where there are any. */
  readonly state_omitted?: Readonly<Record<string, number>>;
  readonly resume: Resume | null;
  /** What the host assumes of people who say nothing about it. */
  readonly locale: string | null;
  readonly timezone: string | null;
}

export const emptyState: AgentRunState = { conversation: {}, actor: {}, subject: {}, runner: {}, binding: {} };

const noInput: AgentInput = { text: null, contents: [], attachments: [], message_chain: null };

const sources: readonly AgentTrigger['source'][] = [
  'platform',
  'webui',
  'api',
  'scheduler',
  'system',
  'pipeline_adapter',
  'host_adapter',
];

/** The entry of an event; one that has a name of its own is a platform (RP-4.9). */
function sourceOf(source: string): AgentTrigger['source'] {
  return sources.find((each) => each === source) ?? 'platform';
}

function conversationOf({ scope }: Grant, given: ConversationContext | null): ConversationContext {
  return {
    conversation_id: scope.conversation_id,
    thread_id: scope.thread_id,
    launcher_type: given?.launcher_type ?? null,
    launcher_id: given?.launcher_id ?? null,
    bot_id: scope.bot_id,
    workspace_id: scope.workspace_id,
  };
}

/** How an answer goes back when the event does not say: to whoever follows the session. */
export const usualDelivery: AgentRunContext['delivery'] = {
  surface: 'api',
  reply_target: null,
  supports_streaming: true,
  supports_edit: false,
  supports_reaction: false,
  max_message_size: null,
  platform_capabilities: {},
};

function endOf({ recent, turn_id, end = null }: RunContextInput): TranscriptPlace {
  if (end !== null) return end;
  const has_before = recent?.has_more === true || recent?.rows.some((row) => row.turn_id !== turn_id) === true;
  return { seq: recent?.rows.at(-1)?.seq ?? null, has_before };
}

function contextAccess(input: RunContextInput, inlined: Inlined) {
  const { grant, event_seq, cursors } = input;
  const { scope } = grant;
  const { seq, has_before } = endOf(input);
  return {
    conversation_id: scope.conversation_id,
    thread_id: scope.thread_id,
    latest_cursor: seq === null ? null : (cursors?.seal(seq) ?? null),
    event_seq,
    transcript_seq: seq,
    has_history_before: has_before,
    inline_policy: inlined.policy,
    available_apis: grant.apis,
  };
}

/** A word that the client sends beside its message: for the runner to read, so that only its length matters here. */
function wordOf({ data }: { readonly data: JsonObject }, name: 'locale' | 'timezone'): string | null {
  const said: Json | undefined = data.forwarded_props;
  if (!isJsonObject(said)) return null;
  const word = said[name];
  return typeof word === 'string' && word !== '' && word.length <= limits.locale_chars ? word : null;
}

/** The language of whoever started a run, where they said it. */
export function localeOf({ payload }: RunTrigger): string | null {
  return 'data' in payload ? wordOf(payload, 'locale') : null;
}

/** Only what a runner needs to go on: where the message stands is the host's own business. */
function metadataOf(resume: Resume | null): JsonObject {
  if (resume === null) return {};
  const { attempt, said, interaction_answer } = resume;
  return { resume: interaction_answer === undefined ? { attempt, said } : { attempt, said, interaction_answer } };
}

/** The tools of the run's client in words (RA-3.2); nothing without any. */
function toolsPrompt({ resources }: Grant): JsonObject {
  const own = resources.tools.filter(({ tool_type }) => tool_type === CLIENT_TOOL);
  if (own.length === 0) return {};
  const tools = own.map(({ tool_name, description, parameters }) => {
    return { name: tool_name, description: description ?? '', parameters };
  });
  return { tools_prompt: buildToolsPrompt(tools) };
}

/** Where the runner may keep what belongs together, and what of its state it has to ask for (RP-4.40). */
function runtimeMetadata({ grant, state_omitted = {} }: RunContextInput): JsonObject {
  const metadata = { session_key: sessionKey(grant), ...toolsPrompt(grant) };
  return Object.keys(state_omitted).length === 0 ? metadata : { ...metadata, state_omitted };
}

/** What one run receives: the event, its input, its grant and its handles; history only by plan (RP-4.3, CX-2.1). */
export function buildRunContext(input: RunContextInput): AgentRunContext {
  const { envelope, grant, agent, locale, timezone, entry = null } = input;
  const { event } = envelope;
  const inlined = inline(agent.bootstrap, input.recent, input.turn_id, input.state, input.cursors ?? null);
  return {
    run_id: grant.run_id,
    trigger: { type: event.event_type, source: entry?.source ?? sourceOf(event.source), timestamp: event.event_time },
    event,
    conversation: conversationOf(grant, envelope.conversation),
    actor: envelope.actor,
    subject: envelope.subject,
    // An event that is no message says nothing: no text is made of it.
    input: envelope.input ?? noInput,
    delivery: envelope.delivery ?? usualDelivery,
    resources: grant.resources,
    context: contextAccess(input, inlined),
    state: input.state,
    runtime: {
      host: HOST_NAME,
      langbot_version: null,
      trace_id: input.trace_id,
      deadline_at: input.deadline_at / 1000,
      locale: wordOf(event, 'locale') ?? locale,
      timezone: wordOf(event, 'timezone') ?? timezone,
      static_refs: agent.static_refs,
      metadata: runtimeMetadata(input),
    },
    config: agent.config,
    bootstrap: inlined.bootstrap,
    adapter: entry?.adapter ?? null,
    metadata: metadataOf(input.resume),
  };
}
