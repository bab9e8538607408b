import { z } from 'zod';
import { JsonObject } from '../wire/json.ts';
import { AgentResources } from './resources.ts';
import {
  AgentRunContext,
  AgentRuntimeContext,
  ContextAccess,
  ContextAPICapabilities,
  DeliveryContext,
  StaticContextRef,
} from './run-context.ts';

/** The minor version of the protocol since which a runner keeps parts of contexts. */
export const PARTS_SINCE = 2;

/** What all runs of one agent revision are told alike: more than half of most contexts. */
export const ContextPart = z.object({
  delivery: DeliveryContext,
  resources: AgentResources,
  available_apis: ContextAPICapabilities,
  static_refs: z.record(z.string(), StaticContextRef),
  config: JsonObject,
});
export type ContextPart = z.infer<typeof ContextPart>;

/** The rest of a context. What was delivered or granted otherwise to this run stands here, and goes before the part. */
export const OwnContext = AgentRunContext.omit({ config: true }).extend({
  delivery: DeliveryContext.optional(),
  resources: AgentResources.optional(),
  context: ContextAccess.omit({ available_apis: true }),
  runtime: AgentRuntimeContext.omit({ static_refs: true }),
});
export type OwnContext = z.infer<typeof OwnContext>;

/** The context that the two are the parts of; field by field, because every run passes here (decision 006). */
export function wholeContext(part: ContextPart, own: OwnContext): AgentRunContext {
  const { context, runtime } = own;
  return {
    run_id: own.run_id,
    trigger: own.trigger,
    event: own.event,
    conversation: own.conversation,
    actor: own.actor,
    subject: own.subject,
    input: own.input,
    delivery: own.delivery ?? part.delivery,
    resources: own.resources ?? part.resources,
    context: {
      conversation_id: context.conversation_id,
      thread_id: context.thread_id,
      latest_cursor: context.latest_cursor,
      event_seq: context.event_seq,
      transcript_seq: context.transcript_seq,
      has_history_before: context.has_history_before,
      inline_policy: context.inline_policy,
      available_apis: part.available_apis,
    },
    state: own.state,
    runtime: {
      host: runtime.host,
      langbot_version: runtime.langbot_version,
      trace_id: runtime.trace_id,
      deadline_at: runtime.deadline_at,
      locale: runtime.locale,
      timezone: runtime.timezone,
      static_refs: part.static_refs,
      metadata: runtime.metadata,
    },
    config: part.config,
    bootstrap: own.bootstrap,
    adapter: own.adapter,
    metadata: own.metadata,
  };
}

/** A context as its part and the rest, which says nothing that the part says. */
export function inParts(whole: AgentRunContext): { part: ContextPart; own: OwnContext } {
  const { delivery, resources, config, context, runtime, ...rest } = whole;
  const { available_apis, ...access } = context;
  const { static_refs, ...ownRuntime } = runtime;
  const part = { delivery, resources, available_apis, static_refs, config };
  return { part, own: { ...rest, context: access, runtime: ownRuntime } };
}
