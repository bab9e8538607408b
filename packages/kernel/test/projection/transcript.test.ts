import { saidIn } from '@rostra/kernel/projection/said';
import { stepsOf, TranscriptFold, transcriptOf } from '@rostra/kernel/projection/transcript';
import { TurnEvent, UserInputPayload } from '@rostra/protocol/session/input';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { play, schedules } from '../session/schedule.ts';
import { owner, SessionBench } from '../session/session-bench.ts';
import { logOf } from './log-of.ts';

function transcript(bench: SessionBench) {
  return transcriptOf(logOf(bench.inputs)).map(({ role, content, metadata }) => ({ role, content, ...metadata }));
}

/** Says something in place of what stands from a record on. */
function branch(bench: SessionBench, from_seq: number, more: object = {}): void {
  const payload = UserInputPayload.parse({ input: { text: 'again' }, branch: { from_seq }, ...more });
  bench.send('USER_INPUT', 'INPUT', payload, { turn_id: 't2', sender: owner });
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

  it('shows a NUL as what a database can keep: nothing after it is lost', () => {
    const bench = SessionBench.open();
    const payload = UserInputPayload.parse({ input: { text: 'be\0fore' }, client_message_id: 'm\x001' });
    bench.send('USER_INPUT', 'INPUT', payload, { turn_id: 't', sender: owner });
    bench.chunk('an\0swer', { message_id: 't.1.m1' });
    bench.final();
    const rows = transcriptOf(logOf(bench.inputs));
    expect(rows.map(({ content }) => content)).toEqual(['be\uFFFDfore', 'an\uFFFDswer']);
    expect(rows[0]?.client_id).toBe('m\uFFFD1');
  });

  it('does not have an input that was refused', () => {
    const bench = SessionBench.open();
    bench.say('hello?', { mention: 'nobody' });
    expect(transcript(bench)).toEqual([]);
  });

  it('says which messages a later one takes back, and how its client calls it', () => {
    const bench = speaking();
    bench.final();
    const [first] = transcriptOf(logOf(bench.inputs));
    branch(bench, first?.seq ?? 0, { client_message_id: 'u1' });
    const [, , edited] = transcriptOf(logOf(bench.inputs));
    expect(edited).toMatchObject({ client_id: 'u1', supersedes: first?.seq, turn_id: 't2' });
    expect(first).toMatchObject({ client_id: null, supersedes: null });
  });

  it('does not have what an answer says after it was taken back', () => {
    const bench = speaking();
    const [first] = transcriptOf(logOf(bench.inputs));
    branch(bench, first?.seq ?? 0);
    bench.final();
    expect(transcript(bench)).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'user', content: 'again' },
    ]);
  });

  it('has what an earlier turn says that a branch leaves alone', () => {
    const bench = speaking();
    const last = logOf(bench.inputs).at(-1)?.seq ?? 0;
    branch(bench, last);
    bench.final();
    expect(transcript(bench).map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
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

  it('has what a tool gave, as text, with its card, under the id that clients know (RA-6.8)', () => {
    const bench = speaking();
    const ui_schema = { version: '2.0', root: { type: 'divider' } };
    bench.output('tool.call.completed', { tool_call_id: 'c1', tool_name: 'find', result: { hits: 2 }, ui_schema });
    bench.output('tool.call.completed', { tool_call_id: 'c2', tool_name: 'find', error: 'It is down.' });
    bench.final();
    const rows = transcriptOf(logOf(bench.inputs)).filter(({ role }) => role === 'tool');
    expect(rows).toMatchObject([
      { item_id: 't.c1', item_type: 'tool_result', content: '{"hits":2}', ui_schema, run_id: 't.1', turn_id: 't' },
      { item_id: 't.c2', content: 'It is down.', ui_schema: null, metadata: { status: 'failed', tool_name: 'find' } },
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

  it('keeps what was said, and has its change or withdrawal as an item of its own (CX-6.5)', () => {
    const bench = speaking();
    bench.message('one two', 't.1.m2');
    bench.output('message.edited', { message_id: 't.1.m2', content: 'one two three' });
    bench.output('message.deleted', { message_id: 't.1.m2' });
    const rows = transcriptOf(logOf(bench.inputs)).slice(-3);
    expect(rows.map(({ item_id, item_type, content }) => [item_id, item_type, content])).toEqual([
      ['t.1.m2', 'message', 'one two'],
      ['t.1.m2', 'message.edited', 'one two three'],
      ['t.1.m2', 'message.deleted', ''],
    ]);
    expect(new Set(rows.map(({ seq }) => seq)).size).toBe(3);
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

  it.each([
    ['message.received', ['user', 'assistant']],
    ['schedule.triggered', ['assistant']],
    ['interaction.submitted', ['assistant']],
  ])('has what came with %s as words of a person only if it was a message (CX-4.10)', (event_type, roles) => {
    const bench = SessionBench.open();
    const event = TurnEvent.parse({ event_id: 'e', event_type, source: 'test', trigger_source: 'system' });
    const input = { text: event_type === 'message.received' ? 'hi' : null, contents: [], attachments: [] };
    bench.send('USER_INPUT', 'INPUT', { input: { ...input, message_chain: null }, data: {}, event }, { turn_id: 't' });
    bench.ack();
    bench.message('done', 't.1.m1');
    expect(transcript(bench).map(({ role }) => role)).toEqual(roles);
  });

  const joined = TurnEvent.parse({
    event_id: 'e',
    event_type: 'message.received',
    source: 'qq',
    trigger_source: 'platform',
    conversation: { thread_id: 'x', bot_id: 'bot', launcher_type: null, launcher_id: null },
    actor: { actor_type: 'user', actor_id: 'ada', actor_name: null, metadata: {} },
  });
  const nothing = { text: 'hi', contents: [], attachments: [], message_chain: null };

  it('has each item in the thread, under the bot and for the actor of its turn, and names its event', () => {
    const bench = SessionBench.open();
    bench.say('hi', { turn_id: 't' });
    bench.final();
    bench.send('USER_INPUT', 'INPUT', { input: nothing, data: {}, event: joined }, { turn_id: 'u' });
    bench.ack();
    bench.message('done', 'u.1.m1');
    bench.final();
    const rows = transcriptOf(logOf(bench.inputs));
    const own = { event_id: 't', thread_id: null, bot_id: null, actor_id: 'owner' };
    const place = { event_id: 'e', thread_id: 'x', bot_id: 'bot', actor_id: '["qq","ada"]' };
    expect(rows).toMatchObject([
      { ...own, event_type: 'message.received' },
      { ...place, event_type: 'message.received' },
      { ...place, event_type: 'message.completed' },
    ]);
  });

  it('knows the thread of a turn that was accepted before the log was taken over', () => {
    const bench = speaking();
    bench.send('USER_INPUT', 'INPUT', { input: nothing, data: {}, event: joined }, { turn_id: 'u' });
    bench.final();
    bench.ack();
    bench.message('done', 'u.1.m1');
    bench.final();
    // Whoever takes over reads nothing of a turn that waits; its input is filled in when it is sent.
    const log = logOf(bench.inputs);
    const sent = log.findIndex(({ mark, target, turn_id }) => mark === 'out' && target === 'AGENT' && turn_id === 'u');
    const from = log.findLastIndex(({ mark }, index) => mark === 'in' && index < sent);
    const [last] = transcriptOf(
      log
        .slice(from)
        .map((record) =>
          record.event === 'USER_INPUT' ? { ...record, payload: { input: nothing, data: {}, event: joined } } : record,
        ),
    ).slice(-1);
    expect(last).toMatchObject({ content: 'done', thread_id: 'x', bot_id: 'bot', actor_id: '["qq","ada"]' });
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

  it('names the answer that the session took, not one that came too late', () => {
    const bench = speaking();
    bench.ask('q');
    bench.answer('q');
    bench.control('INTERACTION_ANSWERED', { interaction_id: 'q', action_id: 'no', values: {} });
    expect(saidIn(logOf(bench.inputs), 't').interaction_answer).toMatchObject({ action_id: 'yes' });
  });

  it('names no answer to a question that the host asked about the budget', () => {
    const bench = speaking();
    bench.ask('q', 60_000, 'budget');
    bench.answer('q');
    expect(saidIn(logOf(bench.inputs), 't').interaction_answer).toBeUndefined();
  });
});
