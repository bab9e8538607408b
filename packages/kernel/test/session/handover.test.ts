import { describe, expect, it } from 'vitest';
import { feKinds, kinds, only, refusalOf, SessionBench } from './session-bench.ts';

/** Agent a has said something and asked for b; the prompt is with the user. */
function prompted(options = {}): SessionBench {
  const bench = SessionBench.open(options);
  bench.say('hi', { turn_id: 't' });
  bench.chunk('so far');
  bench.askHandover('b', 'the story');
  return bench;
}

function rejection(bench: SessionBench, target: string) {
  return only(bench.askHandover(target), 'CONTROL', 'HANDOVER_REJECTED').payload.reason;
}

describe('a handover (rule F)', () => {
  it('asks the user first, with the request and what the agent said', () => {
    const bench = SessionBench.open();
    bench.say('hi', { turn_id: 't' });
    bench.chunk('so far');
    const published = bench.askHandover('b', 'the story');
    expect(kinds(published)).toEqual(['CONTROL:HANDOVER_UI_PROMPT']);
    expect(only(published, 'CONTROL', 'HANDOVER_UI_PROMPT')).toMatchObject({
      target: 'FRONTEND',
      turn_id: 't',
      tx_id: bench.tx('HANDOVER').tx_id,
      payload: { from_agent_id: 'a', target_agent_id: 'b', summary: 'the story', output: 'so far' },
    });
    expect(bench.context.active_agent_id).toBe('a');
  });

  it('waits at CONFIRM until the asking turn is terminal, and only then switches (SR-D42)', () => {
    const bench = prompted();
    expect(kinds(bench.confirm())).toEqual(['AGENT_OUTPUT:message.ended', 'CONTROL:CANCEL', 'EVENT:CANCEL_SENT']);
    expect(bench.context.active_agent_id).toBe('a');
    const published = bench.cancelAck();
    expect(kinds(published)).toEqual([
      'EVENT:CANCELED',
      'CONTROL:HANDOVER_RESOLVED',
      'CONTROL:SWITCH_AGENT',
      'CONTROL:SWITCH_AGENT',
      'EVENT:ACTIVE_AGENT_CHANGED',
      'EVENT:TURN_ACCEPTED',
      'EVENT:TURN_DISPATCHED',
      'CONTROL:HANDOVER_CONTEXT',
    ]);
    expect(only(published, 'CONTROL', 'SWITCH_AGENT', 'BROADCAST').payload.reason).toBe('handover');
    expect(bench.context.active_agent_id).toBe('b');
  });

  it('waits at most T_cancel for the asking agent to stop (SR-D42)', () => {
    const bench = prompted();
    bench.confirm();
    expect(kinds(bench.advance(5_000))).toContain('CONTROL:HANDOVER_CONTEXT');
  });

  it('gives the new agent a turn of its own, child of the asking one, with what was said (SR-D43)', () => {
    const bench = prompted();
    bench.confirm();
    const context = only(bench.cancelAck(), 'CONTROL', 'HANDOVER_CONTEXT');
    expect(context).toMatchObject({ target: 'AGENT', target_id: 'b', run_id: bench.turn.run_id, trace_id: 't' });
    expect(context.payload).toEqual({
      from_agent_id: 'a',
      reason: 'better suited',
      summary: 'the story',
      output: 'so far',
    });
    expect(bench.turn).toMatchObject({
      target_agent_id: 'b',
      parent: 't',
      depth: 1,
      status: 'ROUTING',
      waiting: [{ for: 'INPUT_ACK' }],
    });
  });

  it.each(['while', 'after'])(
    'stays where it was asked for, with no more rights, %s its turn runs (case 75)',
    (when) => {
      const bench = SessionBench.open();
      const place = { thread_id: 'x', bot_id: 'b' };
      bench.event({ conversation: place, binding_id: 'chat' }, 't');
      const next = bench.numbered(when === 'after' ? 1 : 0);
      if (when === 'after') bench.final();
      bench.control('HANDOVER_REQUEST', { target_agent_id: 'b', reason: '', summary: 's' }, next);
      const published = [...bench.confirm(), ...(when === 'after' ? [] : bench.cancelAck())];
      const told = only(published, 'CONTROL', 'HANDOVER_CONTEXT').payload;
      expect(told).toMatchObject({ conversation: place, binding_id: 'chat' });
      expect(bench.turn).toMatchObject({ target_agent_id: 'b', conversation: place, binding_id: 'chat' });
    },
  );

  it('takes HANDOVER_ACCEPTED for the acknowledgement, and then the new agent speaks (SR-D43)', () => {
    const bench = prompted();
    bench.confirm();
    bench.cancelAck();
    expect(kinds(bench.control('HANDOVER_ACCEPTED', {}, bench.fromAgent()))).toEqual(['EVENT:AGENT_STARTED']);
    expect(feKinds(bench.chunk('hello'))).toEqual(['AGENT_OUTPUT:message.started', 'AGENT_OUTPUT:chunk']);
    expect(bench.context.speaking_agent_id).toBe('b');
  });

  it('happens at once when the asking turn has ended before the user answers', () => {
    const bench = prompted();
    bench.chunk(' and more');
    bench.final();
    const published = bench.confirm();
    expect(only(published, 'CONTROL', 'HANDOVER_CONTEXT').payload.output).toBe('so far and more');
  });

  it('that the user rejects changes nothing, and the asking agent is told (SR-D44)', () => {
    const bench = prompted();
    const published = bench.reject();
    expect(kinds(published)).toEqual(['CONTROL:HANDOVER_REJECTED', 'CONTROL:HANDOVER_RESOLVED']);
    expect(only(published, 'CONTROL', 'HANDOVER_REJECTED')).toMatchObject({
      target: 'AGENT',
      target_id: 'a',
      run_id: 't.1',
      payload: { target_agent_id: 'b', reason: 'rejected' },
    });
    expect(bench.context.active_agent_id).toBe('a');
    expect(bench.turn.cancel).toBeNull();
  });

  it('that nobody answers within T_handover is rejected with reason timeout (SR-D44)', () => {
    const bench = prompted({ timeouts: { idle: 1_000_000 } });
    const published = bench.advance(300_000);
    expect(only(published, 'CONTROL', 'HANDOVER_REJECTED').payload.reason).toBe('timeout');
    expect(only(published, 'CONTROL', 'HANDOVER_RESOLVED').payload.outcome).toBe('timeout');
  });

  it('takes the first answer; a second one is told that nothing is pending (SR-D46)', () => {
    const bench = prompted();
    const { tx_id } = bench.tx('HANDOVER');
    expect(only(bench.reject(tx_id), 'CONTROL', 'HANDOVER_RESOLVED').target).toBe('FRONTEND');
    expect(refusalOf(bench.confirm(tx_id)).reason).toBe('TX_NOT_PENDING');
    expect(refusalOf(bench.reject(tx_id)).reason).toBe('TX_NOT_PENDING');
  });

  it('may be asked for by the agent of the current turn only; anyone else has no effect (SR-D40)', () => {
    const bench = SessionBench.open({ agents: ['a', 'b', 'c'] });
    bench.say();
    const payload = { target_agent_id: 'c', reason: '', summary: '' };
    const stranger = { ...bench.numbered(), sender: { kind: 'agent' as const, id: 'b' } };
    expect(bench.control('HANDOVER_REQUEST', payload, stranger)).toEqual([]);
    expect(bench.control('HANDOVER_REQUEST', payload, { ...bench.numbered(), run_id: 'other.1' })).toEqual([]);
    expect(bench.context.transactions).toEqual({});
  });

  it('is refused to a stranger, to oneself, and beside a pending one (SR-D41)', () => {
    const bench = SessionBench.open({ agents: ['a', 'b', 'c'] });
    bench.say();
    expect(rejection(bench, 'x')).toBe('not_found');
    expect(rejection(bench, 'a')).toBe('invalid_argument');
    bench.askHandover('b');
    expect(rejection(bench, 'c')).toBe('rate_limited');
  });

  it('arrives as HANDOVER_REQUEST with the asking agent as its sender (SR-D51)', () => {
    const bench = prompted();
    const request = bench.inputs.at(-1);
    expect(request).toMatchObject({ subtype: 'HANDOVER_REQUEST', sender: { kind: 'agent', id: 'a' } });
    expect(bench.tx('HANDOVER').handover?.from_agent_id).toBe('a');
  });

  it.each([
    ['the asking agent leaves', (bench: SessionBench) => bench.control('REMOVE_AGENT', { agent_id: 'a' })],
    ['the chosen agent leaves', (bench: SessionBench) => bench.control('REMOVE_AGENT', { agent_id: 'b' })],
    ['somebody else becomes active', (bench: SessionBench) => bench.control('SWITCH_AGENT', { agent_id: 'c' })],
    ['somebody else is mentioned', (bench: SessionBench) => bench.say('you', { mention: 'c' })],
    ['the session closes', (bench: SessionBench) => bench.control('SESSION_CLOSE', {})],
  ])('is aborted when %s, and frontends are told once (SR-INV-X5)', (_case, happens) => {
    for (const step of ['PROMPTED', 'STOPPING']) {
      const bench = prompted({ agents: ['a', 'b', 'c'] });
      if (step === 'STOPPING') bench.confirm();
      const published = happens(bench);
      expect(only(published, 'CONTROL', 'HANDOVER_RESOLVED').payload.outcome).toBe('aborted');
      expect(only(published, 'CONTROL', 'HANDOVER_REJECTED').target_id).toBe('a');
      expect(Object.values(bench.context.transactions).some((tx) => tx.kind === 'HANDOVER')).toBe(false);
    }
  });

  it('comes before what waits in the queue', () => {
    const bench = prompted();
    bench.say('later', { turn_id: 't2' });
    bench.confirm();
    bench.cancelAck();
    expect(bench.turn.target_agent_id).toBe('b');
    bench.final();
    expect(bench.turn).toMatchObject({ turn_id: 't2', target_agent_id: 'a' });
  });

  it('confirmed twice happens once', () => {
    const bench = prompted();
    bench.confirm();
    expect(bench.confirm()).toEqual([]);
    bench.cancelAck();
    expect(bench.published.filter((out) => out.subtype === 'HANDOVER_CONTEXT')).toHaveLength(1);
  });
});

