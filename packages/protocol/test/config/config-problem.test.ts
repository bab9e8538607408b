import { describe, expect, it } from 'vitest';
import { checkHostConfig } from '../../src/config/config-problem.ts';
import { hostConfigSchema } from '../../src/config/config-schema.ts';
import { HostConfig } from '../../src/config/host-config.ts';
import { limits, timeouts } from '../../src/wire/limits.ts';

describe('a configuration', () => {
  it('may say nothing: everything has a default', () => {
    const checked = checkHostConfig({});
    expect(checked).toEqual({ config: HostConfig.parse({}) });
    const { session, limits: bounds } = HostConfig.parse({});
    expect(session.timeouts).toEqual(timeouts);
    expect(bounds.runs_per_process).toBe(limits.runner_runs);
  });

  it('that is wrong is told place by place, never with the value itself', () => {
    const value = { auth: { api_key: ['hunter2'] }, log: { level: 'hunter2' }, runners: [{ remote: 'x', token: 2 }] };
    const checked = checkHostConfig(value);
    if (!('problems' in checked)) throw new Error('not wrong');
    expect(checked.problems.map(({ path }) => path.join('.'))).toEqual([
      'auth.api_key',
      'runners.0.token',
      'log.level',
    ]);
    expect(JSON.stringify(checked.problems)).not.toContain('hunter2');
  });

  it('of a runner that is of no kind is judged by the kind that is nearest', () => {
    const checked = checkHostConfig({ runners: [{ command: ['x'], nme: 'y' }] });
    expect(checked).toMatchObject({
      problems: [
        { path: ['runners', 0, 'name'], is_missing: true },
        { path: ['runners', 0, 'nme'], must: null },
      ],
    });
  });

  it('has its secrets marked in the schema', () => {
    const marked = JSON.stringify(hostConfigSchema()).match(/"secret":true/g);
    // The owner's key and the others, the variables of three kinds of runners, the token of the fourth, webhooks; key and
    // headers of models, variables and headers of tool servers.
    expect(marked).toHaveLength(11);
  });
});
