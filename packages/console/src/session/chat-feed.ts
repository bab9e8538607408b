import { RostraError } from '@rostra/client';
import type { SessionSnapshot } from '@rostra/protocol/run-api/session-api';
import { foldMessage } from '../chat/chat-fold.ts';
import { addItem } from '../chat/chat-items.ts';
import { type ChatState, emptyChat } from '../chat/chat-state.ts';
import { historyItem, waitingItem } from '../chat/history-items.ts';
import { client } from '../client.ts';
import { messageOf } from '../error-message.ts';

export interface FeedState {
  readonly chat: ChatState;
  /** Null: nobody gave it one. */
  readonly title: string | null;
  /** `absent`: nothing was said in it yet, so that there is no session. */
  readonly phase: 'loading' | 'absent' | 'live' | 'failed';
  /** Why nothing arrives at the moment; null when all is well. */
  readonly trouble: string | null;
  /** Leads to earlier messages; null when there are none. */
  readonly earlier: string | null;
}

const PAGE = 50;
const AGAIN = 2_000;
/** Sessions that this page began. */
const begunHere = new Set<string>();
/** So many records of such a session are told again rather than read as history, in which cards do nothing any more. */
const RETOLD = 500;
const blank: FeedState = { chat: emptyChat, title: null, phase: 'loading', trouble: null, earlier: null };

/**
 * One session as it is and as it goes on: what was said, then every message from there. A page that is loaded again in
 * the middle of an answer reads that turn from its beginning, so that nothing of it is missing.
 */
export class ChatFeed {
  readonly sessionId: string;
  #state: FeedState = blank;
  readonly #listeners = new Set<() => void>();
  #leaving: AbortController | null = null;
  #isDrawing = false;

  /** `isFresh`: nobody but this page knows its id yet. */
  constructor(sessionId: string, isFresh: boolean) {
    this.sessionId = sessionId;
    if (isFresh) this.#state = { ...blank, phase: 'absent' };
  }

  get state(): FeedState {
    return this.#state;
  }

  /** Feeds as long as anybody listens. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#leaving === null && this.#state.phase !== 'absent') this.begin();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#leaving?.abort();
      this.#leaving = null;
    };
  };

  readonly getState = (): FeedState => this.#state;

  /** The first message of this page makes the session. */
  noteBegun(): void {
    if (this.#state.phase === 'absent') begunHere.add(this.sessionId);
  }

  /** Also asked for when the first message has made the session. */
  begin(): void {
    this.#leaving?.abort();
    const leaving = new AbortController();
    this.#leaving = leaving;
    this.#run(leaving.signal).catch((error: unknown) => {
      if (leaving.signal.aborted) return;
      const isAbsent = error instanceof RostraError && error.status === 404;
      const trouble = isAbsent ? null : messageOf(error);
      this.#set({ phase: isAbsent ? 'absent' : 'failed', trouble });
      if (error instanceof RostraError && error.retryable) this.#again(leaving);
    });
  }

  /** The host was not reached, or is busy: it may be there in a moment. */
  #again(left: AbortController): void {
    setTimeout(() => {
      if (this.#leaving === left && this.#listeners.size > 0) this.begin();
    }, AGAIN);
  }

  async loadEarlier(): Promise<void> {
    const { earlier: before } = this.#state;
    if (before === null) return;
    const page = await client.sessions.transcript(this.sessionId, { before, limit: PAGE });
    const { chat } = this.#state;
    const items = [...page.items.map(historyItem), ...chat.items];
    this.#set({ chat: { ...chat, items }, earlier: page.before });
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { sessionId } = this;
    const snapshot = await client.sessions.get(sessionId, { signal });
    const [page, waiting] = await Promise.all([
      client.sessions.transcript(sessionId, { limit: PAGE }, { signal }),
      client.interactions.list({ sessionId, status: 'pending' }, { signal }),
    ]);
    const isRetold = begunHere.has(sessionId) && snapshot.lastSeq <= RETOLD;
    const from = isRetold ? 1 : firstLive(snapshot);
    let chat: ChatState = {
      ...emptyChat,
      isOpen: snapshot.state === 'OPEN' || snapshot.state === 'OPENING',
      agents: snapshot.agents.filter(({ isRemoving }) => !isRemoving).map(({ agentId }) => agentId),
      activeAgentId: snapshot.activeAgentId,
      items: page.items.filter(({ seq }) => seq < from).map(historyItem),
    };
    // What a live turn asks is told again with the turn.
    const live = new Set(snapshot.inflight.map(({ taskId }) => taskId));
    for (const item of isRetold ? [] : waiting.items) {
      if (item.taskId === null || !live.has(item.taskId)) chat = addItem(chat, waitingItem(item));
    }
    this.#set({ chat, title: snapshot.title, phase: 'live', trouble: null, earlier: isRetold ? null : page.before });
    await this.#follow(from, signal);
  }

  async #follow(from: number, signal: AbortSignal): Promise<void> {
    const onRetry = ({ error }: { error: RostraError }) => this.#set({ trouble: error.message });
    const onOpen = () => {
      if (this.#state.trouble !== null) this.#set({ trouble: null });
    };
    // A host that lost its newest records tells another story: the page begins anew.
    const onReset = () => this.begin();
    for await (const message of client.sessions.follow(this.sessionId, { from, signal, onRetry, onOpen, onReset })) {
      this.#take({ ...this.#state, chat: foldMessage(this.#state.chat, message) });
    }
  }

  #set(change: Partial<FeedState>): void {
    this.#take({ ...this.#state, ...change });
  }

  /** A stream has more messages than a screen has pictures: it is drawn once for all that came meanwhile. */
  #take(state: FeedState): void {
    this.#state = state;
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    const draw = () => {
      this.#isDrawing = false;
      for (const listener of this.#listeners) listener();
    };
    if (document.hidden) setTimeout(draw, 50);
    else requestAnimationFrame(draw);
  }
}

/** The record from which on messages are read: where the oldest turn began that is still on its way. */
function firstLive({ inflight, lastSeq }: SessionSnapshot): number {
  return Math.min(lastSeq + 1, ...inflight.map(({ firstSeq }) => firstSeq));
}