describe('who may ask for a handover (SR-D40)', () => {
  /** Agent a has ended its turn; what it sends next is numbered on. */
  function ended(options = {}) {
    const bench = SessionBench.open(options);
    bench.say('hi', { turn_id: 't' });
    bench.chunk('so far');
    const next = bench.numbered(2);
    bench.final();
    const ask = (extra = {}) =>
      bench.control('HANDOVER_REQUEST', { target_agent_id: 'b', reason: '', summary: 's' }, { ...next, ...extra });
    return { bench, ask };
  }

  it('the owner of the last turn may, right after its end', () => {
    const { bench, ask } = ended();
    expect(only(ask(), 'CONTROL', 'HANDOVER_UI_PROMPT').payload).toMatchObject({
      from_agent_id: 'a',
      output: 'so far',
    });
    expect(kinds(bench.confirm())).toContain('CONTROL:HANDOVER_CONTEXT');
    expect(bench.turn).toMatchObject({ target_agent_id: 'b', parent: 't' });
  });

  it('may once: the same request again has no effect', () => {
    const { bench, ask } = ended();
    ask();
    bench.reject();
    expect(ask()).toEqual([]);
  });

  it.each([
    ['another agent', { sender: { kind: 'agent' as const, id: 'b' } }],
    ['another run of the turn', { run_id: 't.2' }],
    ['a message out of order', { sequence: 7 }],
    ['a message without a number', { sequence: undefined }],
  ])('%s may not', (_who, extra) => {
    const { ask } = ended();
    expect(ask(extra)).toEqual([]);
  });

  it('nobody may for a turn before the last one, or one that was cancelled', () => {
    const { bench, ask } = ended();
    bench.say('again', { turn_id: 't2' });
    bench.cancel();
    bench.cancelAck();
    expect(ask()).toEqual([]);
    expect(ask({ turn_id: 't2', run_id: 't2.1', sequence: 0 })).toEqual([]);
  });
});
