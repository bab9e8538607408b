import type { AgentEventEnvelope } from '@rostra/protocol/runner/run-context';
import { limits } from '@rostra/protocol/wire/limits';
import { quoted } from '../discovery/runner-log.ts';
import type { Failure } from './run-message.ts';

/** Which events an agent answers; a list that is left out takes any. */
export interface EventBinding {
  readonly agent_id: string;
  /** Whole names, or a beginning and a star: `message.*`. */
  readonly event_types: readonly string[];
  readonly sources?: readonly string[] | undefined;
  readonly bot_ids?: readonly string[] | undefined;
}

function matches(pattern: string, event_type: string): boolean {
  return pattern.endsWith('*') ? event_type.startsWith(pattern.slice(0, -1)) : pattern === event_type;
}

function takes(binding: EventBinding, { event, conversation }: AgentEventEnvelope): boolean {
  const { event_types, sources, bot_ids } = binding;
  if (!event_types.some((pattern) => matches(pattern, event.event_type))) return false;
  if (sources !== undefined && !sources.includes(event.source)) return false;
  const bot_id = conversation?.bot_id ?? null;
  return bot_ids === undefined || (bot_id !== null && bot_ids.includes(bot_id));
}

/** The one agent that answers an event; none and several are both an error that says so, never a guess (RP-13.6). */
export function resolveAgent(
  envelope: AgentEventEnvelope,
  bindings: readonly EventBinding[],
): { agent_id: string } | { failure: Failure } {
  const found = [...new Set(bindings.filter((each) => takes(each, envelope)).map(({ agent_id }) => agent_id))];
  const [agent_id] = found;
  if (found.length === 1 && agent_id !== undefined) return { agent_id };
  const event = quoted(envelope.event.event_type.slice(0, limits.agent_id_chars));
  if (agent_id === undefined) {
    const message = `No agent answers the event ${event}.`;
    return { failure: { code: 'agent.not_found', message, retryable: false } };
  }
  const names = found.map((each) => quoted(each.slice(0, limits.agent_id_chars))).join(', ');
  const message = `The event ${event} is bound to ${found.length} agents, and only one may answer it: ${names}.`;
  return { failure: { code: 'agent.ambiguous', message, retryable: false } };
}
