import { saidIn } from '@rostra/kernel/projection/said';
import { stepsOf, TranscriptFold, transcriptOf } from '@rostra/kernel/projection/transcript';
import { emptyContext } from '@rostra/kernel/session/context';
import { step } from '@rostra/kernel/session/step';
import type { LogRecord, RecordMark } from '@rostra/protocol/record/record';
import type { SessionMessage } from '@rostra/protocol/session/message';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { play, schedules } from '../session/schedule.ts';
import { SessionBench } from '../session/session-bench.ts';

/** The log of what a bench was sent, as the driver writes it. */
function logOf(inputs: readonly SessionMessage[]): LogRecord[] {
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

function transcript(bench: SessionBench) {
  return transcriptOf(logOf(bench.inputs)).map(({ role, content, metadata }) => ({ role, content, ...metadata }));
}

function speaking(): SessionBench {
  const bench = SessionBench.open();
  bench.say('hi', { turn_id: 't' });
  bench.chunk('one ', { message_id: 't.1.m1' });
  bench.chunk('two', { message_id: 't.1.m1', more: [' and', ' a half'] });
  return bench;
}

describe('the transcript', () => {
  it('has an input when it is accepted, and an answer when its message has ended', () => {
    const bench = speaking();
    expect(transcript(bench)).toEqual([{ role: 'user', content: 'hi' }]);
    bench.final();
    expect(transcript(bench)).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'one two and a half' },
    ]);
  });

  it('says whose each item is, and stands at the record that finished it', () => {
    const bench = speaking();
    bench.final();
    const log = logOf(bench.inputs);
    const [user, answer] = transcriptOf(log);
    expect(user).toMatchObject({ actor: { type: 'user', id: 'owner' }, turn_id: 't', item_id: 't' });
    expect(log[(user?.seq ?? 0) - 1]).toMatchObject({ event: 'USER_INPUT', mark: 'in' });
    expect(answer).toMatchObject({ actor: { type: 'agent', id: 'a' }, turn_id: 't', run_id: 't.1', item_id: 't.1.m1' });
    expect(log[(answer?.seq ?? 0) - 1]?.subtype).toBe('message.ended');
  });

  it('does not have an input that was refused', () => {
    const bench = SessionBench.open();
    bench.say('hello?', { mention: 'nobody' });
    expect(transcript(bench)).toEqual([]);
  });

  it('keeps reasoning out', () => {
    const bench = SessionBench.open();
    bench.say('hi', { turn_id: 't' });
    bench.output('chunk', { message_id: 't.1.m1', n: 0, reasoning: 'let me think' });
    bench.chunk('yes', { message_id: 't.1.m2', n: 1 });
    bench.output('message', { message_id: 't.1.m2', role: 'assistant', content: 'yes', reasoning: 'thought' });
    bench.final();
    expect(transcript(bench)).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'yes' },
    ]);
  });

  it('has a whole message once, in the place of what was streamed of it', () => {
    const bench = speaking();
    bench.message('one two and a half.', 't.1.m1');
    bench.message('And another.', 't.1.m2');
    bench.final();
    expect(transcript(bench).slice(1)).toEqual([
      { role: 'assistant', content: 'one two and a half.' },
      { role: 'assistant', content: 'And another.' },
    ]);
  });

  it('keeps what was shown of a cancelled turn, marked, and not what was withheld', () => {
    const bench = speaking();
    bench.cancel();
    bench.chunk(' never seen');
    bench.cancelAck();
    expect(transcript(bench)[1]).toEqual({ role: 'assistant', content: 'one two and a half', status: 'cancelled' });
    expect(transcript(bench)).toHaveLength(2);
  });

  it.each([
    ['by its agent', (bench: SessionBench) => bench.fail('demo.failed'), 'demo.failed'],
    ['by a gap', (bench: SessionBench) => bench.chunk('lost', { sequence: 99 }), 'OUTPUT_GAP'],
    ['by a deadline', (bench: SessionBench) => bench.advance(60_000), 'deadline_exceeded'],
    ['by a restart', (bench: SessionBench) => bench.recover(), 'host.restarted'],
  ])('keeps what was shown of a turn that failed %s, marked', (_how, fail, code) => {
    const bench = speaking();
    fail(bench);
    expect(transcript(bench)[1]).toEqual({ role: 'assistant', content: 'one two and a half', status: 'failed', code });
  });

  it('has the parts of a message that is more than text', () => {
    const bench = SessionBench.open();
    bench.say();
    const content = [
      { type: 'text', text: 'see' },
      { type: 'image', url: 'https://x.example/y.png' },
    ];
    bench.output('message', { message_id: 'm', role: 'assistant', content });
    expect(transcriptOf(logOf(bench.inputs))[1]).toMatchObject({ content: 'see', content_json: content });
  });

  it('is the same however the log was cut into commits', () => {
    const check = fc.property(schedules(), fc.nat(1000), (schedule, cut) => {
      const log = logOf(play(schedule).inputs);
      const steps = [...stepsOf(log)];
      const fold = new TranscriptFold();
      const rows = steps.flatMap(([input, outs]) => fold.take(input, outs));
      expect(rows).toEqual(transcriptOf(log));
      expect(rows.map(({ seq }) => seq)).toEqual([...new Set(rows.map(({ seq }) => seq))].sort((x, y) => x - y));
      // What was projected of a prefix is never changed by what follows.
      const upTo = steps[cut % steps.length]?.[0].seq ?? 1;
      const prefix = transcriptOf(log.filter(({ seq }) => seq < upTo));
      expect(rows.slice(0, prefix.length)).toEqual(prefix);
    });
    fc.assert(check, { seed: 7, numRuns: 150 });
  });
});

describe('what was said in a turn', () => {
  it('is the text that was shown, and the message that is still open', () => {
    const bench = speaking();
    expect(saidIn(logOf(bench.inputs), 't')).toEqual({ said: 'one two and a half', channel: 'text' });
    bench.message('whole', 't.1.m2');
    expect(saidIn(logOf(bench.inputs), 't')).toEqual({ said: 'one two and a halfwhole', channel: null });
  });

  it('names the answer that the run has not acted upon', () => {
    const bench = speaking();
    bench.ask('q');
    bench.answer('q');
    const answer = { interaction_id: 'q', action_id: 'yes', values: {} };
    expect(saidIn(logOf(bench.inputs), 't').interaction_answer).toEqual(answer);
    bench.chunk(' more', { message_id: 't.1.m1' });
    expect(saidIn(logOf(bench.inputs), 't').interaction_answer).toBeUndefined();
  });
});
