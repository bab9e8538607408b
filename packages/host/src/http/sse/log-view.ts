import { type Framed, framesOf } from '@rostra/kernel/agui/frame';
import type { LogRecord } from '@rostra/protocol/record/record';
import { limits } from '@rostra/protocol/wire/limits';
import type { Bus, Committed, Unsubscribe } from '../../bus/port.ts';
import type { LogSource } from '../ports.ts';
import { type Cursor, CursorGate, isCursorReset } from './cursor.ts';
import type { Follower } from './follower.ts';
import type { Framing } from './framing.ts';

/** A reading of the log up to and including record `seq`. Never changed in place: it can be kept and gone on from. */
interface Reading<V> {
  readonly view: V;
  readonly seq: number;
}

/** What of which log is read. */
export interface Subject<V> {
  readonly session_id: string;
  /** The first record that can be shown. */
  readonly first_seq: number;
  readonly framing: Framing<V>;
}

export interface LogViewEvents {
  /** Its last reader is gone. */
  idle(): void;
  error(error: unknown): void;
}

/** What is handed over at once to a reader that catches up; at most three bytes for each, and one frame more. */
const PART_CHARS = 64 * 1024;
/** Of one UTF-16 unit. */
const UTF8_BYTES_MAX = 3;

interface Piece {
  readonly seq: number;
  readonly text: string;
  /** What of it leads to the end of a run, with that end; null: none ends here. */
  readonly ending: string | null;
  readonly ascii: boolean;
}

/**
 * One reading of a log for everyone who follows it. It listens before it reads: what is announced while a reader catches
 * up is in the log by then, so that nothing is missed, and a live frame is made once for all readers.
 */
export class LogView<V> {
  readonly #subject: Subject<V>;
  readonly #source: LogSource;
  readonly #unfollow: Unsubscribe;
  readonly #on: LogViewEvents;
  readonly #members = new Set<Follower>();
  readonly #live = new Set<Follower>();
  /** How far the live frames have come; null until the first reader has caught up. */
  #reading: Reading<V> | null = null;
  /** The newest record that was announced since this view listens. */
  #announced = 0;

  constructor(subject: Subject<V>, bus: Bus, source: LogSource, on: LogViewEvents) {
    this.#subject = subject;
    this.#source = source;
    this.#on = on;
    this.#unfollow = bus.follow(subject.session_id, (committed) => this.#hear(committed));
  }

