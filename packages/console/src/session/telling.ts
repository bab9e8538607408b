import type { SessionMessage } from '@rostra/protocol/session/message';
import { foldMessage } from '../chat/chat-fold.ts';
import type { ChatState } from '../chat/chat-state.ts';

/** The past of a session, told message by message and shown as one picture: nobody is to see it rush by. */
export class Telling {
  #chat: ChatState;
  #isTold = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #lastSeq: number;
  readonly #quiet: number;
  readonly #tell: (chat: ChatState) => void;

  /** It is told with record `lastSeq`, or when nothing came for `quiet` milliseconds. */
  constructor(chat: ChatState, lastSeq: number, quiet: number, tell: (chat: ChatState) => void) {
    this.#chat = chat;
    this.#lastSeq = lastSeq;
    this.#quiet = quiet;
    this.#tell = tell;
  }

  get isTold(): boolean {
    return this.#isTold;
  }

  take(message: SessionMessage): void {
    this.#chat = foldMessage(this.#chat, message);
    if ((message.seq ?? 0) >= this.#lastSeq) this.#told();
    else this.wait();
  }

  /** The connection stands: what comes now comes soon. */
  wait(): void {
    if (this.#isTold) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#told(), this.#quiet);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #told(): void {
    this.end();
    if (this.#isTold) return;
    this.#isTold = true;
    this.#tell(this.#chat);
  }
}
