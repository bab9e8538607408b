import { emptyContext } from '@rostra/kernel/session/context';
import { step } from '@rostra/kernel/session/step';
import type { LogRecord, RecordMark } from '@rostra/protocol/record/record';
import type { SessionMessage } from '@rostra/protocol/session/message';

/** The log of what a bench was sent, as the driver writes it. */
export function logOf(inputs: readonly SessionMessage[]): LogRecord[] {
  const records: LogRecord[] = [];
  let context = emptyContext('thread-1');
  const add = (message: SessionMessage, mark: RecordMark) => {
    records.push({ ...message, seq: records.length + 1, mark, v: 1 } as LogRecord);
  };
  for (const message of inputs) {
    const { context: next, publish } = step(context, message);
    context = next;
    const [only] = publish;
    let mark: RecordMark = 'in';
    if (message.event === 'AGENT_OUTPUT' && only === undefined) mark = 'suppressed';
    if (message.event === 'AGENT_OUTPUT' && publish.length === 1 && only?.payload === message.payload) mark = 'both';
    add(message, mark);
    if (mark === 'in') for (const out of publish) add(out, 'out');
  }
  return records;
}
