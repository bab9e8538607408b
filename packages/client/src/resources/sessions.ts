import type { AguiEvent } from '@rostra/protocol/run-api/agui-event';
import type { TranscriptEntry, TranscriptEntryPage } from '@rostra/protocol/run-api/history';
import type { SentBodyOf } from '@rostra/protocol/run-api/operation';
import { sessionOperations } from '@rostra/protocol/run-api/operations/sessions';
import { streamOperations } from '@rostra/protocol/run-api/operations/streams';
import type { MessageAccepted, SessionItem, SessionSnapshot } from '@rostra/protocol/run-api/session-api';
import type { SessionMessage } from '@rostra/protocol/session/message';
import type { JsonObject } from '@rostra/protocol/wire/json';
import type { Caller, CallOptions } from '../caller.ts';
import { EventStream, type StreamOptions } from '../event-stream.ts';
import { newId } from '../new-id.ts';
import { eachOf } from '../pages.ts';
import type { Timing } from '../timing.ts';

/** What a frontend may tell a session: RA-10.4 lists it. */
export interface FrontendWords {
  /** The same message again is known by it; a new one unless given. */
  readonly id?: string;
  readonly event: 'USER_INPUT' | 'CONTROL';
  readonly subtype: string;
  readonly payload?: JsonObject;
  /** CANCEL, INTERRUPT: the turn that is meant. */
  readonly turn_id?: string;
  /** HANDOVER_CONFIRM, HANDOVER_REJECT: the id of the question. */
  readonly tx_id?: string;
}

interface Following extends StreamOptions {
  /** The first record that is shown, for whoever has what came before from the transcript. */
  readonly from?: number | undefined;
}

/** Conversations as wholes: who is in them, what was said, what is under way. */
export class Sessions {
  readonly #caller: Caller;
  readonly #timing: Timing;

  constructor(caller: Caller, timing: Timing) {
    this.#caller = caller;
    this.#timing = timing;
  }

  list(query: { cursor?: string; limit?: number } = {}, options: CallOptions = {}) {
    return this.#caller.call(sessionOperations.listSessions, { query, ...options });
  }

  /** All of them, page by page, the one with the newest message first. */
  each(options: CallOptions = {}): AsyncGenerator<SessionItem, void> {
    return eachOf((page) => this.list(page, options));
  }

  create(body: SentBodyOf<typeof sessionOperations.createSession> = {}): Promise<SessionSnapshot> {
    return this.#caller.call(sessionOperations.createSession, { body });
  }

  /** How a session is, or how it was after record `asOf`. */
  get(sessionId: string, { asOf, ...options }: { asOf?: number } & CallOptions = {}): Promise<SessionSnapshot> {
    const query = asOf === undefined ? {} : { asOf };
    return this.#caller.call(sessionOperations.getSession, { params: { sessionId }, query, ...options });
  }

  /** Null: the beginning of the first message is the title again. */
  rename(sessionId: string, title: string | null): Promise<SessionItem> {
    return this.#caller.call(sessionOperations.renameSession, { params: { sessionId }, body: { title } });
  }

  async delete(sessionId: string): Promise<void> {
    await this.#caller.call(sessionOperations.deleteSession, { params: { sessionId } });
  }

  /** The newest messages unless told; `before` and `after` of a page lead on. */
  transcript(
    sessionId: string,
    query: { before?: string; after?: string; limit?: number } = {},
    options: CallOptions = {},
  ): Promise<TranscriptEntryPage> {
    return this.#caller.call(sessionOperations.readTranscript, { params: { sessionId }, query, ...options });
  }

  /** Every message from the newest back; earlier pages are read when they are asked for. */
  async *messages(sessionId: string, options: CallOptions = {}): AsyncGenerator<TranscriptEntry, void> {
    let page = await this.transcript(sessionId, {}, options);
    for (;;) {
      yield* page.items.toReversed();
      if (page.before === null) return;
      page = await this.transcript(sessionId, { before: page.before }, options);
    }
  }

  /** Hands a message to a session; the answer says what the session decided. */
  send(sessionId: string, { id = newId(), ...message }: FrontendWords): Promise<MessageAccepted> {
    return this.#caller.call(sessionOperations.sendMessage, { params: { sessionId }, body: { id, ...message } });
  }

  invite(sessionId: string, agentId: string, { activate = false } = {}): Promise<MessageAccepted> {
    return this.#control(sessionId, 'INVITE_AGENT', { agent_id: agentId, activate });
  }

  remove(sessionId: string, agentId: string): Promise<MessageAccepted> {
    return this.#control(sessionId, 'REMOVE_AGENT', { agent_id: agentId });
  }

  /** Makes another agent of the roster the active one. */
  switchTo(sessionId: string, agentId: string): Promise<MessageAccepted> {
    return this.#control(sessionId, 'SWITCH_AGENT', { agent_id: agentId });
  }

  /** Stops the turn that is under way. */
  cancel(sessionId: string): Promise<MessageAccepted> {
    return this.#control(sessionId, 'CANCEL', {});
  }

  open(sessionId: string): Promise<MessageAccepted> {
    return this.#control(sessionId, 'SESSION_OPEN', {});
  }

  close(sessionId: string): Promise<MessageAccepted> {
    return this.#control(sessionId, 'SESSION_CLOSE', {});
  }

  /**
   * Everything that happens in a session, over all its runs, from the start or after an event that is known: messages
   * of the session, or AG-UI events. It ends when the signal is given; a session that is gone throws its 404.
   */
  follow(sessionId: string, options: Following & { format: 'agui' }): EventStream<AguiEvent>;
  follow(sessionId: string, options?: Following & { format?: 'messages' }): EventStream<SessionMessage>;
  follow(sessionId: string, { format, from, ...options }: Following & { format?: 'agui' | 'messages' } = {}) {
    const source = {
      operation: streamOperations.followSession,
      params: { sessionId },
      query: { ...(format !== undefined && { format }), ...(from !== undefined && { from }) },
      isOver: () => false,
    };
    return new EventStream<AguiEvent | SessionMessage>(this.#caller, this.#timing, source, options);
  }

  #control(sessionId: string, subtype: string, payload: JsonObject): Promise<MessageAccepted> {
    return this.send(sessionId, { event: 'CONTROL', subtype, payload });
  }
}
