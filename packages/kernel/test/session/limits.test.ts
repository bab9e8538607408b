import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { feKinds, kinds, only, refusalOf, SessionBench } from './session-bench.ts';

const ids = (count: number, prefix = 'agent') => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

/** Every limit just below it, at it and just above it: what is still taken, and what happens then. */
describe('the queue', () => {
  it.each([
    [limits.queue - 1, 'accepted'],
    [limits.queue, 'refused'],
    [limits.queue + 1, 'refused'],
  ])('with %i inputs waiting: one more is %s', (waiting, outcome) => {
    const bench = SessionBench.open();
    bench.say('running');
    for (let index = 0; index < waiting; index += 1) bench.say(`${index}`);
    const published = bench.say('one more');
    if (outcome === 'accepted') expect(feKinds(published)).toContain('EVENT:TURN_ACCEPTED');
    else expect(refusalOf(published)).toMatchObject({ reason: 'QUEUE_FULL', code: 'rate_limited', retryable: true });
    expect(bench.context.queue.length).toBe(limits.queue);
  });

  it('counts turns that wait for an agent as well', () => {
    const bench = SessionBench.open({ auto_invite: true });
    bench.say('running');
    for (let index = 0; index < limits.queue; index += 1) bench.say(`${index}`, { mention: 'c' });
    expect(refusalOf(bench.say('one more')).reason).toBe('QUEUE_FULL');
    expect(refusalOf(bench.say('one more', { mention: 'c' })).reason).toBe('QUEUE_FULL');
  });
});

describe('steering', () => {
  it.each([
    [limits.steering - 1, 'steering'],
    [limits.steering, 'queued'],
    [limits.steering + 1, 'queued'],
  ])('with %i inputs beside the running turn: one more is %s', (beside, state) => {
    const bench = SessionBench.open({ policies: { a: { steering: true } } });
    bench.say('running');
    for (let index = 0; index < beside; index += 1) bench.say(`${index}`);
    expect(only(bench.say('one more'), 'EVENT', 'TURN_ACCEPTED').payload.state).toBe(state);
  });

  it('left behind does not take the place of ordinary inputs in the queue', () => {
    const bench = SessionBench.open({ policies: { a: { steering: true } } });
    bench.say('running');
    for (let index = 0; index < 30; index += 1) bench.say(`${index}`);
    bench.final();
    expect(bench.context.queue).toHaveLength(29);
    expect(feKinds(bench.say('you', { mention: 'b' }))).toContain('EVENT:TURN_ACCEPTED');
  });
});

describe('the roster', () => {
  it.each([
    [limits.roster - 1, 'taken'],
    [limits.roster, 'refused'],
    [limits.roster + 1, 'refused'],
  ])('with %i agents: one more is %s', (count, outcome) => {
    const bench = SessionBench.open({ agents: ids(count) });
    const published = bench.control('INVITE_AGENT', { agent_id: 'one-more' });
    if (outcome === 'taken') expect(kinds(published)).toContain('CONTROL:REQUEST_ADD_AGENT');
    else expect(refusalOf(published).reason).toBe('ROSTER_FULL');
  });

  it('counts invitations that are on their way, and lets a mention wait for one of them', () => {
    const bench = SessionBench.open({ agents: ids(limits.roster - 1), auto_invite: true });
    bench.control('INVITE_AGENT', { agent_id: 'coming' });
    expect(refusalOf(bench.control('INVITE_AGENT', { agent_id: 'another' })).reason).toBe('ROSTER_FULL');
    const published = bench.say('you', { mention: 'coming' });
    expect(only(published, 'EVENT', 'TURN_ACCEPTED').payload.state).toBe('adding_agent');
  });
});

describe('pending transactions', () => {
  it.each([
    [limits.transactions - 2, 'taken'],
    [limits.transactions - 1, 'refused'],
    [limits.transactions, 'refused'],
  ])('%i of them: another change is %s, a cancel always finds room', (pending, outcome) => {
    const bench = SessionBench.open({ agents: ['a', ...ids(12)] });
    bench.say();
    for (const agent_id of ids(pending, 'guest')) bench.control('INVITE_AGENT', { agent_id });
    const published = bench.control('REMOVE_AGENT', { agent_id: 'agent-3' });
    if (outcome === 'taken') expect(kinds(published)).toContain('CONTROL:REQUEST_REMOVE_AGENT');
    else expect(refusalOf(published)).toMatchObject({ reason: 'TOO_MANY_TRANSACTIONS', retryable: true });
    expect(Object.keys(bench.context.transactions)).toHaveLength(limits.transactions - 1);
    bench.cancel();
    expect(Object.keys(bench.context.transactions)).toHaveLength(limits.transactions);
  });

  it.each([
    [limits.transactions - 2, 'CONTROL:HANDOVER_UI_PROMPT'],
    [limits.transactions - 1, 'CONTROL:HANDOVER_REJECTED'],
  ])('%i of them: a handover is answered by %s', (pending, answer) => {
    const bench = SessionBench.open();
    bench.say();
    for (const agent_id of ids(pending, 'guest')) bench.control('INVITE_AGENT', { agent_id });
    expect(kinds(bench.askHandover('b'))).toContain(answer);
  });

  it('a close ends the others and so is never too much', () => {
    const bench = SessionBench.open();
    bench.say();
    for (const agent_id of ids(limits.transactions - 1, 'guest')) bench.control('INVITE_AGENT', { agent_id });
    bench.control('SESSION_CLOSE', {});
    expect(Object.values(bench.context.transactions).map((tx) => tx.kind)).toEqual(['CLOSE', 'CANCEL']);
  });
});

