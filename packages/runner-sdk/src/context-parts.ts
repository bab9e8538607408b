import { type ContextPart, wholeContext } from '@rostra/protocol/runner/context-part';
import type { AgentRunContext } from '@rostra/protocol/runner/run-context';
import { type AgentRunRequest, ContextPartParams, type PartedRunRequest } from '@rostra/protocol/runner/wire-params';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { isJsonObject, type Json } from '@rostra/protocol/wire/json';

/**
 * What many runs of this connection are told alike. The host says it once and names it by its place; there are as many
 * places as the protocol has, and the host decides what it puts into one that is taken (RP-4.41).
 */
export class ContextParts {
  readonly #parts = new Map<number, ContextPart>();

  /** False for what is no part; its place is then empty, so that no run gets what stood there before. */
  keep(params: Json | undefined): boolean {
    const told = ContextPartParams.safeParse(params);
    if (told.success) this.#parts.set(told.data.part, frozen(told.data.context));
    else if (isJsonObject(params) && typeof params.part === 'number') this.#parts.delete(params.part);
    return told.success;
  }

  whole({ runner_id, runner_name, part, context }: PartedRunRequest): AgentRunRequest {
    const kept = this.#parts.get(part);
    if (kept === undefined) throw new ApiError('invalid_argument', `This connection was told no part ${part}.`);
    return { runner_id, runner_name, context: wholeContext(kept, context) };
  }
}

/** The same fields of a context that came whole: an author finds out on the first run, and with every host. */
export function sealed(context: AgentRunContext): AgentRunContext {
  frozen(context.delivery);
  frozen(context.resources);
  frozen(context.context.available_apis);
  frozen(context.runtime.static_refs);
  frozen(context.config);
  return context;
}

/** What one run did to it, others would see. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const each of Object.values(value)) frozen(each);
  return Object.freeze(value);
}
