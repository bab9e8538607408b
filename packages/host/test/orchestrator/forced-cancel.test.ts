import type { PayloadOf, SessionMessage } from '@rostra/protocol/session/message';
import { limits, timeouts } from '@rostra/protocol/wire/limits';
import { describe, expect, test } from 'vitest';
import { familyOf, processFacts } from '../../src/discovery/process-table.ts';
import { SystemClock } from '../../src/main/system-clock.ts';
import { ManualClock } from '../manual-clock.ts';
import { fixture, World, type WorldOptions } from './world.ts';

/** Time that stands still: what is about the session's and the runner's patience. */
const still = (options: WorldOptions = {}) => new World(fixture('stubborn'), new ManualClock(), options);
/** Time that passes: what is about processes that take their time to die. */
const real = (options: WorldOptions = {}) => new World(fixture('stubborn'), new SystemClock(), options);

type Report = PayloadOf<'CONTROL', 'CANCEL_REPORT'>;

async function reportOf(w: { heard: World['heard'] }, turn: string): Promise<Report> {
  return (await w.heard(turn, 'CANCEL_REPORT')).payload;
}

const isAlive = (pid: number) => processFacts(pid) !== null;

/** Resolves when it is so; a test that waits in vain ends by its own timeout. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const turned = () => new Promise((resolve) => setImmediate(resolve));

/** The time passes that a process gets to answer a ping, and then to end. */
async function killed(w: { clock: ManualClock }): Promise<void> {
  await turned();
  w.clock.advance(limits.cancel_ping);
  await turned();
  w.clock.advance(limits.runner_stop);
}

/** The pid that a run told as its message. */
async function toldPid(w: { heard: World['heard'] }, turn: string): Promise<number> {
  return Number((await w.heard(turn, 'message')).payload.content);
}

const kindsOf = (messages: readonly SessionMessage[]) => messages.map(({ subtype }) => subtype);

describe('a cancel that is obeyed', () => {
  test('is on record with the moment that it was asked for, and the process is kept', async () => {
    const w = still();
    const turn = w.input('waits');
    await w.heard(turn, 'INPUT_ACK');
    const [pid] = w.pids;
    w.clock.advance(7);
    w.cancel(turn);
    const requested_at = w.clock.now();
    w.clock.advance(3);
    expect(await reportOf(w, turn)).toEqual({
      run_id: 't1.1',
      requested_at,
      outcome: 'acknowledged',
      process: 'kept',
      children_killed: 0,
    });
    expect(kindsOf(w.of(turn))).toEqual(['INPUT_ACK', 'CANCEL_ACK', 'CANCEL_REPORT']);
    expect(w.of(turn).at(-1)).toHaveProperty('sequence', undefined);
    expect(w.pids).toEqual([pid]);
  });

  test('leaves nothing running that the run had started', async () => {
    const w = real();
    const turn = w.input('spawns');
    const child = await toldPid(w, turn);
    expect(isAlive(child)).toBe(true);
    w.cancel(turn);
    expect(await reportOf(w, turn)).toMatchObject({ outcome: 'acknowledged', process: 'kept', children_killed: 1 });
    expect(isAlive(child)).toBe(false);
  });
});

