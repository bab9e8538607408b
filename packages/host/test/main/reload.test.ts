import { HostConfig } from '@rostra/protocol/config/host-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { describe, expect, it } from 'vitest';
import {
  attemptReload,
  compareConfigs,
  leaveReport,
  type ReloadReport,
  readReport,
  reloadSentences,
} from '../../src/main/reload.ts';
import { folderWith } from '../config/config-folder.ts';

const config = (value: object = {}) => HostConfig.parse(value);

describe('a reload', () => {
  it('names what new runs see, and what needs a restart', () => {
    const next = config({
      server: { port: 1 },
      agents: { a: { runner: 'x/y/z' } },
      log: { level: 'debug', file: 'x' },
      session: { timeouts: { turn: 5 } },
      limits: { runs_per_process: 3, artifact_bytes: 9 },
    });
    const { applied, needs_restart } = compareConfigs(config(), config(), next);
    expect(applied).toContain('agents.a.runner');
    expect(applied).toContain('session.timeouts.turn');
    expect(applied).toContain('log.level');
    expect(applied).toContain('limits.runs_per_process');
    expect(needs_restart).toEqual(['server.port', 'limits.artifact_bytes', 'log.file']);
  });

  it('goes on naming what needs a restart until there is one, and what was applied only once', () => {
    const next = config({ server: { port: 1 }, demo: false });
    expect(compareConfigs(config(), next, next)).toEqual({ applied: [], needs_restart: ['server.port'] });
  });

  it('sees what was taken away', () => {
    const before = config({ runners: ['../a', '../b'], agents: { a: { runner: 'x/y/z' } } });
    const { applied } = compareConfigs(before, before, config());
    expect(applied).toContain('runners');
    expect(applied).toContain('agents.a.runner');
  });

  it('of a wrong configuration is a report; a bug stays one', async () => {
    const wrong = await attemptReload(7, () =>
      Promise.reject(new ApiError('invalid_argument', 'rostra.yaml:1:1: no.')),
    );
    expect(wrong).toEqual({ at: 7, ok: false, applied: [], needs_restart: [], mistake: 'rostra.yaml:1:1: no.' });
    expect(reloadSentences(wrong)).toEqual([
      'The configuration has mistakes; nothing was changed.',
      'rostra.yaml:1:1: no.',
    ]);
    await expect(attemptReload(7, () => Promise.reject(new Error('bug')))).rejects.toThrow('bug');
  });

  it('is told in a sentence', () => {
    const report: ReloadReport = { at: 1, ok: true, applied: [], needs_restart: [], mistake: null };
    expect(reloadSentences(report)).toEqual(['Reloaded; nothing changed.']);
    expect(reloadSentences({ ...report, applied: ['demo'], needs_restart: ['server.port', 'auth.api_key'] })).toEqual([
      'Reloaded; new runs see: demo.',
      'Needs a restart: server.port, auth.api_key.',
    ]);
  });

  it('leaves its report where the one who asked finds it', () => {
    const data = folderWith({});
    expect(readReport(data)).toBeNull();
    const report: ReloadReport = { at: 1, ok: true, applied: ['demo'], needs_restart: [], mistake: null };
    leaveReport(data, report);
    expect(readReport(data)).toEqual(report);
  });
});
