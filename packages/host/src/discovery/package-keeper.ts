import type { AgentRunnerManifest } from '@rostra/protocol/runner/manifest';
import type { PackageStatus, RunnerDescriptor, RunPlaceKey } from './runner-pool.ts';
import type { RunnerStartError } from './runner-start-error.ts';

/** Who keeps the processes, or the connections, of one runner package. */
export interface PackageKeeper {
  readonly name: string;
  /** What it offered when it was last asked; null while it has not said. */
  readonly listing: ReadonlyMap<string, AgentRunnerManifest> | null;
  /** Why it has no listing, or no process; null while nothing is wrong. */
  readonly failure: RunnerStartError | null;
  /** Set while it is being asked; it never rejects. */
  readonly discovering: Promise<void> | null;
  /** Retired, and nothing of it is left. */
  readonly isGone: boolean;
  /** Asks it what it offers, starting it if need be; never rejects. */
  discover(): Promise<void>;
  ready(key: RunPlaceKey): RunnerDescriptor | null;
  open(key: RunPlaceKey): Promise<RunnerDescriptor>;
  /** Regular care: pings, and stops what nobody has used for long. */
  sweep(): void;
  status(): PackageStatus;
  /** Takes no more runs for a while; what is live may end. */
  quarantine(why: string): void;
  end_quarantine(): void;
  /** New runs get new processes; what is live may end where it is. Ends a quarantine as well. */
  restart(): void;
  /** Takes no more runs; what is live ends when its last run has left. */
  retire(): void;
  stop(): Promise<void>;
}
