import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { ShownMessage, TranscriptFilter, TranscriptStore } from '../store/ports/transcript.ts';

export interface HistoryDay {
  /** `YYYY-MM-DD` in the caller's time zone; null when nothing was said before the day that was asked for. */
  readonly day: string | null;
  /** Whether an earlier day has messages. */
  readonly has_more: boolean;
  /** The messages of the day in their order, read page by page as they are taken. */
  readonly pages: AsyncIterable<ShownMessage[]>;
}

export interface DayRequest {
  readonly session_id: string;
  /** An IANA name; UTC unless told. */
  readonly timezone?: string;
  /** Exclusive, `YYYY-MM-DD`. */
  readonly before?: string;
  /** What counts as a message; everything unless told. */
  readonly where?: TranscriptFilter;
}

type Transcript = Pick<TranscriptStore, 'page' | 'shown'>;

/** The messages of one session that count. */
interface Messages {
  readonly transcript: Transcript;
  readonly session_id: string;
  readonly where: TranscriptFilter;
}

/** The newest day with messages, or the newest one before another (RA-6.11, RA-6.12). */
export async function historyDay(transcript: Transcript, request: DayRequest): Promise<HistoryDay> {
  const { session_id, before, where = {} } = request;
  const messages = { transcript, session_id, where };
  const dayOf = calendar(request.timezone ?? 'UTC');
  const until = before === undefined ? null : calendarDay(before);
  const newest = await lastRow(messages);
  const wanted = until === null ? newest : await lastBefore(messages, newest, dayOf, until);
  if (wanted === null) return { day: null, has_more: false, pages: pagesBetween(messages, 0, 0) };
  const day = dayOf(wanted.created_at);
  const earlier = await lastBefore(messages, wanted, dayOf, day);
  return {
    day,
    has_more: earlier !== null,
    pages: pagesBetween(messages, earlier?.seq ?? 0, wanted.seq),
  };
}

async function lastRow({ transcript, session_id, where }: Messages, before?: number): Promise<TranscriptRow | null> {
  const { rows } = await transcript.page(session_id, { limit: 1, where, ...(before === undefined ? {} : { before }) });
  return rows[0] ?? null;
}

/**
 * The last message at or before `from` that lies before a day. Time never goes back in a log, so it is found by halving:
 * about twenty rows are read, however long the session is.
 */
async function lastBefore(
  messages: Messages,
  from: TranscriptRow | null,
  dayOf: (ts: number) => string,
  day: string,
): Promise<TranscriptRow | null> {
  if (from === null || dayOf(from.created_at) < day) return from;
  // Most sessions begin on the day that is asked for: one look tells.
  const { transcript, session_id, where } = messages;
  const [first] = (await transcript.page(session_id, { limit: 1, from: 'oldest', where })).rows;
  if (first !== undefined && dayOf(first.created_at) >= day) return null;
  let found: TranscriptRow | null = null;
  // Everything before `low` lies before the day; what stands right before `high` does not.
  let [low, high] = [1, from.seq + 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const row = await lastRow(messages, middle);
    if (row !== null && dayOf(row.created_at) >= day) high = row.seq + 1;
    else {
      found = row;
      low = middle;
    }
  }
  return found;
}

async function* pagesBetween(
  { transcript, session_id, where }: Messages,
  after: number,
  last: number,
): AsyncGenerator<ShownMessage[]> {
  for (let seq = after; seq < last; ) {
    const page = await transcript.shown(session_id, { after: seq, before: last + 1, where });
    const end = page.at(-1);
    if (end === undefined) return;
    yield page;
    seq = end.seq;
  }
}

function calendarDay(text: string): string {
  // What no month has, 31 February, comes back as another day.
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(text)) return text;
  throw new ApiError('invalid_argument', 'That is no day of the calendar.', {
    details: { hint: 'Write the day as YYYY-MM-DD.' },
  });
}

/** From an instant to its day in a time zone. */
function calendar(timezone: string): (ts: number) => string {
  try {
    const format = new Intl.DateTimeFormat('en-CA', {
      timeZone: timezone,
      calendar: 'iso8601',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
    return (ts) => format.format(ts);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ApiError('invalid_argument', 'There is no time zone of that name.', {
      details: { hint: 'Name it as the IANA database does, e.g. Europe/Berlin.' },
    });
  }
}
