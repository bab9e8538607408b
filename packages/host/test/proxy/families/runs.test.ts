import { describe, expect, it } from 'vitest';
import { hold, type Reply, SessionWorld, saidIn, told } from '../session-world.ts';

const get = (target_run_id: string) => ({ call: 'runs.get', params: { target_run_id } });
const events = (target_run_id: string, more: object = {}) => ({
  call: 'runs.events_page',
  params: { target_run_id, ...more },
});
const ids = (reply: Reply | undefined) => reply?.result?.items.map(({ run_id }) => run_id);
const numbers = (reply: Reply | undefined) => reply?.result?.items.map(({ sequence }) => sequence);
const list = (params: object = {}) => ({ call: 'runs.list', params });

/** A finished run with two pieces of text, a tool call and usage. */
const talk = [
  {
    results: [
      ['message.delta', { chunk: { content: 'one ' } }],
      ['message.delta', { chunk: { content: 'two' } }],
      ['tool.call.started', { tool_call_id: 'c', tool_name: 'look', parameters: { at: 'it' } }],
      ['tool.call.completed', { tool_call_id: 'c', tool_name: 'look', result: 'seen' }],
      ['message.completed', { message: { content: 'done' } }],
      ['run.completed', { finish_reason: 'stop', usage: { input_tokens: 7, output_tokens: 3 } }],
    ],
  },
  { answer: true },
];

describe('runs.get', () => {
  it('gives a finished run of the conversation to a live one, with its usage (checks 22 and 89)', async () => {
    const w = new SessionWorld();
    const first = await w.say(talk);
    const row = await w.run(first);
    const [reply] = await w.replies(await w.say([get(`${first}.1`), ...told]));
    expect(reply?.result).toEqual({
      run_id: `${first}.1`,
      turn_id: first,
      session_id: 's',
      agent_id: 'guide',
      attempt: 1,
      status: 'completed',
      created_at: Math.floor(row.created_at / 1000),
      started_at: Math.floor((row.started_at ?? 0) / 1000),
      ended_at: Math.floor((row.ended_at ?? 0) / 1000),
      code: null,
      usage: { input_tokens: 7, output_tokens: 3 },
    });
    expect(row).toMatchObject({ tool_calls: 1, handovers: 0, waited: 0 });
  });

  it('gives itself, running, with an unknown usage and not a usage of nothing (check 22)', async () => {
    const w = new SessionWorld();
    const turn = await w.say([{ call: 'runs.list' }, ...told]);
    const [reply] = await w.replies(turn);
    expect(reply?.result?.items).toMatchObject([{ run_id: `${turn}.1`, status: 'running', usage: null }]);
    expect((await w.run(turn)).usage).toBeNull();
  });

  it('keeps what a failed run had told of its usage (check 22)', async () => {
    const w = new SessionWorld();
    const failed = { code: 'x', message: 'y', usage: { input_tokens: 4 } };
    const turn = await w.say([{ results: [['run.failed', failed]] }, { answer: true }]);
    expect(await w.run(turn)).toMatchObject({ status: 'failed', code: 'x', usage: { input_tokens: 4 } });
  });

  it('does not find a run of another conversation, nor one that never was, with the same words (check 89)', async () => {
    const w = new SessionWorld();
    const other = await w.say(talk, { session_id: 'elsewhere' });
    await w.run(other);
    const calls = ['runs.get', 'runs.events_page', 'runs.cancel'].flatMap((call) =>
      [`${other}.1`, 'nothing.1'].map((target_run_id) => ({ call, params: { target_run_id } })),
    );
    const replies = await w.replies(await w.say([...calls, ...told]));
    expect(replies).toHaveLength(6);
    for (const { error } of replies) {
      expect(error).toMatchObject({ code: 'not_found', message: 'There is no such run in the scope of this run.' });
    }
  });

  it('does not find a run of another thread or bot of the same conversation (check 34)', async () => {
    const w = new SessionWorld();
    const inThread = await w.say(talk, { event: saidIn('x', null) });
    const ofBot = await w.say(talk, { event: saidIn(null, 'b') });
    await w.run(ofBot);
    expect(await w.run(inThread)).toMatchObject({ thread_id: 'x', bot_id: null });
    const [first, second, listed] = await w.replies(
      await w.say([get(`${inThread}.1`), get(`${ofBot}.1`), list(), ...told]),
    );
    expect(first?.error?.code).toBe('not_found');
    expect(second?.error?.code).toBe('not_found');
    expect(listed?.result?.items).toHaveLength(1);
  });
});

