import type { LogRecord } from '@rostra/protocol/record/record';
import { expect, it } from 'vitest';
import { messageFraming } from '../../src/http/sse/message-framing.ts';

it('a message that was said anew tells its followers what it replaces', () => {
  const record: LogRecord = {
    id: 'run:r1',
    session_id: 's',
    seq: 9,
    epoch: 1,
    v: 1,
    mark: 'in',
    sender: { kind: 'user', id: 'owner', role: 'owner' },
    target: 'SYSTEM',
    visibility: 'both',
    turn_id: 't2',
    ts: 1,
    event: 'USER_INPUT',
    subtype: 'INPUT',
    payload: {
      input: { text: 'two, again', contents: [], attachments: [], message_chain: null },
      data: {},
      branch: { from_seq: 5 },
    },
  };
  const { text } = messageFraming.frame(null, record);
  expect(JSON.parse(text.slice(text.indexOf('data: ') + 6)).payload).toMatchObject({ branch: { from_seq: 5 } });
});
