import type { BindingConfig } from '@rostra/protocol/config/entry-config';
import type { EventAccepted, EventSubmission } from '@rostra/protocol/run-api/event-submission';
import { messageReceived } from '@rostra/protocol/session/event-name';
import type { TurnEvent, UserInputPayload } from '@rostra/protocol/session/input';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { AgentCatalog } from '../discovery/agent-catalog.ts';
import type { Clock } from '../session/clock.ts';
import type { Principal, SessionGateway } from '../session/session-gateway.ts';
import { sessionIdOf } from '../session/session-id.ts';
import type { ArtifactStore } from '../store/ports/artifact.ts';
import { derivedId } from './derived-id.ts';
import { type EntryBinding, resolveBinding } from './entry-binding.ts';
import { contentHash, type EntryEvent, type EntryOrigin, SYSTEM } from './entry-event.ts';
import { discardFiles, type KeptFiles, keepFiles } from './kept-files.ts';
import { checkSubmission, entryEventOf } from './submission.ts';

export interface EventGatewayOptions {
  readonly sessions: Pick<SessionGateway, 'submitEvent' | 'findEvent'>;
  readonly artifacts: Pick<ArtifactStore, 'create' | 'get' | 'delete'>;
  readonly agents: Pick<AgentCatalog, 'find'>;
  readonly clock: Pick<Clock, 'now'>;
  /** As they are now. */
  bindings(): readonly BindingConfig[];
  /** Who else is in a new session in which somebody speaks. */
  roster(): readonly string[];
}

/** The way in for every event: one agent by one binding, one session, one turn, however often it is told. */
export class EventGateway {
  readonly #options: EventGatewayOptions;
  /** Events on their way in: a repeat that comes meanwhile waits for what becomes of the first. */
  readonly #underway = new Map<string, Promise<unknown>>();

  constructor(options: EventGatewayOptions) {
    this.#options = options;
  }

