import type { PayloadOf, SessionMessage, SubtypeOf } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import type { AgentMember } from '@rostra/protocol/session/roster';
import type { AgentAPIError } from '@rostra/protocol/wire/api-error';
import type { Bus } from '../bus/port.ts';

/** The agents that can be in a session: what the SessionManager draws rosters from. */
export interface Roster {
  /** Who is in a session that asks for nobody in particular; the first one is active. */
  readonly default_agents: readonly string[];
  /** Who of them is active; the first one unless told. */
  readonly active?: string | null;
  /** Its policy as the host has it, with `resumable` from the manifest of its runner. */
  find(agent_id: string): AgentMember | undefined;
  /** Whether its runner takes inputs while it is at work; it does unless told. */
  canBeSteered?(agent_id: string): boolean;
}

type Request<S extends SubtypeOf<'CONTROL'>> = Extract<SessionMessage, { event: 'CONTROL'; subtype: S }>;

/**
 * Opens and closes sessions and lets agents in and out, as session runtimes ask it to (SR-H). It keeps nothing of its
 * own: what an agent had in a session comes with the request that brings it back, from the session's own log. So a
 * request that comes twice, or again after a crash in the middle, is answered again; the session takes one answer.
 */
export class SessionManager {
  readonly #bus: Bus;
  readonly #roster: Roster;
  readonly #unsubscribe: () => void;

  constructor(bus: Bus, roster: Roster) {
    this.#bus = bus;
    this.#roster = roster;
    this.#unsubscribe = bus.subscribe('session_manager', (message) => this.onMessage(message));
  }

  onMessage(message: SessionMessage): void {
    if (message.event !== 'CONTROL') return;
    if (message.subtype === 'REQUEST_SESSION_OPEN') this.#open(message);
    if (message.subtype === 'REQUEST_SESSION_CLOSE') this.#answer(message, 'SESSION_CLOSED', {});
    if (message.subtype === 'REQUEST_ADD_AGENT') this.#add(message);
    if (message.subtype === 'REQUEST_REMOVE_AGENT') {
      const { agent_id, attempt } = message.payload;
      this.#answer(message, 'REMOVE_AGENT_DONE', { agent_id, attempt });
    }
  }

  /** An agent that was here before comes back as it left; what the invitation itself asks for goes first. */
  #add(message: Request<'REQUEST_ADD_AGENT'>): void {
    const { agent_id, preferences, had } = message.payload;
    const member = this.#roster.find(agent_id);
    if (member === undefined) {
      this.#answer(message, 'ADD_AGENT_FAILED', { error: unknownAgent(agent_id) });
      return;
    }
    const wishes = Object.entries(preferences ?? {}).filter(([, value]) => value !== undefined);
    // Whether it can be resumed is its runner's word of today, and so is whether it can be steered.
    const { resumable } = member.policy;
    const wished = { ...member.policy, ...had, ...Object.fromEntries(wishes), resumable };
    const policy = { ...wished, steering: wished.steering && (this.#roster.canBeSteered?.(agent_id) ?? true) };
    this.#answer(message, 'ADD_AGENT_DONE', { agent_id, policy });
  }

  #open(message: Request<'REQUEST_SESSION_OPEN'>): void {
    const { agents: wanted, active_agent_id } = message.payload;
    const ids = wanted ?? this.#roster.default_agents;
    const agents: AgentMember[] = [];
    for (const id of ids) {
      const member = this.#roster.find(id);
      if (member === undefined) {
        this.#answer(message, 'SESSION_FAILED', { error: unknownAgent(id) });
        return;
      }
      agents.push(member);
    }
    const usual = wanted === null ? this.#roster.active : null;
    const active = active_agent_id ?? usual ?? ids[0] ?? null;
    this.#answer(message, 'SESSION_OPENED', { agents, active_agent_id: active });
  }

  #answer<S extends SubtypeOf<'CONTROL'>>(request: SessionMessage, subtype: S, payload: PayloadOf<'CONTROL', S>): void {
    const envelope = {
      id: `${request.id}:${subtype}`,
      session_id: request.session_id,
      sender: { kind: 'session_manager' as const, id: 'session_manager' },
      target: 'SYSTEM' as const,
      visibility: 'internal' as const,
      ts: request.ts,
      epoch: request.epoch,
      ...(request.tx_id !== undefined && { tx_id: request.tx_id }),
    };
    this.#bus.publish('session', MessageFactory.control(subtype, payload, envelope));
  }

  close(): void {
    this.#unsubscribe();
  }
}

function unknownAgent(agent_id: string): AgentAPIError {
  const message = `there is no agent ${agent_id}`;
  return { code: 'not_found', message, retryable: false, details: { agent_id } };
}
