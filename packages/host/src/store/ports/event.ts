import type { EventRow } from '@rostra/kernel/projection/event-row';
import type { PageRequest } from './page.ts';
import type { TranscriptFilter } from './transcript.ts';

export interface EventPage extends PageRequest<number> {
  where?: Pick<TranscriptFilter, 'thread_id' | 'bot_id' | 'actor_id' | 'event_types'>;
}

/** Where the events of logs stand; rows are written by `SessionStore.commit`. */
export interface EventStore {
  /** Events of that id, the newest first: ids from outside may repeat. Only some of very many. */
  find(event_id: string): Promise<EventRow[]>;
  /** Events of a session, newest first; `before` is the `seq` where the page before ended. */
  page(session_id: string, page?: EventPage): Promise<{ rows: EventRow[]; has_more: boolean }>;
}

/** How many events of one id are looked at. */
export const SAME_ID = 16;
