import type { EventRow } from '@rostra/kernel/projection/event-row';
import type { InThread } from '../../in-thread.ts';
import { type EventPage, type EventStore, SAME_ID } from '../../ports/event.ts';
import { pageLimit } from '../../ports/page.ts';
import type { SqlRow } from '../driver.ts';
import type { Statements } from '../statements.ts';
import { conditionsOf } from './row-filter.ts';

const isThere = 'NOT EXISTS (SELECT 1 FROM tombstone WHERE tombstone.session = told.session)';
const select = `SELECT told.*, session.id AS session_id FROM any_event AS told JOIN session ON session.key = told.session
  WHERE ${isThere}`;
/** A message that is its own event has the name of its turn. */
const named = `SELECT session, seq FROM event WHERE event_id = ?1
  UNION SELECT session, first_seq FROM turn WHERE turn_id = ?1`;

export class EventTable implements InThread<EventStore> {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  find(event_id: string): EventRow[] {
    const sql = `SELECT told.*, session.id AS session_id FROM (${named}) AS place
      JOIN any_event AS told ON told.session = place.session AND told.seq = place.seq
      JOIN session ON session.key = told.session
      WHERE ${isThere} AND told.event_id = ?1 ORDER BY told.session DESC, told.seq DESC LIMIT ${SAME_ID}`;
    return this.#sql.all(sql, event_id).map(decode);
  }

  page(session_id: string, page: EventPage = {}): { rows: EventRow[]; has_more: boolean } {
    const limit = pageLimit(page.limit);
    const { sql, values } = conditionsOf(page.where);
    const found = this.#sql.all(
      `${select} AND told.session = (SELECT key FROM session WHERE id = ?) AND seq < ?${sql} ORDER BY seq DESC LIMIT ?`,
      session_id,
      page.before ?? Number.MAX_SAFE_INTEGER,
      ...values,
      limit + 1,
    );
    return { rows: found.slice(0, limit).map(decode), has_more: found.length > limit };
  }
}

function decode(row: SqlRow): EventRow {
  return {
    session_id: row.session_id as string,
    seq: row.seq as number,
    event_id: row.event_id as string,
    event_type: row.event_type as string,
    turn_id: row.turn_id as string | null,
    run_id: row.run_id as string | null,
    thread_id: row.thread_id as string | null,
    bot_id: row.bot_id as string | null,
    actor_id: row.actor_id as string | null,
    created_at: row.created_at as number,
  };
}