describe('a cancel that is not obeyed', () => {
  test('drains a process whose loop turns: a neighbour ends in peace, new runs go to a fresh one', async () => {
    const w = still();
    const neighbour = w.input('waits');
    const turn = w.input('deaf');
    await w.heard(neighbour, 'INPUT_ACK');
    await w.heard(turn, 'INPUT_ACK');
    const [old] = w.pids;
    w.cancel(turn);
    w.terminate(turn);
    expect(w.orchestrator.stats().live).toBe(1);
    expect(await reportOf(w, turn)).toMatchObject({ outcome: 'forced', process: 'drained', children_killed: 0 });
    expect(await w.works()).toBe(true);
    expect(w.pids).toHaveLength(2);
    expect(w.kinds(neighbour)).toEqual(['CONTROL:INPUT_ACK']);
    w.cancel(neighbour);
    await w.heard(neighbour, 'CANCEL_ACK');
    await until(() => !isAlive(old ?? 0));
    expect(kindsOf(w.of(turn))).toEqual(['INPUT_ACK', 'CANCEL_REPORT']);
  });

  test('kills a process whose loop is blocked: its neighbours fail and may be tried again', async () => {
    const w = still();
    const neighbour = w.input('waits');
    await w.heard(neighbour, 'INPUT_ACK');
    const [old] = w.pids;
    const turn = w.input('block');
    await w.heard(turn, 'message');
    w.cancel(turn);
    w.terminate(turn);
    await killed(w);
    expect(await reportOf(w, turn)).toMatchObject({ outcome: 'forced', process: 'killed' });
    expect((await w.heard(neighbour, 'RUN_FAILED')).payload).toMatchObject({ code: 'runner.exited', retryable: true });
    expect(isAlive(old ?? 0)).toBe(false);
    expect(await w.works()).toBe(true);
  });

  test('keeps new runs out of a process whose loop is blocked, before it is forced', async () => {
    const w = still();
    await w.works();
    const turn = w.input('block');
    await w.heard(turn, 'message');
    const [old] = w.pids;
    w.cancel(turn);
    w.clock.advance(limits.cancel_ping);
    await turned();
    expect(await w.works()).toBe(true);
    expect(w.orchestrator.stats().live).toBe(1);
    expect(w.pids).toEqual([old, expect.any(Number)]);
    w.terminate(turn);
    await killed(w);
    expect(await reportOf(w, turn)).toMatchObject({ outcome: 'forced', process: 'killed' });
    await until(() => !isAlive(old ?? 0));
  });

  test('kills a process that serves one run only, without asking it', async () => {
    const w = still({ binding: { processes: 'run' } });
    const neighbour = w.input('waits');
    await w.heard(neighbour, 'INPUT_ACK');
    const kept = w.pids;
    const turn = w.input('deaf');
    await w.heard(turn, 'INPUT_ACK');
    const own = w.pids.find((pid) => !kept.includes(pid)) ?? 0;
    w.cancel(turn);
    w.terminate(turn);
    expect(await reportOf(w, turn)).toMatchObject({ outcome: 'forced', process: 'killed' });
    expect(isAlive(own)).toBe(false);
    expect(w.kinds(neighbour)).toEqual(['CONTROL:INPUT_ACK']);
  });

  test('makes the run’s id dead at once: what it still says is counted and dropped', async () => {
    const w = still();
    const neighbour = w.input('waits');
    await w.heard(neighbour, 'INPUT_ACK');
    const turn = w.input('chatty');
    await w.heard(turn, 'chunk');
    w.cancel(turn);
    w.terminate(turn);
    const said = w.pieces(turn).length;
    await until(() => (w.orchestrator.stats().misdeeds.after_terminal ?? 0) >= 3);
    expect(w.pieces(turn)).toHaveLength(said);
  });

  test('ends the processes that the run had started, also those that it starts afterwards', async () => {
    const w = real();
    const neighbour = w.input('waits');
    await w.heard(neighbour, 'INPUT_ACK');
    const turn = w.input('deaf spawns');
    const child = await toldPid(w, turn);
    w.cancel(turn);
    w.terminate(turn);
    expect(await reportOf(w, turn)).toMatchObject({ outcome: 'forced', process: 'drained', children_killed: 1 });
    expect(isAlive(child)).toBe(false);
    await until(() => (w.orchestrator.stats().misdeeds.after_terminal ?? 0) >= 1);
    await until(() => childrenOf(w.pids[0] ?? 0) === 0);
    expect(w.kinds(neighbour)).toEqual(['CONTROL:INPUT_ACK']);
  });

  test('moves the runs that wait for room in a draining process to a fresh one', async () => {
    const w = still({ runs_max: 1 });
    await w.works();
    const turn = w.input('deaf');
    const waiting = w.input('ok');
    await w.heard(turn, 'INPUT_ACK');
    expect(w.orchestrator.stats().waiting).toBe(1);
    w.cancel(turn);
    w.terminate(turn);
    await w.heard(waiting, 'final');
    expect(w.kinds(waiting)).toEqual(['CONTROL:INPUT_ACK', 'AGENT_OUTPUT:final']);
  });
});

