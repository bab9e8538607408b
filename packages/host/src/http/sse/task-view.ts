import { type AguiView, beginView } from '@rostra/kernel/agui/agui-view';
import { frameAgui, frameChunk } from '@rostra/kernel/agui/frame';
import type { LogRecord } from '@rostra/protocol/record/record';
import { limits } from '@rostra/protocol/wire/limits';
import type { Bus, Committed, Unsubscribe } from '../../bus/port.ts';
import type { TurnRow } from '../../store/port.ts';
import type { LogSource } from '../ports.ts';
import { type Cursor, CursorGate } from './cursor.ts';
import type { Follower } from './follower.ts';

/** A reading of the log up to and including record `seq`. Never changed in place: it can be kept and gone on from. */
interface Reading {
  readonly view: AguiView;
  readonly seq: number;
}

interface TaskViewEvents {
  /** Its last client is gone. */
  idle(): void;
  error(error: unknown): void;
}

interface Piece {
  readonly seq: number;
  readonly text: string;
}

/**
 * The stream of one task for everyone who follows it. It listens before it reads: what is announced while a client
 * catches up is in the log by then, so that nothing is missed, and a live frame is made once for all clients.
 */
export class TaskView {
  readonly #turn: TurnRow;
  readonly #source: LogSource;
  readonly #unfollow: Unsubscribe;
  readonly #on: TaskViewEvents;
  readonly #members = new Set<Follower>();
  readonly #live = new Set<Follower>();
  /** How far the live frames have come; null until the first client has caught up. */
  #reading: Reading | null = null;
  /** The newest record that was announced since this view listens. */
  #announced = 0;

  constructor(turn: TurnRow, bus: Bus, source: LogSource, on: TaskViewEvents) {
    this.#turn = turn;
    this.#source = source;
    this.#on = on;
    this.#unfollow = bus.follow(turn.session_id, (committed) => this.#hear(committed));
  }

  /** Serves one client until its stream ends or it leaves. Rejects when its cursor is not in the log. */
  serve(follower: Follower, cursor: Cursor | null): Promise<void> {
    this.#members.add(follower);
    const { session_id, turn_id, first_seq } = this.#turn;
    const start: Reading = { view: beginView(session_id, turn_id), seq: first_seq - 1 };
    return this.#catchUp(follower, start, new CursorGate(cursor));
  }

  leave(follower: Follower): void {
    this.#live.delete(follower);
    if (!this.#members.delete(follower) || this.#members.size > 0) return;
    this.#unfollow();
    this.#on.idle();
  }

  /** Reads on at the client's own pace until there is nothing more to read, then lets it hear live frames. */
  async #catchUp(follower: Follower, from: Reading, gate: CursorGate): Promise<void> {
    const { session_id } = this.#turn;
    let at = from;
    while (follower.isOpen) {
      const heard = this.#announced;
      const tail = this.#source.tailAfter(session_id, at.seq);
      // The store may have shown a client what memory does not hold yet.
      const recent = gate.isWithin(tail?.at(-1)?.seq ?? at.seq) ? tail : null;
      const records = recent ?? (await this.#source.readAfter(session_id, at.seq));
      if (!follower.isOpen) return;
      let text = '';
      for (const record of records) {
        const framed = frameAgui(at.view, record);
        at = { view: framed.view, seq: record.seq };
        text += passing(framed.frames, record, gate);
      }
      follower.position = Math.max(follower.position, at.seq);
      if (at.view.phase === 'done') {
        gate.atEnd();
        follower.end(text);
        return;
      }
      const atEnd = recent !== null || records.length === 0;
      if (atEnd && at.seq >= this.#announced) {
        gate.atEnd();
        follower.begin(text);
        this.#goLive(follower, at);
        return;
      }
      if (records.length === 0 && at.seq < heard)
        throw new Error(`record ${heard} was announced and is not in the log`);
      if (text !== '') follower.begin(text);
      await follower.drained();
    }
  }

  /** Clients catch up from memory or from the store, and may get differently far: the frames go on from the least. */
  #goLive(follower: Follower, at: Reading): void {
    if (this.#reading === null || at.seq < this.#reading.seq) this.#reading = at;
    this.#live.add(follower);
  }

  #hear({ records }: Committed): void {
    this.#announced = records.at(-1)?.seq ?? this.#announced;
    const before = this.#reading;
    if (before === null || before.view.phase === 'done') return;
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
      const chunk = frameChunk(view, record);
      if (chunk !== null) {
        pieces.push({ seq, text: chunk.join('') });
        continue;
      }
      const framed = frameAgui(view, record);
      view = framed.view;
      if (framed.frames.length > 0) pieces.push({ seq, text: framed.frames.join('') });
    }
    const at = { view, seq };
    this.#reading = at;
    if (pieces.length > 0) this.#tell(pieces, before, at);
  }

  /** One write for each client. */
  #tell(pieces: readonly Piece[], before: Reading, at: Reading): void {
    const first = pieces[0]?.seq ?? 0;
    const text = pieces.map((piece) => piece.text).join('');
    const shared = this.#live.size > 1 ? Buffer.from(text) : text;
    for (const follower of this.#live) {
      if (follower.buffered + shared.length > limits.sse_buffer_bytes && follower.position < first) {
        this.#tooMuch(follower, before);
        continue;
      }
      const news = follower.position < first ? shared : unseen(pieces, follower.position);
      follower.position = Math.max(follower.position, at.seq);
      if (at.view.phase === 'done') follower.end(news);
      else if (news.length > 0) follower.write(news);
    }
    if (at.view.phase === 'done') this.#live.clear();
  }

  /** More than a client may have waiting: one that has nothing waiting reads it in pages, one that is slow is cut. */
  #tooMuch(follower: Follower, from: Reading): void {
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

function unseen(pieces: readonly Piece[], position: number): string {
  return pieces.flatMap(({ seq, text }) => (seq > position ? [text] : [])).join('');
}

function passing(frames: readonly string[], { seq, epoch }: LogRecord, gate: CursorGate): string {
  let text = '';
  for (const [n, frame] of frames.entries()) if (gate.passes({ seq, n, epoch })) text += frame;
  return text;
}
