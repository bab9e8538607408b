import { type AgentParts, usualDelivery } from '@rostra/kernel/context/run-context';
import type { GrantTerms } from '@rostra/kernel/grant/grant';
import type { AgentRunContext, AgentRuntimeContext, ContextAccess } from '@rostra/protocol/runner/run-context';

/** What all runs of one agent are told alike, as JSON: more than half of every context, written once. */
export interface AgentTexts {
  readonly terms: GrantTerms;
  readonly resources: string;
  readonly available_apis: string;
  readonly static_refs: string;
  readonly config: string;
  /** All of it as a ContextPart, for runners that keep it; with how nearly every answer is delivered. */
  readonly part: string;
}

export function agentTexts(terms: GrantTerms, agent: Pick<AgentParts, 'static_refs' | 'config'>): AgentTexts {
  const resources = JSON.stringify(terms.resources);
  const available_apis = JSON.stringify(terms.apis);
  const static_refs = JSON.stringify(agent.static_refs);
  const config = JSON.stringify(agent.config);
  const part =
    `{"delivery":${JSON.stringify(usualDelivery)},"resources":${resources},"available_apis":${available_apis}` +
    `,"static_refs":${static_refs},"config":${config}}`;
  return { terms, resources, available_apis, static_refs, config, part };
}

/** What one run is told, as JSON. */
export interface ContextText {
  /** Without what all runs of its agent are told alike, its id, and what most of them are: delivery and state. */
  readonly own: string;
  whole(): string;
  /** As an OwnContext: for whoever has the part of `texts`. */
  besidePart(): string;
}

/** The fields of an object of JSON, which has some: others stand before and after them. */
function inner(fields: object): string {
  return JSON.stringify(fields).slice(1, -1);
}

type OwnFields = Omit<
  AgentRunContext,
  'run_id' | 'delivery' | 'state' | 'resources' | 'context' | 'runtime' | 'config'
>;

function ownFields(context: AgentRunContext): OwnFields {
  return {
    trigger: context.trigger,
    event: context.event,
    conversation: context.conversation,
    actor: context.actor,
    subject: context.subject,
    input: context.input,
    bootstrap: context.bootstrap,
    adapter: context.adapter,
    metadata: context.metadata,
  };
}

function ownAccess(access: ContextAccess): Omit<ContextAccess, 'available_apis'> {
  return {
    conversation_id: access.conversation_id,
    thread_id: access.thread_id,
    latest_cursor: access.latest_cursor,
    event_seq: access.event_seq,
    transcript_seq: access.transcript_seq,
    has_history_before: access.has_history_before,
    inline_policy: access.inline_policy,
  };
}

function ownRuntime(runtime: AgentRuntimeContext): Omit<AgentRuntimeContext, 'static_refs'> {
  return {
    host: runtime.host,
    langbot_version: runtime.langbot_version,
    trace_id: runtime.trace_id,
    deadline_at: runtime.deadline_at,
    locale: runtime.locale,
    timezone: runtime.timezone,
    metadata: runtime.metadata,
  };
}

/** The context of a run of the agent that `texts` are of. What its event brought makes its resources its own. */
export function contextText(context: AgentRunContext, texts: AgentTexts): ContextText {
  const { run_id, delivery, state } = context;
  const { available_apis, static_refs, config } = texts;
  const resources = context.resources === texts.terms.resources ? null : JSON.stringify(context.resources);
  const fields = inner(ownFields(context));
  const access = inner(ownAccess(context.context));
  const runtime = inner(ownRuntime(context.runtime));
  return {
    own: `{${fields},"context":{${access}},"runtime":{${runtime}}}`,
    whole: () =>
      `{${inner({ run_id, delivery, state })},${fields},"resources":${resources ?? texts.resources}` +
      `,"context":{${access},"available_apis":${available_apis}}` +
      `,"runtime":{${runtime},"static_refs":${static_refs}},"config":${config}}`,
    besidePart: () =>
      `{${inner(delivery === usualDelivery ? { run_id, state } : { run_id, delivery, state })},${resources === null ? '' : `"resources":${resources},`}${fields}` +
      `,"context":{${access}},"runtime":{${runtime}}}`,
  };
}
