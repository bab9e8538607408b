import { SessionSettings } from '@rostra/protocol/session/roster';
import { limits, timeouts } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';

const all = Object.entries({
  ...limits,
  ...Object.fromEntries(Object.entries(timeouts).map(([k, v]) => [`T_${k}`, v])),
});

describe('limits', () => {
  it.each(all)('%s is a positive whole number', (_name, value) => {
    expect(Number.isSafeInteger(value)).toBe(true);
    expect(value).toBeGreaterThan(0);
  });

  it('are the defaults of a session, which its settings accept', () => {
    const settings = { default_agent_id: null, auto_invite: false, timeouts };
    expect(SessionSettings.parse(settings)).toEqual(settings);
  });

  /** Docs/spec gives each deadline a range; the default lies within it. */
  it.each([
    ['ack', 100, 60_000],
    ['cancel', 100, 30_000],
    ['idle', 1_000, 1_800_000],
    ['turn', 1_000, 86_400_000],
    ['add', 1_000, 300_000],
    ['remove', 1_000, 300_000],
    ['open', 1_000, 300_000],
    ['close', 1_000, 300_000],
    ['handover', 10_000, 86_400_000],
    ['queue', 1_000, 3_600_000],
  ] as const)('T_%s lies between %i and %i ms', (name, least, most) => {
    expect(timeouts[name]).toBeGreaterThanOrEqual(least);
    expect(timeouts[name]).toBeLessThanOrEqual(most);
  });

  it('fit into each other: a result into a frame, a record into a commit, a chunk into a tail', () => {
    expect(limits.result_bytes).toBeLessThan(limits.frame_bytes);
    expect(limits.record_bytes).toBeLessThanOrEqual(limits.commit_bytes);
    expect(limits.runner_start).toBeLessThan(timeouts.ack);
    expect(limits.runner_alive).toBeLessThan(timeouts.idle);
    expect(timeouts.interaction).toBeLessThanOrEqual(timeouts.interaction_max);
    expect(limits.header_timeout).toBeLessThanOrEqual(limits.body_timeout);
    expect(limits.body_timeout).toBeLessThan(limits.request_timeout);
  });
});