describe('open interactions', () => {
  it.each([
    [limits.interactions - 1, 'EVENT:INTERACTION_OPENED'],
    [limits.interactions, 'CONTROL:INTERACTION_EXPIRED'],
    [limits.interactions + 1, 'CONTROL:INTERACTION_EXPIRED'],
  ])('%i of them: one more is answered by %s', (open, answer) => {
    const bench = SessionBench.open();
    bench.say();
    bench.ack();
    for (const id of ids(open, 'q')) bench.ask(id);
    expect(kinds(bench.ask('one-more'))).toEqual([answer]);
  });
});

describe('the depth of handovers since the user spoke', () => {
  it.each([
    [limits.handover_depth - 1, 'CONTROL:HANDOVER_UI_PROMPT'],
    [limits.handover_depth, 'CONTROL:HANDOVER_REJECTED'],
  ])('after %i of them the next is answered by %s (SR-D41, case 58)', (depth, answer) => {
    const bench = SessionBench.open();
    bench.say();
    for (let times = 0; times < depth; times += 1) {
      bench.askHandover(bench.turn.target_agent_id === 'a' ? 'b' : 'a');
      bench.confirm();
      bench.cancelAck();
    }
    expect(bench.turn.depth).toBe(depth);
    const published = bench.askHandover(bench.turn.target_agent_id === 'a' ? 'b' : 'a');
    expect(kinds(published)).toContain(answer);
    if (answer === 'CONTROL:HANDOVER_REJECTED')
      expect(published.at(-1)?.payload).toMatchObject({ reason: 'rate_limited' });
    bench.final();
    bench.say('a new input begins at nothing again');
    expect(bench.turn.depth).toBe(0);
  });
});

describe('the answer of a turn', () => {
  function after(said: Partial<SessionBench['turn']>): SessionBench {
    const bench = SessionBench.open();
    bench.say();
    bench.chunk('');
    const turn = { ...bench.turn, ...said };
    bench.context = { ...bench.context, inflight: { [turn.turn_id]: turn } };
    return bench;
  }

  it.each([
    [limits.turn_bytes - 1, 'forwarded'],
    [limits.turn_bytes, 'forwarded'],
    [limits.turn_bytes + 1, 'too large'],
  ])('of %i bytes is %s', (bytes, outcome) => {
    const published = after({ output_bytes: bytes - 10 }).chunk('0123456789');
    if (outcome === 'forwarded') expect(kinds(published)).toEqual(['AGENT_OUTPUT:chunk']);
    else expect(only(published, 'EVENT', 'TURN_FAILED').payload.code).toBe('payload_too_large');
  });

  it.each([
    [limits.turn_chunks - 1, 'forwarded'],
    [limits.turn_chunks, 'too large'],
    [limits.turn_chunks + 1, 'too large'],
  ])('that has %i chunks: one more is %s', (chunks, outcome) => {
    const published = after({ next_chunk: chunks }).chunk('x');
    if (outcome === 'forwarded') expect(kinds(published)).toEqual(['AGENT_OUTPUT:chunk']);
    else expect(only(published, 'EVENT', 'TURN_FAILED').payload.code).toBe('payload_too_large');
  });

  it('counts whole messages and tool calls as well as chunks', () => {
    for (const send of ['message', 'callStarted'] as const) {
      const bench = after({ output_bytes: limits.turn_bytes });
      expect(only(bench[send]('x'), 'EVENT', 'TURN_FAILED').payload.code).toBe('payload_too_large');
    }
  });

  it('keeps its last 4096 characters for a handover, and no half of one', () => {
    const bench = SessionBench.open();
    bench.say();
    bench.chunk('x'.repeat(10));
    bench.chunk('😀'.repeat(limits.collected_output_chars));
    bench.chunk('y');
    bench.final();
    const kept = bench.context.last_turn?.collected_output ?? '';
    expect(kept).toHaveLength(limits.collected_output_chars - 1);
    expect(kept).not.toMatch(/^[\udc00-\udfff]/);
    expect(kept.endsWith('😀y')).toBe(true);
  });
});

describe('attempts to remove an agent', () => {
  it.each([
    [limits.remove_attempts - 1, 'CONTROL:REQUEST_REMOVE_AGENT'],
    [limits.remove_attempts, 'ERROR:REMOVE_AGENT_FAILED'],
  ])('after %i failures comes %s (SR-D36)', (failures, then) => {
    const bench = SessionBench.open();
    bench.control('REMOVE_AGENT', { agent_id: 'b' });
    let last: string[] = [];
    for (let times = 0; times < failures; times += 1) last = kinds(bench.removeFailed());
    expect(last).toContain(then);
  });
});

describe('invitations that were given up', () => {
  it.each([
    [limits.expired_invites - 1, 'CONTROL:REQUEST_REMOVE_AGENT'],
    [limits.expired_invites, undefined],
  ])('with %i more since, one that comes late is answered by %s', (more, answer) => {
    const bench = SessionBench.open();
    bench.control('INVITE_AGENT', { agent_id: 'late' });
    const late = bench.tx('INVITE');
    bench.addFailed();
    for (const agent_id of ids(more, 'guest')) {
      bench.control('INVITE_AGENT', { agent_id });
      bench.addFailed();
    }
    expect(kinds(bench.addDone(late))[0]).toBe(answer);
  });
});
