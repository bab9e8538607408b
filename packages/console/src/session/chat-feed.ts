import { newId, RostraError } from '@rostra/client';
import type { TranscriptEntryPage } from '@rostra/protocol/run-api/history';
import { foldMessage } from '../chat/chat-fold.ts';
import { type ChatItem, type ChatState, emptyChat } from '../chat/chat-state.ts';
import { historyItem, waitingItem } from '../chat/history-items.ts';
import { client } from '../client.ts';
import { messageOf } from '../error-message.ts';
import { untilSeen, untilUnseen } from './attention.ts';
import { firstRetold, RETOLD } from './retelling.ts';
import { Telling } from './telling.ts';

export interface FeedState {
  readonly chat: ChatState;
  /** Null: nobody gave it one. */
  readonly title: string | null;
  /** `absent`: nothing was said in it yet, so that there is no session. `gone`: there is none any more, or never was. */
  readonly phase: 'loading' | 'absent' | 'live' | 'failed' | 'gone';
  /** Why nothing arrives at the moment; null when all is well. */
  readonly trouble: string | null;
  /** Leads to earlier messages; null when there are none. */
  readonly earlier: string | null;
}

const PAGE = 50;
const AGAIN = 2_000;
/** When nothing more comes for so long, all of the past was told: its last records may be none that are shown. */
const QUIET = 150;
const blank: FeedState = { chat: emptyChat, title: null, phase: 'loading', trouble: null, earlier: null };
/** Ids that this page made up, under which nothing was said yet. */
const unused = new Set<string>();

/** For a conversation that its first message will make. */
export function newSessionId(): string {
  const id = newId();
  unused.add(id);
  return id;
}

/** What stands before the first message that is told. */
interface Past {
  readonly items: readonly ChatItem[];
  readonly earlier: string | null;
}

/**
 * One session as it is and as it goes on. Its newest records are told again from the log, so that a page that is loaded
 * again shows what it showed before; what is older is read as history.
 */
export class ChatFeed {
  readonly sessionId: string;
  #state: FeedState = blank;
  readonly #listeners = new Set<() => void>();
  #leaving: AbortController | null = null;
  #isDrawing = false;

  constructor(sessionId: string) {
    this.sessionId = sessionId;
    if (unused.has(sessionId)) this.#state = { ...blank, phase: 'absent' };
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

  /** The first message has made the session. */
  noteSaid(): void {
    unused.delete(this.sessionId);
    if (this.#state.phase !== 'live' && this.#listeners.size > 0) this.begin();
  }

  begin(): void {
    this.#leaving?.abort();
    const leaving = new AbortController();
    this.#leaving = leaving;
    this.#run(leaving.signal).catch((error: unknown) => {
      if (leaving.signal.aborted) return;
      if (error instanceof RostraError && error.status === 404) this.#take({ ...blank, phase: 'gone' });
      else this.#set({ phase: 'failed', trouble: messageOf(error) });
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
    const { chat, earlier } = this.#state;
    // Asked twice: it stands there already.
    if (earlier !== before) return;
    const items = [...page.items.map(historyItem), ...chat.items];
    this.#set({ chat: { ...chat, items }, earlier: page.before });
  }

  async #run(signal: AbortSignal): Promise<void> {
    const snapshot = await client.sessions.get(this.sessionId, { signal });
    const { lastSeq, title } = snapshot;
    const page =
      lastSeq <= RETOLD ? null : await client.sessions.transcript(this.sessionId, { limit: PAGE }, { signal });
    const from = firstRetold(snapshot, page?.items ?? []);
    const past = from === 1 || page === null ? { items: [], earlier: null } : await this.#past(page, from, signal);
    const chat: ChatState = {
      ...emptyChat,
      isOpen: snapshot.state === 'OPEN' || snapshot.state === 'OPENING',
      agents: snapshot.agents.filter(({ isRemoving }) => !isRemoving).map(({ agentId }) => agentId),
      activeAgentId: snapshot.activeAgentId,
      items: past.items,
    };
    const telling = new Telling(chat, lastSeq, from > lastSeq ? 0 : QUIET, (told) => {
      if (signal.aborted) return;
      this.#set({ chat: told, title, phase: 'live', trouble: null, earlier: past.earlier });
    });
    try {
      await this.#follow(telling, from, signal);
    } finally {
      telling.end();
    }
  }

  /** What was said before a record, and what waits since then; what waits since later is told again in its place. */
  async #past({ items, before }: TranscriptEntryPage, from: number, signal: AbortSignal): Promise<Past> {
    const waiting = await client.interactions.list({ sessionId: this.sessionId, status: 'pending' }, { signal });
    const said = items.filter(({ seq }) => seq < from).map(historyItem);
    return { items: [...said, ...waiting.items.map(waitingItem)], earlier: before };
  }

  async #follow(telling: Telling, from: number, signal: AbortSignal): Promise<void> {
    const onRetry = ({ error }: { error: RostraError }) => this.#set({ trouble: error.message });
    const onOpen = () => {
      telling.wait();
      if (this.#state.trouble !== null) this.#set({ trouble: null });
    };
    // A host that lost its newest records tells another story: the page begins anew.
    const onReset = () => this.begin();
    const isBusy = () => this.#state.chat.turns.length > 0;
    let place: { from?: number; after?: string } = { from };
    for (;;) {
      const seen = untilUnseen(signal, isBusy);
      const stream = client.sessions.follow(this.sessionId, { ...place, signal: seen, onRetry, onOpen, onReset });
      for await (const message of stream) {
        if (!telling.isTold) telling.take(message);
        else this.#set({ chat: foldMessage(this.#state.chat, message) });
      }
      if (signal.aborted || !seen.aborted) return;
      if (stream.lastEventId !== null) place = { after: stream.lastEventId };
      await untilSeen(signal);
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
