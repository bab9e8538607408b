import { describe, expect, it } from 'vitest';
import { feKinds, kinds, only, refusalOf, SessionBench } from './session-bench.ts';

describe('plain input (rule A)', () => {
  it('is accepted, dispatched and sent to the active agent in one step, in that order (SR-D12, SR-D13)', () => {
    const bench = SessionBench.open();
    const published = bench.say('hello', { turn_id: 'turn-1' });
    expect(kinds(published)).toEqual(['EVENT:TURN_ACCEPTED', 'EVENT:TURN_DISPATCHED', 'USER_INPUT:INPUT']);
    const accepted = only(published, 'EVENT', 'TURN_ACCEPTED');
    expect(accepted).toMatchObject({ target: 'FRONTEND', turn_id: 'turn-1', trace_id: 'turn-1' });
    expect(accepted.payload).toMatchObject({ agent_id: 'a', state: 'dispatched', parent_turn_id: null });
    const input = only(published, 'USER_INPUT', 'INPUT');
    expect(input).toMatchObject({ target: 'AGENT', target_id: 'a', turn_id: 'turn-1', run_id: 'turn-1.1' });
    expect(bench.turn).toMatchObject({ status: 'ROUTING', waiting: [{ for: 'INPUT_ACK' }] });
  });

  it('is announced as an EVENT, never as a CONTROL (SR-D14)', () => {
    const published = SessionBench.open().say();
    expect(kinds(published)).not.toContain('CONTROL:TURN_ACCEPTED');
    expect(only(published, 'EVENT', 'TURN_ACCEPTED').target).toBe('FRONTEND');
  });

  it('names the place of its payload in the log instead of copying it', () => {
    const bench = SessionBench.open();
    const seq = bench.seq + 1;
    expect(only(bench.say('hello'), 'USER_INPUT', 'INPUT').payload_of).toBe(seq);
  });

  it('keeps the trace that the client gave and takes the turn id for one otherwise', () => {
    const bench = SessionBench.open();
    const input = bench.make('USER_INPUT', 'INPUT', inputPayload, { turn_id: 't', trace_id: 'trace-7' });
    bench.take(input);
    expect(bench.turn).toMatchObject({ turn_id: 't', trace_id: 'trace-7' });
    bench.final();
    bench.take(bench.make('USER_INPUT', 'INPUT', inputPayload, { id: 'message-9' }));
    expect(bench.turn).toMatchObject({ turn_id: 'message-9', trace_id: 'message-9' });
  });

  it('starts with the acknowledgement, which frontends are always told of (SR-D17)', () => {
    const bench = SessionBench.open();
    bench.say();
    const published = bench.ack();
    expect(kinds(published)).toEqual(['EVENT:AGENT_STARTED']);
    expect(bench.turn).toMatchObject({ status: 'RUNNING', waiting: [] });
    expect(bench.context.speaking_agent_id).toBeNull();
  });

  it('is acknowledged once: a second INPUT_ACK has no effect', () => {
    const bench = SessionBench.open();
    bench.say();
    bench.ack();
    expect(bench.ack()).toEqual([]);
  });

  it('is never acknowledged by the session itself (SR-D50)', () => {
    const bench = SessionBench.open();
    bench.say();
    bench.advance(29_999);
    expect(bench.turn.status).toBe('ROUTING');
    expect(bench.fe).not.toContain('EVENT:AGENT_STARTED');
  });

  it('fails with ROUTE_TIMEOUT when no acknowledgement comes, and the agent is told to stop (SR-D16)', () => {
    const bench = SessionBench.open();
    bench.say();
    const published = bench.advance(30_000);
    expect(kinds(published)).toEqual(['ERROR:ROUTE_TIMEOUT', 'CONTROL:CANCEL', 'EVENT:TURN_FAILED']);
    expect(only(published, 'EVENT', 'TURN_FAILED').payload).toMatchObject({ code: 'ROUTE_TIMEOUT', retryable: true });
    expect(only(published, 'CONTROL', 'CANCEL')).toMatchObject({ target: 'AGENT', target_id: 'a' });
  });

  it('ignores acknowledgements and outputs that come after ROUTE_TIMEOUT (SR-D16)', () => {
    const bench = SessionBench.open();
    bench.say();
    const late = bench.fromAgent();
    const numbered = bench.numbered();
    bench.advance(30_000);
    expect(bench.control('INPUT_ACK', {}, late)).toEqual([]);
    expect(bench.send('AGENT_OUTPUT', 'chunk', { message_id: 'm', n: 0, text: 'late' }, numbered)).toEqual([]);
    expect(bench.send('AGENT_OUTPUT', 'final', {}, numbered)).toEqual([]);
  });

  it('goes to the default agent when nobody is active, which is announced as a switch (SR-D11)', () => {
    const bench = SessionBench.open({ agents: ['a', 'b'], default_agent_id: 'b' });
    bench.context = { ...bench.context, active_agent_id: null };
    const published = bench.say();
    expect(only(published, 'CONTROL', 'SWITCH_AGENT', 'BROADCAST').payload).toMatchObject({
      from: null,
      to: 'b',
      reason: 'default',
    });
    expect(bench.turn.target_agent_id).toBe('b');
  });

  it('is refused with NO_AGENT when there is neither an active nor a default agent (SR-D11)', () => {
    const bench = SessionBench.open({ agents: [] });
    expect(refusalOf(bench.say())).toMatchObject({ reason: 'NO_AGENT', code: 'invalid_argument' });
    expect(bench.context.inflight).toEqual({});
  });

  it('with the id of a live turn is refused (SR-D15)', () => {
    const bench = SessionBench.open();
    bench.say('one', { turn_id: 't' });
    expect(refusalOf(bench.say('two', { turn_id: 't' }))).toMatchObject({ reason: 'CONFLICT' });
    expect(Object.keys(bench.context.inflight)).toEqual(['t']);
  });

  it('that a client repeats is not stepped a second time (SR-D15)', () => {
    const bench = SessionBench.open();
    bench.say('one', { id: 'run:1', turn_id: 't' });
    expect(bench.say('one', { id: 'run:1', turn_id: 't2' })).toEqual([]);
    expect(Object.keys(bench.context.inflight)).toEqual(['t']);
  });
});

