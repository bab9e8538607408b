import type { FrontendMessage, MessageAccepted, NewSession } from '@rostra/protocol/run-api/session-api';
import type { PayloadOf, SessionMessage } from '@rostra/protocol/session/message';
import type { Sender } from '@rostra/protocol/session/sender';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { Bus } from '../bus/port.ts';
import type { SessionStore } from '../store/port.ts';
import type { SessionCare } from '../store/ports/session-care.ts';
import type { Clock } from './clock.ts';
import { isGone, refuseDeleted } from './deleted-session.ts';
import type { Ownership } from './driver-start.ts';
import { checkFrontendMessage } from './frontend-message.ts';
import type { Known } from './known-messages.ts';
import type { Outcome, SessionDriver } from './session-driver.ts';
import { asApiError, control, isOwner, type Principal, refusalOf, type SessionGateway } from './session-gateway.ts';
import { isHostId, sessionIdOf } from './session-id.ts';
import type { SessionRuntime } from './session-runtime.ts';

export interface DeskParts {
  readonly runtime: SessionRuntime;
  readonly gateway: Pick<SessionGateway, 'post'>;
  readonly store: Pick<SessionStore, 'readHead'> & { readonly sessions: SessionCare };
  readonly bus: Pick<Bus, 'follow'>;
  readonly clock: Clock;
  /** Ids of sessions, turns and messages that the host itself makes. */
  readonly newId: () => string;
  /** The agents that there are. */
  readonly agents: () => readonly string[];
  /** Rows of deleted sessions are to be removed, in the background. */
  readonly purge: () => void;
}

/** A session that may be read: what its row says of it. */
export type ReadableSession = NonNullable<Awaited<ReturnType<SessionStore['readHead']>>>;

/**
 * Sessions as wholes, for those whose they are.
 *
 * K1. What belongs to somebody else, was deleted or never was looks the same, and is found out the same way.
 * K2. Nothing is answered before what it says is committed.
 */
export class SessionDesk {
  readonly #parts: DeskParts;
  /** Those that are being created: only one request creates a session. */
  readonly #creating = new Set<string>();

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  /** The session, if the caller may see it; 404 otherwise. */
  async find(id: string, principal: Principal): Promise<ReadableSession & { session_id: string }> {
    const session_id = sessionIdOf(id);
    const head = await this.#head(session_id);
    if (head === null || !isOwner(head, principal)) throw noSuchSession();
    return { session_id, ...head };
  }