describe('runs.list', () => {
  it('gives the runs of the conversation, newest first, in pages and by status', async () => {
    const w = new SessionWorld();
    const turns = [await w.say(talk), await w.say(talk), await w.say([{ results: [['run.failed', { code: 'x' }]] }])];
    for (const turn of turns) await w.run(turn);
    const [page, failed] = await w.replies(
      await w.say([list({ limit: 2 }), list({ statuses: ['failed', 'cancelled'] }), ...told]),
    );
    expect(ids(page)).toEqual([expect.any(String), `${turns[2]}.1`]);
    expect(page?.result).toMatchObject({ has_more: true, prev_cursor: null });
    expect(failed?.result).toMatchObject({ items: [{ run_id: `${turns[2]}.1`, code: 'x' }], has_more: false });
    const before_cursor = page?.result?.next_cursor;
    const [rest, forged, foreign] = await w.replies(
      await w.say([
        list({ before_cursor }),
        list({ before_cursor: `${before_cursor?.slice(0, -2)}xx` }),
        list({ conversation_id: 'elsewhere' }),
        ...told,
      ]),
    );
    expect(ids(rest)).toEqual([`${turns[1]}.1`, `${turns[0]}.1`]);
    expect(forged?.error?.code).toBe('invalid_argument');
    expect(foreign?.error?.code).toBe('unauthorized');
  });
});

