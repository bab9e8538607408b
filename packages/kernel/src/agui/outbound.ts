import type { LogRecord } from '@rostra/protocol/record/record';
import type { AguiEvent } from '@rostra/protocol/run-api/agui-event';
import { AguiPen } from './agui-pen.ts';
import { type AguiView, isShown } from './agui-view.ts';
import { writeOutput } from './output-rows.ts';
import { writeControl, writeTurn } from './turn-rows.ts';

const nothing: readonly AguiEvent[] = [];

/** Its own records; who is active and what became of a handover belong to the session, whose turn it is. */
function concerns({ taskId }: AguiView, { turn_id, event, subtype }: LogRecord): boolean {
  if (turn_id !== undefined) return turn_id === taskId;
  return event === 'CONTROL' && (subtype === 'SWITCH_AGENT' || subtype === 'HANDOVER_RESOLVED');
}

/**
 * The second of the two translators: one record of a session, as one task's followers see it. Records of other turns
 * and records that were not published change nothing; neither does anything after the terminal event.
 */
export function foldAgui(view: AguiView, record: LogRecord): { view: AguiView; events: readonly AguiEvent[] } {
  if (view.phase === 'done' || !concerns(view, record) || !isShown(record)) return { view, events: nothing };
  const pen = new AguiPen(view, record);
  switch (record.event) {
    case 'AGENT_OUTPUT':
      writeOutput(pen, record);
      break;
    case 'EVENT':
      writeTurn(pen, record);
      break;
    case 'CONTROL':
      writeControl(pen, record);
      break;
    // ERROR: the turn's own end follows as TURN_FAILED. USER_INPUT and TIMER are not published to frontends.
    default:
  }
  return { view: pen.view, events: pen.events };
}
