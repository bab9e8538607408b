import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lastWords } from '../conformance/last-words.ts';
import type { RunnerLogEntry } from '../discovery/runner-log.ts';
import type { PackageStatus } from '../discovery/runner-pool.ts';
import { readSources } from '../discovery/source-reader.ts';
import { SupervisedPool } from '../discovery/supervised-pool.ts';
import type { Configuration } from './configuration.ts';
import { neededRunners } from './official-runners.ts';
import { programs } from './programs.ts';
import { SystemClock } from './system-clock.ts';

const STDERR_LINES_KEPT = 20;

/**
 * What a host with this configuration would find. Every package is started in a folder of its own, asked what it offers,
 * and stopped again: a host that is running is not disturbed.
 */
export async function listRunners({ config, folder }: Configuration): Promise<PackageStatus[]> {
  const home = mkdtempSync(path.join(tmpdir(), 'rostra-runners-'));
  const ground = { folder, host_folder: programs.hostFolder, environment: process.env };
  const words = new Map<string, string>();
  const printed = new Map<string, string[]>();
  const pool = new SupervisedPool({
    find: () => {
      const { packages, skipped } = readSources(config.runners, ground);
      const named = new Set(Object.values(config.agents).map(({ runner }) => runner));
      return { packages: [...packages, ...neededRunners(config.demo, named)], skipped };
    },
    folder: home,
    clock: new SystemClock(),
    log: ({ runner, kind, text }: RunnerLogEntry) => {
      words.set(runner, text);
      if (kind === 'stderr') printed.set(runner, [...(printed.get(runner) ?? []), text].slice(-STDERR_LINES_KEPT));
    },
    environment: process.env,
  });
  try {
    pool.start();
    await pool.discovered();
    return pool.status().map((status) => ({
      ...status,
      reason: withLastWords(status.reason, printed.get(status.name)) ?? warningOf(status, words),
    }));
  } finally {
    await pool.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** A runner that did not come up said why on stderr, which nobody sees here. Its lines are quoted already. */
function withLastWords(reason: string | null, printed: readonly string[] = []): string | null {
  const said = lastWords(printed.filter((line) => line !== '""'));
  return reason === null || said === undefined ? reason : `${reason} Its last words: ${said}`;
}

/** A package that is up and offers nothing has said why in its log. */
function warningOf({ name, runners }: PackageStatus, words: ReadonlyMap<string, string>): string | null {
  return runners.length > 0 ? null : (words.get(name) ?? null);
}
