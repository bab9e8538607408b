import { WELCOME_EVENT, WELCOME_SESSION_ID } from '@rostra/protocol/run-api/welcome-session';
import type { UserInputPayload } from '@rostra/protocol/session/input';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { SYSTEM, systemActor } from '../entries/entry-event.ts';
import { newId } from '../new-id.ts';
import type { Principal, SessionGateway } from '../session/session-gateway.ts';
import type { SessionCare } from '../store/ports/session-care.ts';
import { localeIn } from './environment-locale.ts';
import type { HostAgents } from './host-agents.ts';
import type { HostLog } from './host-log.ts';

export interface WelcomeParts {
  readonly sessions: Pick<SessionCare, 'cards' | 'list' | 'tombstone' | 'rename'>;
  readonly gateway: Pick<SessionGateway, 'submitEvent'>;
  readonly agents: Pick<HostAgents, 'catalog' | 'default_agents'>;
  readonly owner: Principal;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Pick<HostLog, 'warn' | 'fault'>;
}

const TITLE = 'Welcome';
const GREETER = 'guide';

/**
 * Opens the session "Welcome" on a host that was never used, where the demo's guide greets. Once: whoever deletes it is
 * not greeted again. A start that was cut short in between is made up for by the next one.
 */
export async function welcome(parts: WelcomeParts): Promise<void> {
  const { sessions, log } = parts;
  const agents = rosterOf(parts.agents);
  if (agents === null) return;
  try {
    const [card] = await sessions.cards([WELCOME_SESSION_ID]);
    if (card === undefined) {
      if (!(await isUnused(sessions))) return;
      await greet(parts, agents);
    } else if (card.title !== null || card.turns > 1) return;
    await sessions.rename(WELCOME_SESSION_ID, TITLE);
  } catch (error) {
    // It may be stopped as soon as it is started, and nobody needs to be greeted.
    if (error instanceof ApiError) log.warn('welcome.refused', { text: error.message });
    else log.fault('welcome', error);
  }
}

async function isUnused(sessions: WelcomeParts['sessions']): Promise<boolean> {
  const [any] = await sessions.list({ limit: 1 });
  return any === undefined && (await sessions.tombstone(WELCOME_SESSION_ID)) === null;
}

/** The greeter first, whoever is active elsewhere; null where somebody made an agent of that name, or nobody. */
function rosterOf({ catalog, default_agents }: WelcomeParts['agents']): string[] | null {
  const isDemo = (agent_id: string) => catalog.find(agent_id)?.source === 'demo';
  if (!isDemo(GREETER)) return null;
  const both = [GREETER, 'scout'].filter(isDemo);
  return [...both, ...default_agents.filter((each) => !both.includes(each))].slice(0, limits.roster);
}

async function greet({ gateway, owner, environment }: WelcomeParts, agents: string[]): Promise<void> {
  // Nobody has come yet who could say which language they read.
  const locale = localeIn(environment);
  const data = locale === null ? {} : { forwarded_props: { locale } };
  const turn_id = newId();
  const payload: UserInputPayload = {
    input: { text: null, contents: [], attachments: [], message_chain: null },
    mentioned_agent_id: GREETER,
    data,
    event: {
      event_id: turn_id,
      event_type: WELCOME_EVENT,
      event_time: null,
      source: 'system',
      source_event_type: null,
      raw_ref: null,
      data,
      trigger_source: 'system',
      conversation: null,
      actor: systemActor,
      subject: null,
      delivery: null,
      adapter: null,
    },
  };
  await gateway.submitEvent({
    session_id: WELCOME_SESSION_ID,
    principal: owner,
    speaker: SYSTEM,
    message_id: 'event:welcome',
    turn_id,
    payload,
    open: { agents, active_agent_id: GREETER },
  });
}
