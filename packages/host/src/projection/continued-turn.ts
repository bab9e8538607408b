import { limits } from '@rostra/protocol/wire/limits';
import type { SessionStore, TurnRow } from '../store/port.ts';
import type { EventStore } from '../store/ports/event.ts';
import { readRecords } from './log-records.ts';

/** Where it stands what runs went on with. */
export interface ContinuedLog extends Pick<SessionStore, 'readAt' | 'findTurn'> {
  readonly events: Pick<EventStore, 'page'>;
}

const event_types = ['interaction.resolved', 'session.handover_resolved'];

/** The turn that went on with a run of this name, which began none with its own message; null where nothing went on. */
export async function continuedTurn(
  log: ContinuedLog,
  session_id: string,
  client_run_id: string,
): Promise<TurnRow | null> {
  let before: number | null = null;
  for (;;) {
    const from = before === null ? {} : { before };
    const page = await log.events.page(session_id, { limit: limits.page_items, where: { event_types }, ...from });
    for (const { seq } of page.rows) {
      const turn = await wentOn(log, { session_id, seq }, client_run_id);
      if (turn !== null) return turn;
      before = seq;
    }
    if (!page.has_more) return null;
  }
}

/** The turn that goes on from this record, if it does under that name. */
async function wentOn(
  log: ContinuedLog,
  { session_id, seq }: { session_id: string; seq: number },
  client_run_id: string,
): Promise<TurnRow | null> {
  const [record] = await readRecords(log, session_id, [seq]);
  if (record?.event === 'EVENT' && record.subtype === 'INTERACTION_RESOLVED') {
    return record.payload.client_run_id === client_run_id ? log.findTurn(record.turn_id ?? '') : null;
  }
  if (record?.event !== 'CONTROL' || record.subtype !== 'HANDOVER_RESOLVED') return null;
  // What is confirmed begins a turn, and that has the name.
  const turn = record.payload.outcome === 'confirmed' ? await log.findTurn(`${record.tx_id ?? ''}.turn`) : null;
  return turn?.client_run_id === client_run_id ? turn : null;
}
