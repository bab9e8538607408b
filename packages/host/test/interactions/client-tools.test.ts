import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits, timeouts } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { Inbox } from '../../src/interactions/inbox.ts';
import { ContinuedRuns, type OpenQuestion } from '../../src/session/continued-run.ts';
import { SessionWorld, told } from '../proxy/session-world.ts';

const principal = { workspace_id: 'w', user_id: 'u' };
const tools: JsonObject[] = [
  { name: 'maps', description: 'Shows a place', parameters: { type: 'object' } },
  { name: 'clock', description: 'Tells the time', parameters: {} },
];
const maps = { call: 'tools.call', params: { tool_name: 'maps', parameters: { city: 'Oslo' } } };
const both = { calls: ['tools.call', 'tools.call'], params: { tool_name: 'clock' } };

function continuedOf({ gateway, store, bus }: SessionWorld): ContinuedRuns {
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `c-${ids}`;
  };
  return new ContinuedRuns({ gateway, log: store, bus, newId });
}

/** The question for results, once the calls that came together are asked for. */
async function waiting(world: SessionWorld, calls = 1): Promise<OpenQuestion> {
  const continued = continuedOf(world);
  return world.until(async () => {
    // They come from a process of its own, in whatever time that takes: none of it may pass before all are here.
    if (world.calls < calls) return null;
    world.clock.advance(limits.client_call_batch);
    const open = await continued.openQuestions('s', principal);
    return open.find(({ purpose }) => purpose === 'client_tool') ?? null;
  });
}

async function turnOf({ gateway }: SessionWorld, turn_id: string) {
  const turn = await gateway.findTurn(turn_id, principal);
  if (turn === null) throw new Error('no such turn');
  return turn;
}

async function give(world: SessionWorld, turn_id: string, results: { tool_call_id: string; content: string }[]) {
  await continuedOf(world).toolResultsOf(await turnOf(world, turn_id), principal, results);
}

describe('a tool of the client', () => {
  it('is asked for, waited for and answered; the log and the audit call it client.<name>', async () => {
    const world = new SessionWorld();
    world.follow();
    const turn_id = await world.say([maps, ...told], { tools });
    const { tool_call_ids } = await waiting(world);
    await world.until(async () => ((await turnOf(world, turn_id)).status === 'interrupted' ? true : null));
    await give(world, turn_id, [{ tool_call_id: tool_call_ids[0] ?? '', content: 'clear' }]);
    expect(await world.replies(turn_id)).toEqual([{ result: { result: 'clear' } }]);
    expect(world.audit.filter(({ action }) => action === 'tools.call')).toMatchObject([
      { resource: 'client.maps', result: 'ok' },
    ]);
    const asked = world.log.find(({ subtype }) => subtype === 'INTERACTION_OPENED');
    expect(asked?.payload).toMatchObject({
      purpose: 'client_tool',
      request: { calls: [{ name: 'client.maps', parameters: { city: 'Oslo' } }] },
    });
  });

  it('called twice at once is one question, and a person’s inbox does not show it', async () => {
    const world = new SessionWorld();
    const turn_id = await world.say([both, ...told], { tools });
    const { interaction_id, tool_call_ids } = await waiting(world, 2);
    expect(tool_call_ids).toHaveLength(2);
    const inbox = new Inbox({ store: world.store, gateway: world.gateway, now: () => world.clock.now() });
    expect((await inbox.page(principal, {})).items).toEqual([]);
    await expect(inbox.get(principal, interaction_id)).rejects.toMatchObject({ code: 'not_found' });
    await give(
      world,
      turn_id,
      tool_call_ids.map((tool_call_id, index) => ({ tool_call_id, content: `${index}` })),
    );
    expect(await world.replies(turn_id)).toEqual([{ result: { result: '0' } }, { result: { result: '1' } }]);
  });

  it('is answered as a whole: a result that is missing, given twice or of another call is named', async () => {
    const world = new SessionWorld();
    const turn_id = await world.say([both, ...told], { tools });
    const [first = '', second = ''] = (await waiting(world, 2)).tool_call_ids;
    await expect(give(world, turn_id, [{ tool_call_id: first, content: 'x' }])).rejects.toMatchObject({
      code: 'invalid_argument',
      message: `The result of the call "${second}" is missing.`,
    });
    await expect(give(world, turn_id, [{ tool_call_id: 'stray', content: 'x' }])).rejects.toMatchObject({
      message: 'This run does not wait for the call "stray".',
    });
    const twice = [first, second, first].map((tool_call_id, index) => ({ tool_call_id, content: `${index}` }));
    await expect(give(world, turn_id, twice)).rejects.toMatchObject({
      message: `There are two results of the call "${first}".`,
    });
    await give(
      world,
      turn_id,
      [first, second].map((tool_call_id) => ({ tool_call_id, content: 'x' })),
    );
    await expect(give(world, turn_id, [{ tool_call_id: first, content: 'x' }])).rejects.toMatchObject({
      details: { reason: 'INTERACTION_NOT_OPEN' },
    });
    await world.replies(turn_id);
  });

  it('that failed at the client fails the call with the client’s words', async () => {
    const world = new SessionWorld();
    const turn_id = await world.say([maps, ...told], { tools });
    const [tool_call_id = ''] = (await waiting(world)).tool_call_ids;
    const failed = { tool_call_id, content: '', error: 'no network' };
    await continuedOf(world).toolResultsOf(await turnOf(world, turn_id), principal, [failed]);
    expect(await world.replies(turn_id)).toMatchObject([
      { error: { code: 'runtime_error', message: 'The client\'s tool "maps" failed: no network' } },
    ]);
  });

  it('that nobody runs expires, and the run goes on without it', async () => {
    const world = new SessionWorld();
    const turn_id = await world.say([maps, ...told], { tools });
    await waiting(world);
    world.clock.advance(timeouts.interaction);
    expect(await world.replies(turn_id)).toMatchObject([{ error: { code: 'deadline_exceeded' } }]);
  });

  it('that is waited for does not keep a run from being cancelled', async () => {
    const world = new SessionWorld();
    const turn_id = await world.say([maps, ...told], { tools });
    const { tool_call_ids } = await waiting(world);
    await world.gateway.cancelTurn(await turnOf(world, turn_id), principal);
    const results = tool_call_ids.map((tool_call_id) => ({ tool_call_id, content: 'late' }));
    await expect(give(world, turn_id, results)).rejects.toMatchObject({ details: { reason: 'INTERACTION_NOT_OPEN' } });
    world.clock.advance(timeouts.cancel);
    await world.run(turn_id);
    expect(await turnOf(world, turn_id)).toMatchObject({ status: 'cancelled' });
  });

  it('is described as the client did, to the run that it came with and to no other', async () => {
    const world = new SessionWorld();
    const detail = { call: 'tools.get_detail', params: { tool_name: 'maps' } };
    const [described] = await world.replies(await world.say([detail, ...told], { tools }));
    expect(described).toEqual({
      result: { tool: { name: 'maps', description: 'Shows a place', parameters: { type: 'object' } } },
    });
    expect(await world.replies(await world.say([detail, ...told]))).toMatchObject([
      { error: { code: 'unauthorized' } },
    ]);
  });

  it('does not take the name of a tool of the host', async () => {
    const world = new SessionWorld();
    const call = { call: 'tools.call', params: { tool_name: 'weather' } };
    const [refused] = await world.replies(await world.say([call, ...told], { tools: [{ name: 'weather' }] }));
    expect(refused).toMatchObject({ error: { code: 'not_found' } });
  });
});

