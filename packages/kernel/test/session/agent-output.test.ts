import { describe, expect, it } from 'vitest';
import { feKinds, kinds, only, SessionBench } from './session-bench.ts';

function running(): SessionBench {
  const bench = SessionBench.open();
  bench.say('hi', { turn_id: 't' });
  bench.ack();
  return bench;
}

describe('agent output (rule G)', () => {
  it('makes its agent the speaking one with the first chunk', () => {
    const bench = running();
    expect(kinds(bench.chunk('Hel'))).toEqual(['AGENT_OUTPUT:message.started', 'AGENT_OUTPUT:chunk']);
    expect(bench.context.speaking_agent_id).toBe('a');
    expect(kinds(bench.chunk('lo'))).toEqual(['AGENT_OUTPUT:chunk']);
  });

  it('starts a turn that was never acknowledged (SR-G.4)', () => {
    const bench = SessionBench.open();
    bench.say();
    const published = bench.chunk('a');
    expect(feKinds(published)).toEqual(['EVENT:AGENT_STARTED', 'AGENT_OUTPUT:message.started', 'AGENT_OUTPUT:chunk']);
    expect(bench.turn).toMatchObject({ status: 'RUNNING', waiting: [] });
    expect(bench.ack()).toEqual([]);
  });

  it('is forwarded with its payload and metadata, under the envelope of the session (SR-D45)', () => {
    const bench = running();
    const payload = { message_id: 'm', n: 0, text: 'x' };
    const metadata = { sender: 'forged', target: 'AGENT', session_id: 'other', seq: 99 };
    const published = bench.send('AGENT_OUTPUT', 'chunk', payload, { ...bench.numbered(), metadata });
    const out = only(published, 'AGENT_OUTPUT', 'chunk');
    expect(out.payload).toEqual(payload);
    expect(out).toMatchObject({ metadata, target: 'FRONTEND', session_id: 'thread-1', turn_id: 't' });
    expect(out.sender).toEqual({ kind: 'session', id: 'thread-1' });
  });

  it('ends speaking and the turn with its final output', () => {
    const bench = running();
    bench.chunk('a');
    expect(kinds(bench.final())).toEqual(['AGENT_OUTPUT:message.ended', 'AGENT_OUTPUT:final', 'EVENT:TURN_COMPLETED']);
    expect(bench.context).toMatchObject({ speaking_agent_id: null, inflight: {}, user_interruptible: false });
    expect(bench.context.last_turn).toMatchObject({ turn_id: 't', status: 'COMPLETED', collected_output: 'a' });
  });

  it('may be a final without an acknowledgement or a chunk before it', () => {
    const bench = SessionBench.open();
    bench.say();
    expect(feKinds(bench.final())).toEqual(['EVENT:AGENT_STARTED', 'AGENT_OUTPUT:final', 'EVENT:TURN_COMPLETED']);
  });

  it('closes one message before the next begins', () => {
    const bench = running();
    bench.chunk('a', { message_id: 'm1' });
    expect(kinds(bench.chunk('b', { message_id: 'm2' }))).toEqual([
      'AGENT_OUTPUT:message.ended',
      'AGENT_OUTPUT:message.started',
      'AGENT_OUTPUT:chunk',
    ]);
  });

  it('names the channel of a message by what its first chunk carries', () => {
    const bench = running();
    const thinking = bench.send('AGENT_OUTPUT', 'chunk', { message_id: 'm1', n: 0, reasoning: 'hm' }, bench.numbered());
    expect(only(thinking, 'AGENT_OUTPUT', 'message.started').payload.channel).toBe('reasoning');
    const speaking = bench.chunk('so', { message_id: 'm2' });
    expect(only(speaking, 'AGENT_OUTPUT', 'message.started').payload.channel).toBe('text');
    expect(bench.turn.collected_output).toBe('so');
  });

  it('that completes a streamed message closes it and is not collected twice', () => {
    const bench = running();
    bench.chunk('hello', { message_id: 'm' });
    expect(kinds(bench.message('hello', 'm'))).toEqual(['AGENT_OUTPUT:message.ended', 'AGENT_OUTPUT:message']);
    expect(bench.turn).toMatchObject({ collected_output: 'hello', open_message_id: null });
  });

  it('that is a whole message stands alone and is collected', () => {
    const bench = running();
    expect(kinds(bench.message('hello'))).toEqual(['AGENT_OUTPUT:message']);
    expect(bench.turn.collected_output).toBe('hello');
    expect(bench.context.speaking_agent_id).toBe('a');
  });

  it.each([
    ['tool.call.started', { tool_call_id: 'c', tool_name: 'x' }],
    ['tool.call.completed', { tool_call_id: 'c', tool_name: 'x' }],
    ['artifact.created', { artifact_id: 'x' }],
    ['state.updated', { scope: 'run', key: 'k', value: 1 }],
    ['action.requested', { action: 'ui.show' }],
  ] as const)('%s is forwarded as it came', (subtype, payload) => {
    const bench = running();
    const published = bench.send('AGENT_OUTPUT', subtype, payload, bench.numbered());
    expect(kinds(published)).toEqual([`AGENT_OUTPUT:${subtype}`]);
    expect(published[0]?.payload).toEqual(payload);
  });

  it.each([
    ['another agent', { sender: { kind: 'agent' as const, id: 'b' } }],
    ['another run of the turn', { run_id: 't.2' }],
    ['a turn that is not live', { turn_id: 'gone' }],
    ['no turn at all', { turn_id: 'constructor' }],
    ['an earlier owner', { epoch: 0 }],
    ['another session', { session_id: 'thread-2' }],
  ])('from %s is not forwarded (SR-G.3)', (_case, extra) => {
    const bench = running();
    const payload = { message_id: 'm', n: 0, text: 'x' };
    expect(bench.send('AGENT_OUTPUT', 'chunk', payload, { ...bench.numbered(), ...extra })).toEqual([]);
    expect(bench.context.speaking_agent_id).toBeNull();
  });

  it('without a number is not forwarded', () => {
    const bench = running();
    const payload = { message_id: 'm', n: 0, text: 'x' };
    expect(bench.send('AGENT_OUTPUT', 'chunk', payload, bench.fromAgent())).toEqual([]);
  });

  it('that comes a second time is not forwarded again', () => {
    const bench = running();
    const first = bench.make('AGENT_OUTPUT', 'chunk', { message_id: 'm', n: 0, text: 'x' }, bench.numbered());
    expect(bench.take(first)).not.toEqual([]);
    expect(bench.take(first)).toEqual([]);
  });

  it.each([
    ['a number of the run', { sequence: 1, n: 0 }],
    ['a number of the chunks', { sequence: 0, n: 1 }],
  ])('that skips %s ends the turn visibly', (_case, chunk) => {
    const bench = running();
    const published = bench.chunk('late', chunk);
    expect(kinds(published)).toEqual(['CONTROL:CANCEL', 'EVENT:TURN_FAILED']);
    expect(only(published, 'EVENT', 'TURN_FAILED').payload).toMatchObject({
      code: 'OUTPUT_GAP',
      message: 'part of the answer was lost: expected 0, got 1',
      retryable: true,
    });
  });

  it('of a turn that ended is not forwarded, not even to the next turn of that agent', () => {
    const bench = running();
    const late = bench.numbered();
    bench.final();
    bench.say('next');
    expect(bench.send('AGENT_OUTPUT', 'chunk', { message_id: 'm', n: 0, text: 'x' }, late)).toEqual([]);
  });
});

