import type { AgentGrants } from '@rostra/protocol/config/agent-config';
import type { BindingConfig, ScheduleConfig, SessionChoice, WebhookConfig } from '@rostra/protocol/config/entry-config';
import type { HostConfig } from '@rostra/protocol/config/host-config';
import type { AgentEventEnvelope } from '@rostra/protocol/runner/run-context';
import { ApiError } from '@rostra/protocol/wire/api-error';

/** Who answers an event, and in which session. What its runs may touch, the catalog knows by its id. */
export interface EntryBinding {
  /** Null for one that was made for a single query: its agent has all that it says. */
  readonly id: string | null;
  /** By which the catalog knows the agent that was made for it; another one may be lent in the same session. */
  readonly lent_id?: string;
  readonly agent_id: string;
  readonly session: SessionChoice;
}

type Entries = Pick<HostConfig, 'bindings' | 'schedules' | 'webhooks'>;
type Answered = Pick<ScheduleConfig | WebhookConfig, 'id' | 'agent' | 'binding' | 'session' | 'grants'>;

function matches(pattern: string, event_type: string): boolean {
  return pattern.endsWith('*') ? event_type.startsWith(pattern.slice(0, -1)) : pattern === event_type;
}

function takes({ events, source, bot }: BindingConfig, { event, conversation }: AgentEventEnvelope): boolean {
  if (!events.some((pattern) => matches(pattern, event.event_type))) return false;
  if (source !== undefined && source !== event.source) return false;
  return bot === undefined || conversation?.bot_id === bot;
}

function entryBinding({ id, agent, session }: BindingConfig): EntryBinding {
  return { id, agent_id: agent, session };
}

/** The one binding that takes an event; none and several are both an error that says so, never a guess (RP-13.6). */
export function resolveBinding(envelope: AgentEventEnvelope, bindings: readonly BindingConfig[]): EntryBinding {
  const found = bindings.filter((each) => takes(each, envelope));
  const [binding] = found;
  const event = JSON.stringify(envelope.event.event_type);
  if (binding === undefined) {
    throw new ApiError('not_found', `no binding takes the event ${event}`, {
      details: { hint: 'Add one under `bindings` whose events, source and bot match it.' },
    });
  }
  if (found.length === 1) return entryBinding(binding);
  const names = found.map(({ id }) => id);
  throw new ApiError('invalid_argument', `${names.length} bindings take the event ${event}, and only one may`, {
    details: { reason: 'CONFLICT', bindings: names, hint: 'Make all but one of these bindings narrower.' },
  });
}

/** The binding of a schedule or a webhook: the one that it names, or one of its own. */
export function bindingOf(
  kind: 'schedule' | 'webhook',
  { id, agent, binding, session }: Answered,
  bindings: readonly BindingConfig[],
): EntryBinding {
  if (agent !== undefined) return { id: `${kind}:${id}`, agent_id: agent, session: session ?? 'conversation' };
  const named = bindings.find((each) => each.id === binding);
  if (named === undefined) {
    throw new ApiError('not_found', `the binding of the ${kind} is not there`, {
      details: { hint: 'Name one of `bindings`, or an agent.' },
    });
  }
  return { ...entryBinding(named), ...(session !== undefined && { session }) };
}

/** What the runs of each binding may touch, by its id. */
export function bindingGrants(
  { bindings, schedules, webhooks }: Entries,
  nothingLess: AgentGrants,
): Map<string, AgentGrants> {
  const own = (kind: string, entries: readonly Answered[]) =>
    entries
      .filter(({ agent }) => agent !== undefined)
      .map(({ id, grants }): [string, AgentGrants] => [`${kind}:${id}`, grants ?? nothingLess]);
  return new Map([
    ...bindings.map(({ id, grants }): [string, AgentGrants] => [id, grants]),
    ...own('schedule', schedules),
    ...own('webhook', webhooks),
  ]);
}
