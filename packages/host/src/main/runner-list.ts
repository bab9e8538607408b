import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { RunnerLogEntry } from '../discovery/runner-log.ts';
import type { PackageStatus } from '../discovery/runner-pool.ts';
import { readSources } from '../discovery/source-reader.ts';
import { SupervisedPool } from '../discovery/supervised-pool.ts';
import type { Configuration } from './configuration.ts';
import { neededRunners } from './official-runners.ts';
import { programs } from './programs.ts';
import { SystemClock } from './system-clock.ts';

/**
 * What a host with this configuration would find. Every package is started in a folder of its own, asked what it offers,
 * and stopped again: a host that is running is not disturbed.
 */
export async function listRunners({ config, folder }: Configuration): Promise<PackageStatus[]> {
  const home = mkdtempSync(path.join(tmpdir(), 'rostra-runners-'));
  const ground = { folder, host_folder: programs.hostFolder, environment: process.env };
  const words = new Map<string, string>();
  const pool = new SupervisedPool({
    find: () => {
      const { packages, skipped } = readSources(config.runners, ground);
      const named = new Set(Object.values(config.agents).map(({ runner }) => runner));
      return { packages: [...packages, ...neededRunners(config.demo, named)], skipped };
    },
    folder: home,
    clock: new SystemClock(),
    log: (entry: RunnerLogEntry) => void words.set(entry.runner, entry.text),
    environment: process.env,
  });
  try {
    pool.start();
    await pool.discovered();
    return pool.status().map((status) => ({ ...status, reason: status.reason ?? warningOf(status, words) }));
  } finally {
    await pool.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** A package that is up and offers nothing has said why in its log. */
function warningOf({ name, runners }: PackageStatus, words: ReadonlyMap<string, string>): string | null {
  return runners.length > 0 ? null : (words.get(name) ?? null);
}

export function listText(found: readonly PackageStatus[]): string {
  if (found.length === 0) return 'No runner is configured.\n→ Name one in rostra.yaml: runners: [./my-runner]\n';
  const rows = found.map((each) => [
    each.name,
    each.state,
    each.isolation ?? (each.origin === 'remote' ? 'remote' : '–'),
    each.processes,
    each.runners.map(({ name, id }) => `${name} (${id})`).join(', ') || '–',
    each.source,
  ]);
  const table = [['package', 'state', 'isolation', 'processes', 'runners', 'source'], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const reasons = found.flatMap(({ name, reason }) => (reason === null ? [] : [`${name}: ${reason}`]));
  return `${[...lines, ...(reasons.length > 0 ? ['', ...reasons] : [])].join('\n')}\n`;
}
