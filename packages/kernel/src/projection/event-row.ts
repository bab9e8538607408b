import type { SessionEventType } from '@rostra/protocol/api/session-event-type';
import type { LogRecord } from '@rostra/protocol/record/record';
import { messageReceived } from '@rostra/protocol/session/event-name';
import type { SessionEvent, SubtypeOf } from '@rostra/protocol/session/message';
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
const told: { [E in SessionEvent]?: { [S in SubtypeOf<E>]?: SessionEventType } } = {
  AGENT_OUTPUT: { 'tool.call.started': 'tool.call.started', 'tool.call.completed': 'tool.call.completed' },
  CONTROL: { HANDOVER_CONTEXT: 'session.handover', HANDOVER_RESOLVED: 'session.handover_resolved' },
  EVENT: {
    TURN_FAILED: 'run.failed',
    CANCELED: 'run.cancelled',
    INTERACTION_OPENED: 'interaction.requested',
    INTERACTION_RESOLVED: 'interaction.resolved',
    AGENT_ADDED: 'session.agent_added',
    AGENT_REMOVED: 'session.agent_removed',
    ACTIVE_AGENT_CHANGED: 'session.agent_changed',
    SESSION_OPENED: 'session.opened',
    SESSION_CLOSED: 'session.closed',
  },
};

/** By the two names in turn: one made of both would be made, and looked up, for every record. */
const toldBy = new Map(Object.entries(told).map(([event, types]) => [event, new Map(Object.entries(types))]));

/** The events of one step: what came in and made a turn, and what the session published of itself and its agents. */
export function eventRows(input: LogRecord, outs: readonly LogRecord[], origins: TurnOrigins): EventRow[] {
  const rows: EventRow[] = [];
  if (input.mark === 'suppressed') return rows;
  if (input.mark === 'both') addRow(rows, input, origins);
  else {
    for (const out of outs) {
      if (out.event === 'EVENT' && out.subtype === 'TURN_ACCEPTED' && input.event === 'USER_INPUT') {
        addRow(rows, input, origins, out.turn_id);
      } else addRow(rows, out, origins);
    }
  }
  return rows;
}

function addRow(rows: EventRow[], record: LogRecord, origins: TurnOrigins, turn_id = record.turn_id): void {
  // A message that goes to an agent repeats the input that made its turn; only the input is the event.
  if (record.payload_of !== undefined) return;
  const named = isTrigger(record) ? inputOf(record, turn_id) : null;
  const event_type = named?.event_type ?? toldBy.get(record.event)?.get(record.subtype);
  if (event_type === undefined) return;
  const { thread_id, bot_id, actor_id } = origins.of(turn_id);
  rows.push({
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
  });
}

/** The event of a turn as its run knows it: its own, or the turn itself. */
function inputOf(record: LogRecord, turn_id: string | undefined): Pick<EventRow, 'event_id' | 'event_type'> | null {
  if (turn_id === undefined) return null;
  if (record.event !== 'USER_INPUT') return { event_id: turn_id, event_type: 'session.handover' };
  const { event } = record.payload;
  return event ?? { event_id: turn_id, event_type: messageReceived };
}
