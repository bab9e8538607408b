import { isShown } from '@rostra/kernel/agui/agui-view';
import { type Framed, frameId } from '@rostra/kernel/agui/frame';
import type { LogRecord } from '@rostra/protocol/record/record';
import type { Framing } from './framing.ts';

const hidden: Framed<null> = { view: null, text: '', count: 0, ends: 0, ascii: true };

/** Everyone who follows sees what was asked, too: it came from one of them, or from somebody who may write here. */
export function isSeen(record: LogRecord): boolean {
  return isShown(record) || (record.event === 'USER_INPUT' && record.mark === 'in');
}

/** Of an input its words, what came with them and what they replace; the rest is between its sender and the agent. */
function payloadOf(record: LogRecord): object {
  if (record.event !== 'USER_INPUT') return record.payload;
  const { input, mentioned_agent_id, client_run_id, client_message_id, branch, event } = record.payload;
  const kind = event === undefined ? undefined : { event_type: event.event_type, source: event.source };
  return { input, mentioned_agent_id, client_run_id, client_message_id, branch, event: kind };
}

/** A record as a frontend sees it: the message that was published, without what only the host needs. */
function shown(record: LogRecord): object {
  return {
    id: record.id,
    session_id: record.session_id,
    seq: record.seq,
    event: record.event,
    subtype: record.subtype,
    sender: record.sender,
    target: record.target,
    turn_id: record.turn_id,
    requested_by: record.requested_by,
    trace_id: record.trace_id,
    tx_id: record.tx_id,
    run_id: record.run_id,
    ts: record.ts,
    epoch: record.epoch,
    payload: payloadOf(record),
  };
}

/** A whole session as the messages that it published, one frame each (RA-10.3). */
export const messageFraming: Framing<null> = {
  begin: () => null,
  frame(_view, record) {
    if (!isSeen(record)) return hidden;
    const text = `id: ${frameId(record.seq, 0, record.epoch)}\ndata: ${JSON.stringify(shown(record))}\n\n`;
    return { view: null, text, count: 1, ends: 0, ascii: false };
  },
  isDone: () => false,
  isStateless: true,
};