  /** An event that a client sent. The same one again gets the same answer; another one under its id is refused. */
  async accept(submission: EventSubmission, principal: Principal): Promise<EventAccepted> {
    checkSubmission(submission, principal);
    const event = entryEventOf(submission);
    const isMessage = event.envelope.event.event_type === messageReceived;
    const origin: EntryOrigin = { entry: 'api', principal, speaker: isMessage ? null : SYSTEM };
    return this.take(event, origin, () => resolveBinding(event.envelope, this.#options.bindings()));
  }

  /** `binding` is asked for only if the event is new: a repeat is answered as it was, whatever is bound by now. */
  async take(event: EntryEvent, origin: EntryOrigin, binding: () => EntryBinding): Promise<EventAccepted> {
    const { principal, entry } = origin;
    const { event_id } = event.envelope.event;
    const turn_id = derivedId('turn', entry, principal.workspace_id, principal.user_id, event_id);
    const earlier = this.#underway.get(turn_id);
    const taken = (async () => {
      await earlier;
      return this.#take(event, origin, turn_id, binding);
    })();
    const settled = taken.then(
      () => undefined,
      () => undefined,
    );
    this.#underway.set(turn_id, settled);
    try {
      return await taken;
    } finally {
      if (this.#underway.get(turn_id) === settled) this.#underway.delete(turn_id);
    }
  }

  async #take(
    event: EntryEvent,
    origin: EntryOrigin,
    turn_id: string,
    resolve: () => EntryBinding,
  ): Promise<EventAccepted> {
    const { sessions } = this.#options;
    const { event_id } = event.envelope.event;
    const payload_hash = contentHash(event);
    const known = await sessions.findEvent(turn_id);
    if (known !== null) {
      if (known.payload_hash !== payload_hash || origin.entry === 'webhook') throw taken(origin.entry);
      const { session_id, agent_id, created_at } = known;
      return { event_id, session_id, task_id: turn_id, agent_id, created: new Date(created_at).toISOString() };
    }
    const binding = resolve();
    const { agent_id } = binding;
    this.#checkAgent(binding);
    const session_id = sessionOf(event, origin, binding);
    const { thread_id = null, bot_id = null } = event.envelope.conversation ?? {};
    const place = { turn_id, session_id, workspace_id: origin.principal.workspace_id, thread_id, bot_id };
    const kept = await keepFiles(this.#options, event, place);
    try {
      const payload = payloadOf(event, binding, kept, payload_hash);
      checkSize(payload);
      const { created_at } = await sessions.submitEvent({
        session_id,
        principal: origin.principal,
        speaker: origin.speaker,
        message_id: `event:${turn_id}`,
        turn_id,
        payload,
        open: { agents: this.#opened(event, binding), active_agent_id: agent_id },
      });
      return { event_id, session_id, task_id: turn_id, agent_id, created: new Date(created_at).toISOString() };
    } catch (error) {
      // After a fault nobody knows whether it was taken: it is sent again, and finds what it brought.
      if (error instanceof ApiError && error.code !== 'runtime_error') await discardFiles(this.#options, kept);
      throw error;
    }
  }

  /** Who is in the session if the event opens it. */
  #opened({ envelope }: EntryEvent, { id, agent_id }: EntryBinding): string[] {
    const isSpoken = envelope.event.event_type === messageReceived;
    const others = isSpoken && id !== null ? this.#options.roster().filter((each) => each !== agent_id) : [];
    return [agent_id, ...others].slice(0, limits.roster);
  }

  #checkAgent({ id, lent_id, agent_id }: EntryBinding): void {
    if (this.#options.agents.find(agent_id, id ?? lent_id) !== null) return;
    throw new ApiError('not_found', 'the agent that is bound to this event is not there', {
      details: { agent_id, hint: 'Name an agent of this host in the binding.' },
    });
  }
}

/** A delivery is signed for one time only; whoever sends an event under a name is told that the name is used. */
function taken(entry: EntryOrigin['entry']): ApiError {
  const [message, hint] =
    entry === 'webhook'
      ? ['this delivery was taken already', 'Sign a new delivery with the time of its sending.']
      : ['this event_id was used for another event', 'Choose a new event_id for a new event.'];
  return new ApiError('invalid_argument', message, { details: { reason: 'CONFLICT', hint } });
}

/** Whose it is, is part of every session's name: nobody enters a session of somebody else by naming its conversation. */
function sessionOf({ envelope }: EntryEvent, { principal }: EntryOrigin, binding: EntryBinding): string {
  const { event, conversation } = envelope;
  const { session, id, agent_id } = binding;
  if (session !== 'conversation' && session !== 'event') return sessionIdOf(session);
  const whose = ['session', principal.workspace_id, principal.user_id, id, agent_id];
  if (session === 'event') return derivedId(...whose, 'event', event.event_id);
  const { conversation_id = null, launcher_type = null, launcher_id = null } = conversation ?? {};
  const { bot_id = null, thread_id = null } = conversation ?? {};
  return derivedId(...whose, event.source, bot_id, conversation_id, launcher_type, launcher_id, thread_id);
}

function conversationOf({ envelope: { conversation } }: EntryEvent): TurnEvent['conversation'] {
  if (conversation === null) return null;
  const { thread_id, launcher_type, launcher_id, bot_id, conversation_id } = conversation;
  // The platform's own name of the conversation is what an answer may have to be sent to.
  return { thread_id, launcher_type, launcher_id: launcher_id ?? conversation_id, bot_id };
}

function payloadOf(
  event: EntryEvent,
  { id, lent_id, agent_id }: EntryBinding,
  kept: KeptFiles,
  payload_hash: string,
): UserInputPayload {
  const binding_id = id ?? lent_id;
  const { envelope, trigger_source, adapter } = event;
  const { event_id, event_type, event_time, source, source_event_type } = envelope.event;
  const input = envelope.input ?? { text: null, contents: [], attachments: [], message_chain: null };
  const isSpoken = event_type === messageReceived;
  return {
    input: {
      text: isSpoken ? input.text : null,
      contents: isSpoken ? [...input.contents, ...kept.contents] : [],
      attachments: [...input.attachments, ...kept.attachments],
      message_chain: isSpoken ? input.message_chain : null,
    },
    mentioned_agent_id: agent_id,
    payload_hash,
    data: {},
    event: {
      event_id,
      event_type,
      event_time,
      source,
      source_event_type,
      raw_ref: kept.raw_ref,
      data: kept.data,
      trigger_source,
      conversation: conversationOf(event),
      actor: envelope.actor,
      subject: envelope.subject,
      delivery: envelope.delivery,
      adapter,
      ...(binding_id !== undefined && { binding_id }),
    },
  };
}

/** What goes into the log, and to the runner in one piece, is no larger than what a person may send. */
function checkSize(payload: UserInputPayload): void {
  const bytes = Buffer.byteLength(JSON.stringify(payload));
  if (bytes <= limits.run_body_bytes) return;
  throw new ApiError('payload_too_large', 'the event is too large without its raw payload', {
    details: { limit_bytes: limits.run_body_bytes, hint: 'Send what is large as `raw`: it is kept as an artifact.' },
  });
}