describe('a run that is given up', () => {
  test('because its session is somebody else’s now is asked first, and the process is kept', async () => {
    const w = still();
    const turn = w.input('waits');
    await w.heard(turn, 'INPUT_ACK');
    w.terminate(turn);
    expect(w.orchestrator.stats().live).toBe(0);
    expect(await reportOf(w, turn)).toMatchObject({ outcome: 'acknowledged', process: 'kept' });
    expect(kindsOf(w.of(turn))).toEqual(['INPUT_ACK', 'CANCEL_REPORT']);
  });

  test('and does not listen is forced after a short grace', async () => {
    const w = still();
    const turn = w.input('deaf');
    await w.heard(turn, 'INPUT_ACK');
    w.terminate(turn);
    // It answers the ping that came with the cancel.
    await w.works();
    w.clock.advance(limits.runner_grace - 1);
    expect(kindsOf(w.of(turn))).toEqual(['INPUT_ACK']);
    w.clock.advance(1);
    expect(await reportOf(w, turn)).toMatchObject({ outcome: 'forced', process: 'drained' });
  });

  test('by a farewell that nobody watches is forced when the time of a cancel is over', async () => {
    const w = still();
    const turn = w.input('deaf');
    await w.heard(turn, 'INPUT_ACK');
    w.abandon(turn);
    // It answers the ping that came with the cancel.
    await w.works();
    w.clock.advance(timeouts.cancel - 1);
    expect(w.orchestrator.stats().live).toBe(1);
    w.clock.advance(1);
    expect(w.orchestrator.stats().live).toBe(0);
    expect(await reportOf(w, turn)).toMatchObject({ outcome: 'forced', process: 'drained' });
  });

  test('at its deadline and does not stop loses its process as well', async () => {
    const w = still({ turn_timeout: 1000 });
    const turn = w.input('deaf');
    await w.heard(turn, 'INPUT_ACK');
    const [old] = w.pids;
    w.clock.advance(1000);
    await w.heard(turn, 'RUN_FAILED');
    w.clock.advance(timeouts.cancel);
    await until(() => !isAlive(old ?? 0));
    expect(await w.works()).toBe(true);
    // Nobody asked for a cancel, so that there is none on record.
    expect(w.kinds(turn)).toEqual(['CONTROL:INPUT_ACK', 'ERROR:RUN_FAILED']);
  });

  test('while it waits for a process never reaches one', async () => {
    const w = still();
    const turn = w.input('ok');
    w.terminate(turn);
    expect(await w.works()).toBe(true);
    expect(w.of(turn)).toEqual([]);
    expect(w.orchestrator.stats().dispatched).toBe(1);
  });
});

describe('a process that a run starts', () => {
  test('and forgets is ended when the runner has done with the run', async () => {
    const w = real();
    const turn = w.input('forgets a child');
    const child = await toldPid(w, turn);
    await until(() => !isAlive(child));
    expect(w.kinds(turn).at(-1)).toBe('AGENT_OUTPUT:final');
  });

  test('and has ended itself is nobody’s concern any more', async () => {
    const w = still();
    const turn = w.input('ends its child');
    await w.heard(turn, 'message');
    w.cancel(turn);
    w.terminate(turn);
    expect(await reportOf(w, turn)).toMatchObject({ children_killed: 0 });
  });

  test('cannot be one of somebody else’s: naming a pid has nothing killed', async () => {
    const w = still();
    const turn = w.input('names the host');
    expect(await toldPid(w, turn)).toBe(process.pid);
    expect(w.orchestrator.stats().misdeeds).toEqual({ malformed: 1, foreign_run: 1 });
    w.cancel(turn);
    w.terminate(turn);
    expect(await reportOf(w, turn)).toMatchObject({ process: 'drained', children_killed: 0 });
  });

  test('is one of at most so many', async () => {
    const w = still();
    await w.heard(w.input('starts many'), 'message');
    expect(w.orchestrator.stats().misdeeds).toEqual({ too_many_children: 66 - limits.run_children });
  });
});

/** How many processes have this one as their parent. */
function childrenOf(pid: number): number {
  return familyOf(pid).filter((member) => member.parent === pid).length;
}
