import type { TranscriptFilter } from '../../ports/transcript.ts';
import type { SqlValue } from '../driver.ts';

/** Conditions in SQL and what they bind. Only these names ever stand in a statement; what callers give is bound. */
export interface Conditions {
  sql: string;
  values: SqlValue[];
}

export function conditionsOf(where: TranscriptFilter = {}): Conditions {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: string, value: SqlValue | undefined) => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  add('thread_id IS ?', where.thread_id);
  add('bot_id IS ?', where.bot_id);
  add('actor_id IS ?', where.actor_id);
  add('event_type IN (SELECT value FROM json_each(?))', listed(where.event_types));
  add('role IN (SELECT value FROM json_each(?))', listed(where.roles));
  add('item_type IN (SELECT value FROM json_each(?))', listed(where.item_types));
  add('transcript.created_at > ?', where.since);
  add('transcript.created_at < ?', where.until);
  return { sql: conditions.map((condition) => ` AND ${condition}`).join(''), values };
}

export const ofSession = 'FROM transcript WHERE session = (SELECT key FROM session WHERE id = ?)';

/** As the index of such rows says it, word for word. */
export const isAmendment = `item_type IN ('message.edited', 'message.deleted')`;

/** The index holds the few messages that take others back; by any other, all later ones would be looked at. */
export const standing = ` AND NOT EXISTS (SELECT 1 FROM transcript AS later INDEXED BY transcript_superseding
  WHERE later.session = transcript.session AND later.seq > transcript.seq
    AND later.supersedes IS NOT NULL AND later.supersedes <= transcript.seq)`;

/** The same for messages, of which some are taken back by later ones. */
export function messagesOf(where: TranscriptFilter = {}): Conditions {
  const { sql, values } = conditionsOf(where);
  return { sql: where.superseded === true ? sql : `${sql}${standing}`, values };
}

function listed(names: readonly string[] | undefined): string | undefined {
  return names === undefined ? undefined : JSON.stringify(names);
}
