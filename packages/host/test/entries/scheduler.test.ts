import { ScheduleConfig as Schedule, type ScheduleConfig } from '@rostra/protocol/config/entry-config';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, test } from 'vitest';
import { isCron, isTimezone, nextCronTime } from '../../src/entries/cron-time.ts';
import { Scheduler } from '../../src/entries/scheduler.ts';
import { WallClock } from '../../src/session/wall-clock.ts';
import { EntryWorld, owner } from './entry-world.ts';

const hourly = Schedule.parse({ id: 'x', cron: '0 * * * *', agent: 'guide', data: { task: 'report' } });
const HOUR = 3_600_000;

/** A scheduler over real sessions, with a wall whose clock the test may set. */
function clockwork(world: EntryWorld, schedules: readonly ScheduleConfig[] = [hourly]) {
  const { clock } = world.host;
  const wall = { ahead: 0 };
  const refused: string[] = [];
  const scheduler = new Scheduler({
    gateway: world.gateway,
    owner,
    wall: new WallClock(clock, () => clock.now() + wall.ahead),
    nextTime: nextCronTime,
    bindings: () => world.bindings,
    refused: (id, planned, { message }) => refused.push(`${id} ${planned} ${message}`),
  });
  scheduler.apply(schedules);
  const pass = async (ms: number) => {
    clock.advance(ms);
    await world.rest();
  };
  return { scheduler, wall, refused, pass };
}

const ids = (world: EntryWorld) => world.inputs().map(({ payload }) => payload.event?.event_id);

describe('a schedule', () => {
  test('brings schedule.triggered by the system, about itself, with its data (RP-4.20, case 75)', async () => {
    const world = new EntryWorld();
    const { pass } = clockwork(world);
    await pass(HOUR);
    const [input] = world.inputs();
    expect(input).toMatchObject({ target_id: 'guide', requested_by: 'system' });
    expect(input?.payload).toMatchObject({
      input: { text: null, contents: [] },
      event: {
        event_id: 'schedule:x:2023-11-14T23:00:00.000Z',
        event_type: 'schedule.triggered',
        event_time: Date.parse('2023-11-14T23:00:00Z') / 1000,
        source: 'scheduler',
        trigger_source: 'scheduler',
        data: { task: 'report' },
        actor: { actor_type: 'system', actor_id: 'system' },
        subject: { subject_type: 'schedule', subject_id: 'x', data: { cron: '0 * * * *', timezone: 'UTC' } },
        binding_id: 'schedule:x',
      },
    });
  });

  test('comes at each of its times in one session, once', async () => {
    const world = new EntryWorld();
    const { pass } = clockwork(world);
    for (let hour = 0; hour < 3; hour += 1) await pass(HOUR);
    expect(ids(world)).toEqual([
      'schedule:x:2023-11-14T23:00:00.000Z',
      'schedule:x:2023-11-15T00:00:00.000Z',
      'schedule:x:2023-11-15T01:00:00.000Z',
    ]);
    expect(new Set(world.inputs().map(({ session_id }) => session_id)).size).toBe(1);
  });

  test('never brings the same time twice, over restarts and clocks that are set back', async () => {
    const world = new EntryWorld();
    const first = clockwork(world);
    await first.pass(HOUR);
    first.wall.ahead = -HOUR;
    first.scheduler.apply([hourly]);
    await first.pass(HOUR + limits.wall_look);
    const again = new EntryWorld([], world.store);
    const second = clockwork(again);
    await second.pass(HOUR);
    expect(ids(world)).toEqual(['schedule:x:2023-11-14T23:00:00.000Z']);
    expect(ids(again)).toEqual([]);
    expect([...first.refused, ...second.refused]).toEqual([]);
  });

  test('that slept over several times comes once, for the one that it waited for', async () => {
    const world = new EntryWorld();
    const { pass, wall } = clockwork(world);
    wall.ahead = 5 * HOUR;
    await pass(limits.wall_look);
    expect(ids(world)).toEqual(['schedule:x:2023-11-14T23:00:00.000Z']);
  });

  test('whose time has come is not passed over because the file is read again just then', async () => {
    const world = new EntryWorld();
    const { pass, wall, scheduler } = clockwork(world);
    wall.ahead = HOUR;
    scheduler.apply([{ ...hourly, data: { task: 'another' } }]);
    await pass(0);
    expect(ids(world)).toEqual(['schedule:x:2023-11-14T23:00:00.000Z']);
    expect(world.inputs()[0]?.payload.event?.data).toEqual({ task: 'another' });
    scheduler.apply([{ ...hourly, cron: '30 * * * *' }]);
    await pass(HOUR);
    expect(ids(world)).toEqual(['schedule:x:2023-11-14T23:00:00.000Z', 'schedule:x:2023-11-14T23:30:00.000Z']);
  });

  test('does not make up for what passed while the host was down', async () => {
    const world = new EntryWorld();
    const { pass, wall } = clockwork(world, []);
    wall.ahead = 5 * HOUR;
    await pass(limits.wall_look);
    expect(ids(world)).toEqual([]);
  });

  test('is told of when it comes to nothing, and goes on', async () => {
    const world = new EntryWorld();
    const lost = Schedule.parse({ ...hourly, agent: undefined, binding: 'gone' });
    const { pass, refused } = clockwork(world, [lost]);
    await pass(2 * HOUR);
    expect(refused).toEqual([
      'x 2023-11-14T23:00:00.000Z the binding of the schedule is not there',
      'x 2023-11-15T00:00:00.000Z the binding of the schedule is not there',
    ]);
  });

  test('stops with the host', async () => {
    const world = new EntryWorld();
    const { pass, scheduler } = clockwork(world);
    scheduler.stop();
    await pass(3 * HOUR);
    expect(ids(world)).toEqual([]);
  });
});

describe('the times of a cron expression', () => {
  const next = (cron: string, timezone: string, after: string) =>
    new Date(nextCronTime({ cron, timezone }, Date.parse(after)) ?? 0).toISOString();

  test('are those of its time zone, also where the clock is put forward or back', () => {
    expect(next('0 9 * * *', 'Europe/Berlin', '2026-01-01T00:00:00Z')).toBe('2026-01-01T08:00:00.000Z');
    expect(next('0 9 * * *', 'Europe/Berlin', '2026-07-01T00:00:00Z')).toBe('2026-07-01T07:00:00.000Z');
    expect(next('0 9 * * *', 'Asia/Shanghai', '2026-07-01T00:00:00Z')).toBe('2026-07-01T01:00:00.000Z');
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z').slice(0, 10)).toBe('2026-03-29');
  });

  test('are strictly after the one before', () => {
    expect(next('* * * * *', 'UTC', '2026-01-01T00:00:00Z')).toBe('2026-01-01T00:01:00.000Z');
  });

  test.each([
    ['0 9 * * 1-5', true],
    ['*/5 * * * * *', true],
    ['0 9 * *', false],
    ['61 * * * *', false],
    ['0 0 30 2 *', false],
    ['@daily', false],
    ['2030-01-01T00:00:00', false],
    ['hello you there my friend', false],
  ])('%s is one: %s', (cron, isOne) => {
    expect(isCron(cron, 0)).toBe(isOne);
  });

  test('a time zone is one of those that are', () => {
    expect(['UTC', 'Europe/Berlin', 'Mars/Base', ''].map(isTimezone)).toEqual([true, true, false, false]);
  });
});
