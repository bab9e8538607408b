import { describe, expect, it } from 'vitest';
import { feKinds, kinds, only, SessionBench } from './session-bench.ts';

const request = { calls: [{ tool_call_id: 'c1', name: 'client.maps', parameters: {} }] };

function calling(bench = SessionBench.open()): SessionBench {
  bench.say('hi', { turn_id: 't' });
  bench.ack();
  bench.chunk('let me see');
  const payload = { interaction_id: 'q1', purpose: 'client_tool' as const, kind: 'client_tool', request };
  bench.control('INTERACTION_REQUESTED', payload, bench.numbered());
  return bench;
}

function answer(bench: SessionBench, client_run_id: string) {
  const values = { results: [{ tool_call_id: 'c1', content: 'x' }] };
  return bench.control('INTERACTION_ANSWERED', { interaction_id: 'q1', action_id: 'results', values, client_run_id });
}

describe('a call of a client’s tool', () => {
  it('closes the open message, and what is said behind it is another one', () => {
    const bench = SessionBench.open();
    bench.say('hi', { turn_id: 't' });
    bench.ack();
    bench.chunk('let me see');
    const payload = { interaction_id: 'q1', purpose: 'client_tool' as const, kind: 'client_tool', request };
    const published = bench.control('INTERACTION_REQUESTED', payload, bench.numbered());
    expect(feKinds(published)).toEqual(['AGENT_OUTPUT:message.ended', 'EVENT:INTERACTION_OPENED']);
    expect(bench.turn).toMatchObject({ open_message_id: null, waiting: [{ calls: ['c1'] }] });
    answer(bench, 'run-2');
    const [started] = bench.chunk('there it is', { message_id: 't.1.m2' });
    expect(started).toMatchObject({ subtype: 'message.started', payload: { message_id: 't.1.m2' } });
  });

  it('remembers where the log tells of it', () => {
    const bench = calling();
    const [waiting] = bench.turn.waiting;
    const opened = bench.published.findLast(({ subtype }) => subtype === 'INTERACTION_OPENED');
    expect(waiting?.opened_seq).toEqual(expect.any(Number));
    expect(opened).toBeDefined();
  });

  it('the answer names the run that its client begins with it', () => {
    expect(only(answer(calling(), 'run-2'), 'EVENT', 'INTERACTION_RESOLVED').payload).toMatchObject({
      outcome: 'answered',
      client_run_id: 'run-2',
    });
  });

  it('reported by the runner as well, it keeps no lost run from going on', () => {
    const bench = SessionBench.open({ policies: { a: { resumable: true } } });
    bench.say('hi', { turn_id: 't' });
    bench.ack();
    bench.output('tool.call.started', { tool_call_id: 'x', tool_name: 'client.maps' });
    expect(bench.turn.open_calls).toBe(0);
    expect(kinds(bench.recover())).toContain('EVENT:TURN_RESUMED');
  });

  it('that its run leaves behind is nobody’s to answer', () => {
    const bench = calling();
    expect(only(bench.final(), 'EVENT', 'INTERACTION_RESOLVED').payload.outcome).toBe('run_ended');
    expect(bench.context.questions).toEqual([]);
  });
});

describe('a run that begins with an answer', () => {
  it('has its client’s name when it is a turn of its own', () => {
    const bench = SessionBench.open();
    bench.say('hi', { turn_id: 't' });
    bench.ack();
    bench.ask('q1');
    bench.final();
    const payload = { interaction_id: 'q1', action_id: 'yes', values: {}, client_run_id: 'run-2' };
    const published = bench.control('INTERACTION_ANSWERED', payload, { turn_id: 'mine' });
    expect(only(published, 'EVENT', 'TURN_ACCEPTED')).toMatchObject({
      turn_id: 'mine',
      payload: { client_run_id: 'run-2' },
    });
    expect(only(published, 'EVENT', 'TURN_DISPATCHED').payload.client_run_id).toBe('run-2');
  });

  it('has it also behind a handover that had to wait for the asking turn', () => {
    const bench = SessionBench.open({ agents: ['a', 'b'] });
    bench.say('hi', { turn_id: 't' });
    bench.ack();
    bench.askHandover('b');
    bench.control('HANDOVER_CONFIRM', { client_run_id: 'run-2' }, { tx_id: bench.tx('HANDOVER').tx_id });
    expect(only(bench.cancelAck(), 'EVENT', 'TURN_ACCEPTED').payload.client_run_id).toBe('run-2');
  });
});