describe('input that names an agent (rule B)', () => {
  it('makes that agent active, publishes the switch, and is routed to it', () => {
    const bench = SessionBench.open();
    const published = bench.say('you', { mention: 'b' });
    expect(kinds(published)).toEqual([
      'EVENT:TURN_ACCEPTED',
      'CONTROL:SWITCH_AGENT',
      'CONTROL:SWITCH_AGENT',
      'EVENT:ACTIVE_AGENT_CHANGED',
      'EVENT:TURN_DISPATCHED',
      'USER_INPUT:INPUT',
    ]);
    expect(bench.context.active_agent_id).toBe('b');
    expect(bench.turn).toMatchObject({ target_agent_id: 'b', waiting: [{ for: 'INPUT_ACK' }] });
  });

  it('is a mention by its payload alone, whatever the subtype says', () => {
    const bench = SessionBench.open();
    bench.say('you', { mention: 'b', subtype: 'INPUT' });
    expect(bench.turn.target_agent_id).toBe('b');
  });

  it('publishes no switch when that agent is active already (SR-D24)', () => {
    expect(kinds(SessionBench.open().say('you', { mention: 'a' }))).not.toContain('CONTROL:SWITCH_AGENT');
  });

  it.each([
    ['MENTION without an id', { subtype: 'MENTION' as const }],
    ['metadata that marks a mention without an id', { metadata: { subtype: 'MENTION' } }],
    ['metadata that names another agent', { mention: 'a', metadata: { mentioned_agent_id: 'b' } }],
    ['metadata that names an agent where the payload names none', { metadata: { mentioned_agent_id: 'b' } }],
  ])('is refused as INVALID_MENTION: %s (SR-D21)', (_case, saying) => {
    const bench = SessionBench.open();
    expect(refusalOf(bench.say('?', saying))).toMatchObject({ reason: 'INVALID_MENTION', code: 'invalid_argument' });
    expect(bench.context.inflight).toEqual({});
  });

  it('is refused as not_found when the agent is not in the session (SR-D22)', () => {
    const bench = SessionBench.open();
    const refusal = refusalOf(bench.say('you', { mention: 'c' }));
    expect(refusal).toMatchObject({ reason: 'AGENT_NOT_FOUND', code: 'not_found' });
    expect(refusal.details).toMatchObject({ agents: ['a', 'b'] });
    expect(bench.context.active_agent_id).toBe('a');
  });

  it('is refused while the agent is being removed, also where the session invites by itself', () => {
    const bench = SessionBench.open({ auto_invite: true });
    bench.control('REMOVE_AGENT', { agent_id: 'b' });
    expect(refusalOf(bench.say('you', { mention: 'b' })).reason).toBe('AGENT_REMOVING');
  });

  it('invites an absent agent where the session does so by itself, and waits for it (SR-D22)', () => {
    const bench = SessionBench.open({ auto_invite: true });
    const published = bench.say('you', { mention: 'c', turn_id: 't' });
    expect(kinds(published)).toEqual(['EVENT:TURN_ACCEPTED', 'CONTROL:REQUEST_ADD_AGENT', 'EVENT:ADDING_AGENT']);
    expect(bench.turnOf('t')).toMatchObject({ run_id: null, waiting: [{ for: 'ADD_AGENT' }] });
    const done = bench.addDone();
    expect(feKinds(done)).toEqual([
      'EVENT:AGENT_ADDED',
      'CONTROL:SWITCH_AGENT',
      'EVENT:ACTIVE_AGENT_CHANGED',
      'EVENT:TURN_DISPATCHED',
    ]);
    expect(bench.turn).toMatchObject({ turn_id: 't', target_agent_id: 'c' });
  });

  it('fails when the absent agent cannot be added (SR-D22)', () => {
    const bench = SessionBench.open({ auto_invite: true });
    bench.say('you', { mention: 'c', turn_id: 't' });
    const failed = bench.addFailed();
    expect(kinds(failed)).toEqual(['ERROR:ADD_AGENT_FAILED', 'EVENT:TURN_FAILED']);
    expect(only(failed, 'EVENT', 'TURN_FAILED').payload.code).toBe('ADD_AGENT_FAILED');
  });

  it('keeps the agent active although it never acknowledged (SR-D23)', () => {
    const bench = SessionBench.open();
    bench.say('you', { mention: 'b' });
    expect(kinds(bench.advance(30_000))).toEqual(['ERROR:ROUTE_TIMEOUT', 'CONTROL:CANCEL', 'EVENT:TURN_FAILED']);
    expect(bench.context.active_agent_id).toBe('b');
  });

  it('switches when it is accepted, also when its turn must queue; its target stays (SR-D25)', () => {
    const bench = SessionBench.open();
    bench.say('one');
    const published = bench.say('two', { mention: 'b', turn_id: 't2' });
    expect(only(published, 'EVENT', 'TURN_ACCEPTED').payload).toMatchObject({ agent_id: 'b', state: 'queued' });
    expect(bench.context.active_agent_id).toBe('b');
    bench.say('three', { turn_id: 't3' });
    bench.control('SWITCH_AGENT', { agent_id: 'a' });
    bench.final();
    expect(bench.turn).toMatchObject({ turn_id: 't2', target_agent_id: 'b' });
    bench.final();
    expect(bench.turn).toMatchObject({ turn_id: 't3', target_agent_id: 'b' });
  });

  it('while the session opens decides who is active once it is open (SR-D25)', () => {
    const bench = new SessionBench({ default_agent_id: 'a' });
    bench.openSession();
    bench.say('you', { mention: 'b', turn_id: 't1' });
    bench.say('and more', { turn_id: 't2' });
    const opened = bench.opened();
    expect(only(opened, 'EVENT', 'SESSION_OPENED').payload.active_agent_id).toBe('b');
    expect(bench.context.active_agent_id).toBe('b');
    expect([bench.turnOf('t1'), bench.turnOf('t2')].map((turn) => turn?.target_agent_id)).toEqual(['b', 'b']);
  });

  it('of a name that every object has is refused or waits like any other', () => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      expect(refusalOf(SessionBench.open().say('you', { mention: name })).reason).toBe('AGENT_NOT_FOUND');
      const opening = new SessionBench();
      opening.openSession();
      opening.say('you', { mention: name, turn_id: 't' });
      expect(only(opening.opened(), 'EVENT', 'TURN_FAILED').payload.code).toBe('AGENT_REMOVED');
    }
  });
});

const inputPayload = { input: { text: 'x', contents: [], attachments: [], message_chain: null }, data: {} };
