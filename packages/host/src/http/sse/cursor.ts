import { HttpError } from '../errors.ts';

/** Where a reader stands: a frame of a record, and the epoch that wrote it. */
export interface Cursor {
  seq: number;
  n: number;
  epoch: number;
}

const FORM = /^(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,14})$/;

export function parseCursor(text: string): Cursor {
  const [, seq, n, epoch] = FORM.exec(text) ?? [];
  if (seq === undefined) {
    throw new HttpError(422, 'invalid_argument', 'this is no event id', {
      details: { hint: 'Send an id of this stream as it was received, or none to read from the start.' },
    });
  }
  return { seq: Number(seq), n: Number(n), epoch: Number(epoch) };
}

function compare(a: Cursor, b: Cursor): number {
  return a.seq - b.seq || a.n - b.n;
}

/** Whether this is the refusal of a cursor that the log does not have. */
export function isCursorReset(error: unknown): boolean {
  return error instanceof CursorReset;
}

class CursorReset extends HttpError {
  constructor(last_event_id: string | null) {
    super(409, 'invalid_argument', 'this event id is not in the log', {
      details: {
        reason: 'cursor_reset',
        last_event_id,
        hint: 'Drop what came after last_event_id and read on from there, or from the start when it is null.',
      },
    });
  }
}

/** Holds back what a reader has already, and finds out whether its cursor is in the log at all. */
export class CursorGate {
  readonly #cursor: Cursor | null;
  #found: boolean;
  /** The last frame of this log that the reader can have seen. */
  #common: string | null = null;

  constructor(cursor: Cursor | null) {
    this.#cursor = cursor;
    this.#found = cursor === null;
  }

  /** Whether a log that ends with this record can hold the cursor. */
  isWithin(lastSeq: number): boolean {
    return this.#found || this.#cursor === null || this.#cursor.seq <= lastSeq;
  }

  /** Whether the cursor lies before all frames of this record. */
  isBefore(seq: number): boolean {
    return this.#cursor === null || this.#cursor.seq < seq;
  }

  /** Whether the frame with this id comes after the cursor; throws when the cursor turns out to be unknown. */
  passes(id: Cursor): boolean {
    const cursor = this.#cursor;
    if (cursor === null) return true;
    const order = compare(id, cursor);
    if (order > 0) {
      this.atEnd();
      return true;
    }
    if (order === 0 && id.epoch === cursor.epoch) this.#found = true;
    if (id.epoch <= cursor.epoch) this.#common = `${id.seq}.${id.n}.${id.epoch}`;
    return false;
  }

  /** The log ends here: the cursor must have been met by now. */
  atEnd(): void {
    if (this.#found) return;
    throw new CursorReset(this.#common);
  }
}