  async #head(session_id: string): Promise<ReadableSession | null> {
    try {
      return isHostId(session_id) ? await this.#parts.store.readHead(session_id) : null;
    } catch (error) {
      if (isGone(error)) return null;
      throw error;
    }
  }

  /** The same for whoever means to write: of a session of theirs that was deleted they are told that. */
  async #findForWriting(id: string, principal: Principal): Promise<string> {
    const session_id = sessionIdOf(id);
    try {
      return (await this.find(session_id, principal)).session_id;
    } catch (error) {
      throw (await refuseDeleted(this.#parts.store.sessions, session_id, principal)) ?? error;
    }
  }

  /** Creates a session and opens it; gives its id once its agents are there, or that took too long. */
  async create(principal: Principal, { id, agents, activeAgentId, title }: NewSession): Promise<string> {
    const session_id = id === undefined ? this.#parts.newId() : sessionIdOf(id);
    this.#checkAgents(agents ?? [], activeAgentId);
    const { workspace_id, user_id: owner_id } = principal;
    const driver = await this.#driver(session_id, { workspace_id, owner_id }, principal);
    if (!isOwner(driver.ownership, principal)) throw noSuchSession();
    if (!driver.isUntouched || this.#creating.has(session_id)) throw exists();
    const opening = this.#awaitOpen(session_id);
    this.#creating.add(session_id);
    try {
      const wish: PayloadOf<'CONTROL', 'SESSION_OPEN'> = {
        ...(agents !== undefined && { agents }),
        ...(activeAgentId !== undefined && { active_agent_id: activeAgentId }),
      };
      const { publish } = await this.#post(driver, principal, (sender) =>
        control(driver, sender, `open:${this.#parts.newId()}`, 'SESSION_OPEN', wish),
      );
      if (isRefused(publish)) throw refusalOf(publish);
      if (title !== undefined) await this.#parts.store.sessions.rename(session_id, title);
      await opening.opened;
    } finally {
      this.#creating.delete(session_id);
      opening.stop();
    }
    return session_id;
  }

  #checkAgents(agents: readonly string[], active: string | undefined): void {
    const known = this.#parts.agents();
    const wanted = active === undefined ? agents : [...agents, active];
    if (wanted.some((agent_id) => !known.includes(agent_id))) {
      throw new ApiError('not_found', 'there is no such agent', {
        details: { agents: [...known], hint: 'Name some of these agents, or none.' },
      });
    }
    if (agents.length === 0 || active === undefined || agents.includes(active)) return;
    throw new ApiError('invalid_argument', 'activeAgentId: is not one of agents', {
      details: { path: 'activeAgentId', hint: 'Name one of the agents that you name in agents.' },
    });
  }

  /** Listens from now on until the session is open, has failed to open, or the wait has lasted long enough. */
  #awaitOpen(session_id: string): { opened: Promise<void>; stop: () => void } {
    const { bus, clock } = this.#parts;
    let end: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => {
      end = resolve;
    });
    const unfollow = bus.follow(session_id, ({ records }) => {
      const isOver = records.some(
        ({ event, subtype }) =>
          (event === 'EVENT' && subtype === 'SESSION_OPENED') || (event === 'ERROR' && subtype === 'SESSION_FAILED'),
      );
      if (isOver) end();
    });
    const callOff = clock.at(clock.now() + limits.session_open_wait, end);
    return {
      opened,
      stop: () => {
        unfollow();
        callOff();
      },
    };
  }

  /** Null takes the title away. */
  async rename(id: string, principal: Principal, title: string | null): Promise<string> {
    const session_id = await this.#findForWriting(id, principal);
    if (!(await this.#parts.store.sessions.rename(session_id, title))) throw noSuchSession();
    return session_id;
  }

  /** From the answer on it is gone; a run that is at it is ended. */
  async delete(id: string, principal: Principal): Promise<string> {
    const { session_id } = await this.find(id, principal);
    const { store, runtime, clock, purge } = this.#parts;
    const tombstone = { at: clock.now(), why: `user:${principal.user_id}` };
    const isRemoved = await store.sessions.remove(session_id, tombstone);
    runtime.forget(session_id);
    if (!isRemoved) throw noSuchSession();
    purge();
    return session_id;
  }

  /** Hands a message over and says what the session decided (SR-D52). The same message again gets the same answer. */
  async send(id: string, principal: Principal, message: FrontendMessage): Promise<MessageAccepted> {
    const checked = checkFrontendMessage(message);
    const session_id = await this.#findForWriting(id, principal);
    const driver = await this.#driver(session_id, null, principal);
    const turn_id = this.#parts.newId();
    const { publish, known, hasEffect } = await this.#post(driver, principal, (sender) =>
      checked.stamped({ session_id, sender, epoch: driver.epoch }, turn_id),
    );
    const accepted = { id: message.id, sessionId: session_id };
    if (known !== null) return { ...accepted, ...repeated(known, checked.payload_hash) };
    if (isRefused(publish)) throw refusalOf(publish);
    const isIdle = hasEffect !== true || publish.some(({ subtype }) => subtype === 'NO_ACTIVE_SPEAKING');
    return {
      ...accepted,
      outcome: isIdle ? 'ignored' : 'accepted',
      taskId: publish.find((out) => out.turn_id !== undefined)?.turn_id ?? null,
      txId: publish.find((out) => out.tx_id !== undefined)?.tx_id ?? message.tx_id ?? null,
    };
  }

  #post(driver: SessionDriver, principal: Principal, make: (sender: Sender) => SessionMessage): Promise<Outcome> {
    return this.#parts.gateway.post(driver, principal, (sender) => [make(sender)]);
  }

  async #driver(session_id: string, create: Ownership | null, principal: Principal): Promise<SessionDriver> {
    const { runtime, store } = this.#parts;
    try {
      const driver = await new Promise<SessionDriver | null>((resolve, reject) => {
        runtime.withSession(session_id, create, (error, found) => {
          if (error === null) resolve(found);
          else reject(asApiError(error));
        });
      });
      if (driver !== null) return driver;
    } catch (error) {
      if (!isGone(error)) throw error;
    }
    throw (await refuseDeleted(store.sessions, session_id, principal)) ?? noSuchSession();
  }
}

function isRefused(publish: readonly SessionMessage[]): boolean {
  return publish.some(({ event, subtype }) => event === 'ERROR' && subtype === 'REFUSED');
}

/** The same id with other words is a mistake of the client (SR-INV-T8). */
function repeated(known: Known, payload_hash: string | null): Pick<MessageAccepted, 'outcome' | 'taskId' | 'txId'> {
  const isSame = known === true ? payload_hash === null : known.payload_hash === payload_hash;
  if (isSame) return { outcome: 'known', taskId: known === true ? null : known.turn_id, txId: null };
  throw new ApiError('invalid_argument', 'this id was used for another message', {
    details: { reason: 'CONFLICT', hint: 'Choose a new id for a new message.' },
  });
}

/** The same for what never was, what was deleted and what is somebody else's. */
export function noSuchSession(): ApiError {
  return new ApiError('not_found', 'there is no such session');
}

function exists(): ApiError {
  return new ApiError('invalid_argument', 'this session exists already', {
    details: { reason: 'CONFLICT', hint: 'Choose another id, or none.' },
  });
}
