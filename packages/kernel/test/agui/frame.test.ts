import type { LogRecord } from '@rostra/protocol/record/record';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginView } from '../../src/agui/agui-view.ts';
import { frameAgui, framesOf } from '../../src/agui/frame.ts';
import { foldAgui } from '../../src/agui/outbound.ts';
import { recordOf, samples, taskId, threadId } from './sample-record.ts';

const dispatched = recordOf('EVENT', 'TURN_DISPATCHED', samples.EVENT.TURN_DISPATCHED, { seq: 4 });

describe('frames', () => {
  it('have the record, the place in it and the epoch as id, and LF only', () => {
    const started = frameAgui(beginView(threadId, taskId), dispatched);
    const whole = recordOf(
      'AGENT_OUTPUT',
      'message',
      { message_id: 'm', role: 'assistant', content: 'x\r\ny' },
      { seq: 7 },
    );
    const frames = framesOf(frameAgui(started.view, whole));
    expect(frames.map((frame) => frame.split('\n')[0])).toEqual(['id: 7.0.3', 'id: 7.1.3', 'id: 7.2.3']);
    for (const frame of frames) expect(frame).toMatch(/^id: [^\r\n]+\ndata: [^\r\n]+\n\n$/);
  });

  it('a chunk’s short way gives the bytes of the long way, for any text', () => {
    const payload = fc.record(
      {
        message_id: fc.constantFrom('m1', 'm"2', 'mü'),
        n: fc.nat(),
        text: fc.string({ unit: 'binary' }),
        reasoning: fc.string(),
        more: fc.array(fc.string()),
      },
      { requiredKeys: ['message_id', 'n'] },
    );
    const started = fc
      .record({
        message_id: fc.constantFrom('m1', 'm"2', 'mü'),
        channel: fc.constantFrom('text' as const, 'reasoning' as const),
      })
      .map((start) => recordOf('AGENT_OUTPUT', 'message.started', { ...start, agent_id: 'guide' }));
    const chunk = fc
      .record({ payload, ts: fc.double({ min: 0, max: 2e12, noNaN: true }), seq: fc.nat(), mine: fc.boolean() })
      .map(({ payload: data, ts, seq, mine }) =>
        recordOf('AGENT_OUTPUT', 'chunk', data, { ts, seq, mark: 'both', turn_id: mine ? taskId : 'other' }),
      );
    fc.assert(
      fc.property(fc.boolean(), fc.array(fc.oneof(started, chunk, chunk)), (dispatch, records: LogRecord[]) => {
        let view = beginView(threadId, taskId);
        for (const record of dispatch ? [dispatched, ...records] : records) {
          const framed = frameAgui(view, record);
          const folded = foldAgui(view, record);
          expect(framed.view).toEqual(folded.view);
          // A stream is cut by these bytes: one that is not counted would be taken for the next length.
          if (framed.ascii) expect(framed.text).toMatch(/^[\0-\x7f]*$/);
          expect(framesOf(framed)).toEqual(
            folded.events.map((event, n) => `id: ${record.seq}.${n}.3\ndata: ${JSON.stringify(event)}\n\n`),
          );
          view = framed.view;
        }
      }),
    );
  });

  it('are known to be ASCII in the usual case, and one other character is enough', () => {
    const { view } = frameAgui(beginView(threadId, taskId), dispatched);
    const { message_id } = samples.AGENT_OUTPUT['message.started'];
    const said = (text: string, ...more: string[]) => {
      const open = foldAgui(view, recordOf('AGENT_OUTPUT', 'message.started', samples.AGENT_OUTPUT['message.started']));
      return frameAgui(
        open.view,
        recordOf('AGENT_OUTPUT', 'chunk', { message_id, n: 0, text, more }, { mark: 'both' }),
      );
    };
    expect(said('a', 'b c').ascii).toBe(true);
    expect(said('a', 'b', 'ü', 'c').ascii).toBe(false);
    expect(said('ü').ascii).toBe(false);
    const whole = { message_id: 'm', role: 'assistant' as const, content: 'é' };
    expect(frameAgui(view, recordOf('AGENT_OUTPUT', 'message', whole)).ascii).toBe(false);
    expect(frameAgui(view, recordOf('AGENT_OUTPUT', 'message', { ...whole, content: 'e' })).ascii).toBe(true);
  });

  it('a chunk’s short way escapes each character as JSON.stringify does', () => {
    const { view } = frameAgui(beginView(threadId, taskId), dispatched);
    const open = foldAgui(view, recordOf('AGENT_OUTPUT', 'message.started', samples.AGENT_OUTPUT['message.started']));
    const { message_id } = samples.AGENT_OUTPUT['message.started'];
    const more = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit));
    const chunk = { message_id, n: 0, text: '😀', more: [...more, 'a\n', '\u2028 "', '\ud83d\ud83d\ude00'] };
    const framed = frameAgui(open.view, recordOf('AGENT_OUTPUT', 'chunk', chunk, { mark: 'both' }));
    expect(framed.view).toBe(open.view);
    const deltas = framesOf(framed).map((frame) => /"delta":(".*"),"timestamp"/s.exec(frame)?.[1]);
    expect(deltas).toEqual(['😀', ...chunk.more].map((piece) => JSON.stringify(piece)));
  });

  it('a record and its copy read back from the log give the same bytes', () => {
    const started = frameAgui(beginView(threadId, taskId), dispatched);
    for (const [subtype, payload] of Object.entries(samples.AGENT_OUTPUT)) {
      const record = recordOf('AGENT_OUTPUT', subtype as 'chunk', payload as typeof samples.AGENT_OUTPUT.chunk);
      const copy: LogRecord = JSON.parse(JSON.stringify(record));
      expect(frameAgui(started.view, copy)).toEqual(frameAgui(started.view, record));
    }
  });
});
