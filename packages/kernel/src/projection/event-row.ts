import type { SessionEventType } from '@rostra/protocol/api/session-event-type';
import type { LogRecord } from '@rostra/protocol/record/record';
import { messageReceived } from '@rostra/protocol/session/event-name';
import { kindOf, type SessionKind } from '@rostra/protocol/session/message';
import { isTrigger, type TurnOrigins } from './turn-origins.ts';

/** Where an event stands in the log, and by what it is found; the log itself holds what it says. */
export interface EventRow {
  session_id: string;
  seq: number;
  event_id: string;
  event_type: string;
  turn_id: string | null;
  run_id: string | null;
  thread_id: string | null;
  bot_id: string | null;
  actor_id: string | null;
  created_at: number;
}

/** Records that are events by themselves. What only tells how far a turn has come is none. */
const told = new Map<string, SessionEventType>(
  Object.entries<SessionEventType>({
    'AGENT_OUTPUT:tool.call.started': 'tool.call.started',
    'AGENT_OUTPUT:tool.call.completed': 'tool.call.completed',
    'CONTROL:HANDOVER_CONTEXT': 'session.handover',
    'CONTROL:HANDOVER_RESOLVED': 'session.handover_resolved',
    'EVENT:TURN_FAILED': 'run.failed',
    'EVENT:CANCELED': 'run.cancelled',
    'EVENT:INTERACTION_OPENED': 'interaction.requested',
    'EVENT:INTERACTION_RESOLVED': 'interaction.resolved',
    'EVENT:AGENT_ADDED': 'session.agent_added',
    'EVENT:AGENT_REMOVED': 'session.agent_removed',
    'EVENT:ACTIVE_AGENT_CHANGED': 'session.agent_changed',
    'EVENT:SESSION_OPENED': 'session.opened',
    'EVENT:SESSION_CLOSED': 'session.closed',
  } satisfies Partial<Record<SessionKind, SessionEventType>>),
);

/** The events of one step: what came in and made a turn, and what the session published of itself and its agents. */
export function eventRows(input: LogRecord, outs: readonly LogRecord[], origins: TurnOrigins): EventRow[] {
  if (input.mark === 'suppressed') return [];
  if (input.mark === 'both') return rowsOf(input, origins);
  const rows: EventRow[] = [];
  for (const out of outs) {
    if (out.event === 'EVENT' && out.subtype === 'TURN_ACCEPTED' && input.event === 'USER_INPUT') {
      rows.push(...rowsOf(input, origins, out.turn_id));
    } else rows.push(...rowsOf(out, origins));
  }
  return rows;
}

function rowsOf(record: LogRecord, origins: TurnOrigins, turn_id = record.turn_id): EventRow[] {
  // A message that goes to an agent repeats the input that made its turn; only the input is the event.
  if (record.payload_of !== undefined) return [];
  const named = isTrigger(record) ? inputOf(record, turn_id) : null;
  const event_type = named?.event_type ?? told.get(kindOf(record));
  if (event_type === undefined) return [];
  const { thread_id, bot_id, actor_id } = origins.of(turn_id);
  return [
    {
      session_id: record.session_id,
      seq: record.seq,
      event_id: named?.event_id ?? `${record.session_id}:${record.seq}`,
      event_type,
      turn_id: turn_id ?? null,
      run_id: record.run_id ?? null,
      thread_id,
      bot_id,
      actor_id,
      created_at: record.ts,
    },
  ];
}

/** The event of a turn as its run knows it: its own, or the turn itself. */
function inputOf(record: LogRecord, turn_id: string | undefined): Pick<EventRow, 'event_id' | 'event_type'> | null {
  if (turn_id === undefined) return null;
  if (record.event !== 'USER_INPUT') return { event_id: turn_id, event_type: 'session.handover' };
  const { event } = record.payload;
  return event ?? { event_id: turn_id, event_type: messageReceived };
}