  /** Serves one reader until its stream ends or it leaves. Rejects when its cursor is not in the log. */
  serve(follower: Follower, cursor: Cursor | null): Promise<void> {
    this.#members.add(follower);
    const { framing, first_seq } = this.#subject;
    const start = { view: framing.begin(), seq: first_seq - 1 };
    const near = framing.isStateless ? Math.max(start.seq, (cursor?.seq ?? follower.position + 1) - 1) : start.seq;
    if (near === start.seq) return this.#catchUp(follower, start, new CursorGate(cursor));
    const { view } = start;
    return this.#catchUp(follower, { view, seq: near }, new CursorGate(cursor)).catch((error: unknown) => {
      if (!isCursorReset(error)) throw error;
      // It is not where it should be: only the whole log can tell what the reader has in common with it.
      return this.#catchUp(follower, start, new CursorGate(cursor));
    });
  }

  leave(follower: Follower): void {
    this.#live.delete(follower);
    if (!this.#members.delete(follower) || this.#members.size > 0) return;
    this.#unfollow();
    this.#on.idle();
  }

  /** Reads on at the reader's own pace until there is nothing more to read, then lets it hear live frames. */
  async #catchUp(follower: Follower, from: Reading<V>, gate: CursorGate): Promise<void> {
    const { session_id, framing } = this.#subject;
    let at = from;
    while (follower.isOpen) {
      const heard = this.#announced;
      const tail = this.#source.tailAfter(session_id, at.seq);
      // The store may have shown a reader what memory does not hold yet.
      const recent = gate.isWithin(tail?.at(-1)?.seq ?? at.seq) ? tail : null;
      const records = recent ?? (await this.#source.readAfter(session_id, at.seq));
      if (!follower.isOpen) return;
      const page = await this.#readPage(follower, at, records, gate);
      if (page === null) return;
      const { text, ascii } = page;
      at = page.at;
      follower.position = Math.max(follower.position, at.seq);
      if (framing.isDone(at.view)) {
        gate.atEnd();
        follower.end(text, ascii);
        return;
      }
      const atEnd = recent !== null || records.length === 0;
      if (atEnd && at.seq >= this.#announced) {
        gate.atEnd();
        if (follower.until === 'last_run_end' && framing.isPaused?.(at.view) === true) {
          follower.end(text, ascii);
          return;
        }
        follower.begin(text, ascii);
        this.#goLive(follower, at);
        return;
      }
      if (records.length === 0 && at.seq < heard)
        throw new Error(`record ${heard} was announced and is not in the log`);
      if (text !== '') follower.begin(text, ascii);
      await follower.drained();
    }
  }

  /**
   * Hands over what a page shows but for its last part, which is small. Null: the reader is gone, or has come to its end.
   */
  async #readPage(follower: Follower, from: Reading<V>, records: readonly LogRecord[], gate: CursorGate) {
    const { framing } = this.#subject;
    let { view } = from;
    let { seq } = from;
    let text = '';
    let ascii = true;
    for (const record of records) {
      const framed = framing.frame(view, record);
      view = framed.view;
      seq = record.seq;
      if (framed.count === 0) continue;
      const { epoch } = record;
      const last = follower.until === 'run_end' ? framed.ends : 0;
      const isWhole = last === 0 && framed.text.length < PART_CHARS && gate.isBefore(seq);
      const frames = isWhole ? [framed.text] : framesOf(framed);
      for (let n = 0; n < frames.length; n += 1) {
        if (!gate.passes({ seq, n, epoch }) || seq <= follower.position) continue;
        text += frames[n];
        ascii &&= framed.ascii;
        if (n + 1 === last) {
          follower.end(text, ascii);
          return null;
        }
        if (text.length < PART_CHARS) continue;
        follower.begin(text, ascii);
        text = '';
        ascii = true;
        await follower.drained();
        if (!follower.isOpen) return null;
      }
    }
    return { at: { view, seq }, text, ascii };
  }

  /** Readers catch up from memory or from the store, and may get differently far: the frames go on from the least. */
  #goLive(follower: Follower, at: Reading<V>): void {
    if (this.#reading === null || at.seq < this.#reading.seq) this.#reading = at;
    this.#live.add(follower);
  }

  #hear({ records }: Committed): void {
    this.#announced = records.at(-1)?.seq ?? this.#announced;
    const before = this.#reading;
    const { framing } = this.#subject;
    if (before === null || framing.isDone(before.view)) return;
    const pieces: Piece[] = [];
    let { view, seq } = before;
    for (const record of records) {
      if (record.seq <= seq) continue;
      if (record.seq > seq + 1) {
        // Somebody else wrote in between: readers find their way by the log.
        this.#cutAll();
        return;
      }
      seq = record.seq;
      const framed = framing.frame(view, record);
      view = framed.view;
      if (framed.count > 0) pieces.push(pieceOf(seq, framed));
    }
    const at = { view, seq };
    this.#reading = at;
    if (pieces.length > 0) this.#tell(pieces, before, at);
  }

  /** One write for each reader. */
  #tell(pieces: readonly Piece[], before: Reading<V>, at: Reading<V>): void {
    const first = pieces[0]?.seq ?? 0;
    const text = unseen(pieces, first - 1);
    const shared = this.#live.size > 1 ? Buffer.from(text) : text;
    const isDone = this.#subject.framing.isDone(at.view);
    const ascii = pieces.every((piece) => piece.ascii);
    const hasEnding = pieces.some(({ ending }) => ending !== null);
    for (const follower of this.#live) {
      if (follower.position < first && isTooMuch(follower.buffered, shared)) {
        this.#tooMuch(follower, before);
        continue;
      }
      const ending = hasEnding && follower.until !== 'task_end' ? upToEnd(pieces, follower.position) : null;
      const news = ending ?? (follower.position < first ? shared : unseen(pieces, follower.position));
      follower.position = Math.max(follower.position, at.seq);
      if (isDone || ending !== null) {
        this.#live.delete(follower);
        follower.end(news, ascii);
      } else if (news.length > 0) follower.write(news, ascii);
    }
  }

  /** More than a reader may have waiting: one that has nothing waiting reads it in pages, one that is slow is cut. */
  #tooMuch(follower: Follower, from: Reading<V>): void {
    this.#live.delete(follower);
    if (follower.buffered > 0) {
      follower.cut();
      return;
    }
    this.#catchUp(follower, from, new CursorGate(null)).catch((error: unknown) => {
      this.#on.error(error);
      follower.cut();
    });
  }

  #cutAll(): void {
    for (const follower of this.#live) follower.cut();
    this.#live.clear();
    this.#reading = null;
  }
}

/** The bytes of a text are counted only where its length leaves a doubt. */
function isTooMuch(buffered: number, data: string | Buffer): boolean {
  const room = limits.sse_buffer_bytes - buffered;
  if (typeof data !== 'string') return data.length > room;
  return data.length * UTF8_BYTES_MAX > room && Buffer.byteLength(data) > room;
}

function pieceOf(seq: number, framed: Framed<unknown>): Piece {
  const { text, count, ends, ascii } = framed;
  if (ends === 0) return { seq, text, ending: null, ascii };
  return { seq, text, ending: ends === count ? text : framesOf(framed).slice(0, ends).join(''), ascii };
}

function unseen(pieces: readonly Piece[], position: number): string {
  let text = '';
  for (const piece of pieces) if (piece.seq > position) text += piece.text;
  return text;
}

/** What a reader has not seen up to the first end of a run in it; null when no run ends there. */
function upToEnd(pieces: readonly Piece[], position: number): string | null {
  let text = '';
  for (const piece of pieces) {
    if (piece.seq <= position) continue;
    if (piece.ending !== null) return text + piece.ending;
    text += piece.text;
  }
  return null;
}