describe('the AG-UI run that brings results', () => {
  const run = { session_id: 's', principal, client_run_id: 'run-2', payload_hash: 'h' };

  it('goes on behind the question, and the same run again goes on at the same place', async () => {
    const world = new SessionWorld();
    world.follow();
    const continued = continuedOf(world);
    const turn_id = await world.say([maps, ...told], { tools });
    const [tool_call_id = ''] = (await waiting(world)).tool_call_ids;
    const results = [{ tool_call_id, content: 'clear' }];
    const first = await continued.toolResults({ ...run, results });
    const opened = world.log.find((record) => record.subtype === 'INTERACTION_OPENED' && record.mark === 'out');
    expect(first).toMatchObject({ turn: { turn_id }, from_seq: (opened?.seq ?? 0) + 1 });
    await world.replies(turn_id);
    expect(await continued.toolResults({ ...run, results })).toMatchObject({
      turn: { turn_id },
      from_seq: (opened?.seq ?? 0) + 1,
    });
    await expect(continued.toolResults({ ...run, payload_hash: 'other', results })).rejects.toMatchObject({
      details: { reason: 'CONFLICT' },
    });
    const resolved = world.log.find((record) => record.subtype === 'INTERACTION_RESOLVED' && record.mark === 'out');
    expect(resolved?.payload).toMatchObject({ client_run_id: 'run-2', outcome: 'answered' });
  });

  it('answers an interrupt that outlived its turn by a turn under the client’s name', async () => {
    const world = new SessionWorld();
    const request = { kind: 'confirmation', title: 'Sure?' };
    const asks = { results: [['action.requested', { action: 'interaction.requested', payload: request }]] };
    await world.run(await world.say([asks, { end: true }]));
    const continued = continuedOf(world);
    const [question] = await continued.openQuestions('s', principal);
    const answers = [
      { interaction_id: question?.interaction_id ?? '', status: 'resolved' as const, payload: { approved: true } },
    ];
    const first = await continued.resume({ ...run, answers });
    expect(first).toMatchObject({ turn: { client_run_id: 'run-2' } });
    expect(first.turn?.first_seq).toBe('from_seq' in first ? first.from_seq : null);
    expect((await continued.resume({ ...run, answers })).turn?.turn_id).toBe(first.turn?.turn_id);
    await expect(continued.resume({ ...run, client_run_id: 'run-3', answers })).rejects.toMatchObject({
      details: { reason: 'INTERACTION_NOT_OPEN' },
    });
  });

  it('that answers two interrupts which outlived their turn begins a turn for each', async () => {
    const world = new SessionWorld();
    const asks = (title: string) => {
      const payload = { kind: 'confirmation', title };
      return { results: [['action.requested', { action: 'interaction.requested', payload }]] };
    };
    await world.run(await world.say([asks('One?'), asks('Two?'), { end: true }]));
    const continued = continuedOf(world);
    const open = await continued.openQuestions('s', principal);
    expect(open).toHaveLength(2);
    const answers = open.map(({ interaction_id }) => ({ interaction_id, status: 'resolved' as const, payload: true }));
    world.follow();
    const first = await continued.resume({ ...run, answers });
    expect(first).toMatchObject({ turn: { client_run_id: 'run-2' } });
    const begun = world.log.filter(({ subtype, mark }) => subtype === 'TURN_ACCEPTED' && mark === 'out');
    expect(new Set(begun.map(({ turn_id }) => turn_id)).size).toBe(2);
    expect(begun.at(-1)?.turn_id).toBe(first.turn?.turn_id);
    for (const { turn_id } of begun) await world.run(turn_id ?? '');
    expect((await continued.resume({ ...run, answers })).turn?.turn_id).toBe(first.turn?.turn_id);
  });
});