describe('a failed run', () => {
  it('fails its live turn with the code and the text it gave (SR-D19, SR-D20)', () => {
    const bench = running();
    bench.chunk('half');
    const published = bench.fail('demo.failed');
    expect(kinds(published)).toEqual(['AGENT_OUTPUT:message.ended', 'EVENT:TURN_FAILED']);
    const failed = only(published, 'EVENT', 'TURN_FAILED');
    expect(failed.payload).toEqual({
      agent_id: 'a',
      run_id: 't.1',
      code: 'demo.failed',
      message: 'it failed',
      retryable: false,
    });
    expect(failed.trace_id).toBe('t');
  });

  it('that came as a result has a number and can reveal a gap', () => {
    const bench = running();
    const payload = { code: 'demo.failed', message: 'it failed', retryable: false };
    const published = bench.send('ERROR', 'RUN_FAILED', payload, bench.numbered(3));
    expect(only(published, 'EVENT', 'TURN_FAILED').payload.code).toBe('OUTPUT_GAP');
  });

  it('that is over already has no effect', () => {
    const bench = running();
    const late = bench.fromAgent();
    bench.final();
    const payload = { code: 'runner.exited', message: 'gone', retryable: true };
    expect(bench.send('ERROR', 'RUN_FAILED', payload, late)).toEqual([]);
  });

  it('leaves the next turn in the queue to go on', () => {
    const bench = running();
    bench.say('next', { turn_id: 't2' });
    bench.fail();
    expect(bench.turn.turn_id).toBe('t2');
  });
});

describe('an error of an agent that belongs to no turn (SR-D19)', () => {
  it('is told as an error of the session, without what only an operator may read', () => {
    const bench = SessionBench.open();
    bench.say();
    const published = bench.agentError('a');
    expect(kinds(published)).toEqual(['ERROR:AGENT_FAILED']);
    expect(only(published, 'ERROR', 'AGENT_FAILED').payload).toMatchObject({
      code: 'runtime_error',
      retryable: true,
      details: { agent_id: 'a', code: 'runner.exited' },
    });
    expect(JSON.stringify(published)).not.toContain('secret');
    expect(bench.turn.status).toBe('ROUTING');
  });

  it('is told once, and only of agents in the session', () => {
    const bench = SessionBench.open();
    bench.agentError('a', 'e1');
    expect(bench.agentError('a', 'e1')).toEqual([]);
    expect(bench.agentError('stranger', 'e2')).toEqual([]);
  });
});

describe('effects of a run (SR-INV-R3)', () => {
  const effects = [
    ['state.updated', { scope: 'runner', key: 'k', value: 1 }],
    ['artifact.created', { artifact_id: 'x' }],
    ['action.requested', { action: 'send' }],
  ] as const;

  it.each(effects)('%s is taken while the run is active, and not after its end', (subtype, payload) => {
    const bench = SessionBench.open();
    bench.say();
    expect(kinds(bench.send('AGENT_OUTPUT', subtype, payload, bench.numbered()))).toContain(`AGENT_OUTPUT:${subtype}`);
    const late = bench.numbered(2);
    bench.final();
    expect(bench.send('AGENT_OUTPUT', subtype, payload, late)).toEqual([]);
  });

  it.each(effects)('%s of an attempt that is not the current one has no effect', (subtype, payload) => {
    const bench = SessionBench.open({ policies: { a: { resumable: true } } });
    bench.say();
    const old = bench.numbered();
    bench.recover();
    expect(bench.send('AGENT_OUTPUT', subtype, payload, { ...old, epoch: bench.epoch })).toEqual([]);
  });

  it.each(effects)('%s is withheld once the cancel was accepted', (subtype, payload) => {
    const bench = SessionBench.open();
    bench.say();
    bench.cancel();
    expect(bench.send('AGENT_OUTPUT', subtype, payload, bench.numbered())).toEqual([]);
  });
});
