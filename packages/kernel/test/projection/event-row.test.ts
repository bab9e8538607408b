import { eventRows } from '@rostra/kernel/projection/event-row';
import { toldEvent } from '@rostra/kernel/projection/told-event';
import { stepsOf, TranscriptFold } from '@rostra/kernel/projection/transcript';
import { SessionEventType } from '@rostra/protocol/api/session-event-type';
import type { LogRecord } from '@rostra/protocol/record/record';
import { AgentEventEnvelope } from '@rostra/protocol/runner/run-context';
import { limits } from '@rostra/protocol/wire/limits';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { play, schedules } from '../session/schedule.ts';
import { SessionBench } from '../session/session-bench.ts';
import { logOf } from './log-of.ts';

function eventsOf(log: readonly LogRecord[]) {
  const fold = new TranscriptFold();
  return [...stepsOf(log)].flatMap(([input, outs]) => {
    fold.take(input, outs);
    return eventRows(input, outs, fold.origins);
  });
}

describe('the events of a log', () => {
  it('are what came in, what tools did, and what the session did: not how far a turn has come', () => {
    const bench = SessionBench.open();
    bench.say('hi', { turn_id: 't' });
    bench.ack();
    bench.output('tool.call.started', { tool_call_id: 'c', tool_name: 'look' });
    bench.chunk('well', { message_id: 't.1.m1' });
    bench.final();
    const rows = eventsOf(logOf(bench.inputs));
    expect(rows.map(({ event_type }) => event_type)).toEqual(
      expect.arrayContaining(['session.opened', 'message.received', 'tool.call.started']),
    );
    const known: readonly string[] = ['message.received', ...SessionEventType.options];
    for (const { event_type } of rows) expect(known).toContain(event_type);
    expect(rows.find(({ event_type }) => event_type === 'message.received')).toMatchObject({
      event_id: 't',
      turn_id: 't',
      actor_id: 'owner',
    });
  });

  it('stand each at a record of its own, under an id of its own, whatever happens', () => {
    const check = fc.property(schedules(), (schedule) => {
      const log = logOf(play(schedule).inputs);
      const rows = eventsOf(log);
      expect(new Set(rows.map(({ seq }) => seq)).size).toBe(rows.length);
      expect(new Set(rows.map(({ event_id }) => event_id)).size).toBe(rows.length);
      const accepted = log.filter(({ mark, subtype }) => mark === 'out' && subtype === 'TURN_ACCEPTED');
      const begun = rows.filter(({ turn_id, event_id }) => turn_id !== null && event_id === turn_id);
      expect(begun.length).toBeLessThanOrEqual(accepted.length);
      for (const row of rows) {
        const record = log[row.seq - 1];
        if (record === undefined) throw new Error('no such record');
        const told = toldEvent(record, row, 'w');
        expect(AgentEventEnvelope.parse(told)).toEqual(told);
        expect(told.event).toMatchObject({ event_id: row.event_id, event_type: row.event_type });
        expect(told).toEqual(toldEvent(record, row, 'w'));
      }
    });
    fc.assert(check, { seed: 11, numRuns: 150 });
  });

  it('leave out what is large, and what a person filled in', () => {
    const bench = SessionBench.open();
    bench.say('x'.repeat(limits.event_inline_bytes + 1), { turn_id: 't' });
    const log = logOf(bench.inputs);
    const row = eventsOf(log).find(({ event_id }) => event_id === 't');
    const record = log[(row?.seq ?? 0) - 1];
    if (row === undefined || record === undefined) throw new Error('no event');
    expect(toldEvent(record, row, 'w').input).toBeNull();
    const payload = {
      interaction_id: 'i',
      outcome: 'answered' as const,
      answer: { action_id: 'ok', values: { password: 'secret' } },
      answered_by: 'owner',
    };
    const answered = { ...record, event: 'EVENT', subtype: 'INTERACTION_RESOLVED', payload } as LogRecord;
    const told = toldEvent(answered, { ...row, event_type: 'interaction.resolved' }, 'w');
    expect(told.event.data).toMatchObject({ interaction_id: 'i', outcome: 'answered' });
    expect(JSON.stringify(told)).not.toContain('secret');
  });
});
