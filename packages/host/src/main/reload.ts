import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ConfigPath } from '@rostra/protocol/config/config-problem';
import type { HostConfig } from '@rostra/protocol/config/host-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { pathText } from '../config/config-error.ts';
import { leavesOf } from '../config/config-tree.ts';

/** What a reload came to. */
export interface ReloadReport {
  readonly at: number;
  readonly ok: boolean;
  /** What new runs and sessions see, by key. */
  readonly applied: readonly string[];
  /** What changed and is only seen by the next start. */
  readonly needs_restart: readonly string[];
  /** Why nothing changed; null unless the configuration has a mistake. */
  readonly mistake: string | null;
}

export function needsRestart([section, key]: ConfigPath): boolean {
  if (section === 'server' || section === 'data' || section === 'auth') return true;
  // The store takes its bound when it is opened.
  if (section === 'limits') return key === 'artifact_bytes';
  return section === 'log' && key !== 'level';
}

/** Keys whose values differ. */
function changes(before: HostConfig, after: HostConfig): ConfigPath[] {
  const texts = (config: HostConfig) =>
    new Map(leavesOf(config).map(({ path: at, value }) => [JSON.stringify(at), { at, text: JSON.stringify(value) }]));
  const [old, now] = [texts(before), texts(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((key) => old.get(key)?.text !== now.get(key)?.text)
    .map((key) => (now.get(key) ?? old.get(key))?.at ?? []);
}

/** `started` is what the host began with, `current` what it does by now. */
export function compareConfigs(
  started: HostConfig,
  current: HostConfig,
  next: HostConfig,
): Pick<ReloadReport, 'applied' | 'needs_restart'> {
  return {
    applied: changes(current, next)
      .filter((at) => !needsRestart(at))
      .map(pathText),
    needs_restart: changes(started, next).filter(needsRestart).map(pathText),
  };
}

/** Tries a reload; a mistake in the configuration is a report, everything else is a fault. */
export async function attemptReload(
  at: number,
  work: () => Promise<Pick<ReloadReport, 'applied' | 'needs_restart'>>,
): Promise<ReloadReport> {
  try {
    return { at, ok: true, ...(await work()), mistake: null };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { at, ok: false, applied: [], needs_restart: [], mistake: error.message };
  }
}

/** The same words for the log and for whoever asked. */
export function reloadSentences({ ok, applied, needs_restart, mistake }: ReloadReport): string[] {
  if (!ok) return ['The configuration has mistakes; nothing was changed.', ...(mistake ?? '').split('\n')];
  const changed =
    applied.length === 0 ? 'Reloaded; nothing changed.' : `Reloaded; new runs see: ${applied.join(', ')}.`;
  return [changed, ...(needs_restart.length === 0 ? [] : [`Needs a restart: ${needs_restart.join(', ')}.`])];
}

function reportPath(data: string): string {
  return path.join(data, 'reload.json');
}

/** Left in the data folder for whoever sent the signal. It never holds a value, only keys. */
export function leaveReport(data: string, report: ReloadReport): void {
  const file = reportPath(data);
  writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(report)}\n`, { mode: 0o600 });
  renameSync(`${file}.${process.pid}`, file);
}

/** The report of the last reload, or null. */
export function readReport(data: string): ReloadReport | null {
  try {
    const report: ReloadReport = JSON.parse(readFileSync(reportPath(data), 'utf8'));
    return report;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