describe('runs.events_page', () => {
  it('gives what the run said as the results that it sent, numbered without gaps or repeats (check 82)', async () => {
    const w = new SessionWorld();
    const first = await w.say(talk);
    await w.run(first);
    const [reply, again] = await w.replies(await w.say([events(`${first}.1`), events(`${first}.1`), ...told]));
    const items = reply?.result?.items ?? [];
    expect(items.map(({ sequence, type }) => [sequence, type])).toEqual([
      [0, 'message.delta'],
      [1, 'message.delta'],
      [2, 'tool.call.started'],
      [3, 'tool.call.completed'],
      [4, 'message.completed'],
      [5, 'run.completed'],
    ]);
    expect(items[0]?.data).toEqual({ chunk: { role: 'assistant', content: 'one ' } });
    expect(items[2]?.data).toEqual({ tool_call_id: 'c', tool_name: 'look', parameters: { at: 'it' } });
    expect(items[5]?.data).toEqual({ finish_reason: 'stop', usage: { input_tokens: 7, output_tokens: 3 } });
    expect(reply?.result?.has_more).toBe(false);
    expect(again).toEqual(reply);
  });

  it('a message of a run that comes again is the same row (check 82)', async () => {
    const w = new SessionWorld();
    const seen = new Set<string>();
    w.bus.subscribe('session', (message) => {
      if (message.event !== 'AGENT_OUTPUT' || seen.has(message.id)) return;
      seen.add(message.id);
      w.bus.publish('session', message);
    });
    const first = await w.say(talk);
    await w.run(first);
    const [reply] = await w.replies(await w.say([events(`${first}.1`), ...told]));
    expect(numbers(reply)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(seen.size).toBeGreaterThan(4);
  });

  it('pages both ways, and a place in one run is none in another', async () => {
    const w = new SessionWorld();
    const first = await w.say(talk);
    const second = await w.say(talk);
    await w.run(second);
    const run = `${first}.1`;
    const [one] = await w.replies(await w.say([events(run, { limit: 4 }), ...told]));
    expect(numbers(one)).toEqual([0, 1, 2, 3]);
    expect(one?.result?.has_more).toBe(true);
    const after_cursor = one?.result?.next_cursor;
    const [rest, back, elsewhere] = await w.replies(
      await w.say([
        events(run, { after_cursor }),
        events(run, { before_cursor: after_cursor, limit: 2 }),
        events(`${second}.1`, { after_cursor }),
        ...told,
      ]),
    );
    expect(numbers(rest)).toEqual([4, 5]);
    expect(numbers(back)).toEqual([1, 2]);
    expect(back?.result?.has_more).toBe(true);
    expect(elsewhere?.error?.code).toBe('invalid_argument');
  });

  it('reads only the run’s own stretch of a long log', async () => {
    const w = new SessionWorld();
    const piece = { results: [['message.delta', { chunk: { content: 'x'.repeat(2000) } }]] };
    for (let i = 0; i < 3; i += 1) await w.run(await w.say([...Array(100).fill(piece), { end: true }]));
    const last = await w.say(talk);
    const { first_seq } = await w.run(last);
    const read: number[] = [];
    const { readSegments } = w.store;
    w.store.readSegments = (session_id, after, bytes) => {
      read.push(after);
      return readSegments.call(w.store, session_id, after, bytes);
    };
    const [reply] = await w.replies(await w.say([events(`${last}.1`), ...told]));
    expect(reply?.result?.items).toHaveLength(6);
    expect(Math.min(...read)).toBe((first_seq ?? 0) - 1);
    expect(read.length).toBeLessThan(4);
  });
});

describe('runs.cancel', () => {
  it('ends the caller’s own run as cancelled, asked for by its agent (check 58)', async () => {
    const w = new SessionWorld();
    w.follow();
    const turn = await w.say([{ call: 'runs.list' }, hold, ...told]);
    await w.held();
    const run = w.orchestrator.voice.find(`${turn}.1`);
    if (run === null) throw new Error('no such run');
    await w.agents.cancelRun(run, run.run_id, 'enough');
    w.release();
    expect(await w.run(turn)).toMatchObject({ status: 'cancelled', code: 'cancelled' });
    const asked = w.log.find(({ subtype }) => subtype === 'CANCEL_REQUEST');
    expect(asked).toMatchObject({ sender: { kind: 'agent', id: 'guide' }, payload: { reason: 'enough' } });
    const canceled = w.log.find(({ subtype }) => subtype === 'CANCELED');
    expect(canceled).toMatchObject({ turn_id: turn, payload: { reason: 'enough', forced: false } });
  });

  it('by the call itself comes to the same (check 58)', async () => {
    const w = new SessionWorld();
    const turn = await w.say((id) => [{ call: 'runs.cancel', params: { target_run_id: `${id}.1` } }, hold]);
    expect(await w.run(turn)).toMatchObject({ status: 'cancelled', code: 'cancelled' });
    expect(w.audit[0]).toMatchObject({ action: 'runs.cancel', resource: `${turn}.1` });
  });

  it('of a run that is over changes nothing: what has ended stays as it is (check 81)', async () => {
    const w = new SessionWorld();
    const first = await w.say(talk);
    const before = await w.run(first);
    const [reply] = await w.replies(
      await w.say([{ call: 'runs.cancel', params: { target_run_id: `${first}.1` } }, ...told]),
    );
    expect(reply?.result).toMatchObject({ status: 'completed' });
    expect(await w.run(first)).toEqual(before);
  });
});

describe('prompt.get', () => {
  it('gives what the agent’s owner wrote', async () => {
    const prompt = [{ role: 'system' as const, content: 'Be brief.' }];
    const w = new SessionWorld({ binding: { prompt } });
    const [reply] = await w.replies(await w.say([{ call: 'prompt.get' }, ...told]));
    expect(reply?.result).toEqual({ prompt });
  });

  it('is not granted where there is none', async () => {
    const w = new SessionWorld();
    const [reply] = await w.replies(await w.say([{ call: 'prompt.get' }, ...told]));
    expect(reply?.error?.code).toBe('unauthorized');
  });
});
