import type { PayloadOf, SessionMessage, SubtypeOf } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import type { AgentMember } from '@rostra/protocol/session/roster';
import type { AgentAPIError } from '@rostra/protocol/wire/api-error';
import type { Bus } from '../bus/port.ts';

/** The agents that can be in a session: what the SessionManager draws rosters from. */
export interface Roster {
  /** Who is in a session that asks for nobody in particular; the first one is active. */
  readonly default_agents: string[];
  find(agent_id: string): AgentMember | undefined;
}

/** Opens and closes sessions and lets agents in and out, as session runtimes ask it to (SR-H). Answers carry the tx_id. */
export class SessionManager {
  readonly #bus: Bus;
  readonly #roster: Roster;
  readonly #unsubscribe: () => void;

  constructor(bus: Bus, roster: Roster) {
    this.#bus = bus;
    this.#roster = roster;
    this.#unsubscribe = bus.subscribe('session_manager', (message) => this.onMessage(message));
  }

  /** A request that comes twice is answered twice: the session takes one answer per transaction. */
  onMessage(message: SessionMessage): void {
    if (message.event !== 'CONTROL') return;
    if (message.subtype === 'REQUEST_SESSION_OPEN') this.#open(message, message.payload);
    if (message.subtype === 'REQUEST_SESSION_CLOSE') this.#answer(message, 'SESSION_CLOSED', {});
    if (message.subtype === 'REQUEST_ADD_AGENT') {
      const member = this.#roster.find(message.payload.agent_id);
      if (member !== undefined) this.#answer(message, 'ADD_AGENT_DONE', member);
      else this.#answer(message, 'ADD_AGENT_FAILED', { error: unknownAgent(message.payload.agent_id) });
    }
    if (message.subtype === 'REQUEST_REMOVE_AGENT') {
      const { agent_id, attempt } = message.payload;
      this.#answer(message, 'REMOVE_AGENT_DONE', { agent_id, attempt });
    }
  }

  #open(message: SessionMessage, request: PayloadOf<'CONTROL', 'REQUEST_SESSION_OPEN'>): void {
    const ids = request.agents ?? this.#roster.default_agents;
    const agents: AgentMember[] = [];
    for (const id of ids) {
      const member = this.#roster.find(id);
      if (member === undefined) {
        this.#answer(message, 'SESSION_FAILED', { error: unknownAgent(id) });
        return;
      }
      agents.push(member);
    }
    const active_agent_id = request.active_agent_id ?? ids[0] ?? null;
    this.#answer(message, 'SESSION_OPENED', { agents, active_agent_id });
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
