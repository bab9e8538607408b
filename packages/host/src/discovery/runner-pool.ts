import type { IsolationLevel, ProcessSharing } from '@rostra/protocol/config/agent-config';
import type { AgentRunnerManifest } from '@rostra/protocol/runner/manifest';
import type { Peer } from '@rostra/transport/peer';
import type { RunnerLog } from './runner-log.ts';

/** Where one run belongs: what decides which process it may share. Two workspaces never share one. */
export interface RunPlaceKey {
  readonly runner_id: string;
  readonly workspace_id: string;
  readonly session_id: string;
  readonly run_id: string;
  /** What the agent asks for; what its package says unless told. */
  readonly processes?: ProcessSharing | undefined;
  /** The packages that the agent is bound to; any unless told. */
  readonly packages?: readonly string[] | undefined;
}

/** A live runner process, or a remote runner's connection, as the orchestrator uses it. */
export interface RunnerConnection {
  readonly peer: Peer;
  /** The leader of its process group; a remote runner has none. */
  readonly pid: number | undefined;
  readonly runners: ReadonlyMap<string, AgentRunnerManifest>;
  /** The minor version of the protocol that it named. */
  readonly minor: number;
  readonly log: RunnerLog;
  /** Resolves once, when the process is gone, with one sentence on how. */
  readonly lost: Promise<string>;
  /** A run begins here. */
  enter(run_id: string): void;
  /**
   * A run is over, or will not begin after all: whoever was given this connection says so once for its run. A process
   * that drains, or that belongs to one run, stops when its last run has left.
   */
  leave(run_id: string): void;
  /** Whether its event loop turns; false when there is no answer within `timeout` ms, or nobody to give one. */
  ping(timeout: number): Promise<boolean>;
  /** Takes no new runs, a fresh process takes over; it is stopped when its last run has left. */
  drain(): void;
  /** SIGTERM to the group, a moment later SIGKILL; resolves when the process is gone. `why` goes to its log. */
  kill(why: string): Promise<void>;
  /** A run reports a process group of its own (RUN_SPAWNED), and its end (RUN_REAPED): it dies with the runner. */
  spawned(pid: number): void;
  reaped(pid: number): void;
  /** Ends process groups that a run has registered, the same way; resolves with how many of them were alive. */
  killGroups(pids: readonly number[]): Promise<number>;
}

/** A runner that can be used now: its description and the process that has it. */
export interface RunnerDescriptor {
  readonly manifest: AgentRunnerManifest;
  readonly connection: RunnerConnection;
  /** The package that carries it: whose calls those of the process are. */
  readonly package_name: string;
  /** Which runs share this process. */
  readonly processes: ProcessSharing;
}

export type PackageOrigin = 'path' | 'package' | 'command' | 'remote' | 'official';

/** A runner package as an operator sees it. */
export interface PackageStatus {
  readonly name: string;
  readonly origin: PackageOrigin;
  /** The folder, package name or command that it comes from. */
  readonly source: string;
  readonly enabled: boolean;
  /** null: it runs elsewhere. */
  readonly isolation: IsolationLevel | null;
  readonly processes: ProcessSharing;
  readonly state: 'ready' | 'starting' | 'stopped' | 'quarantined';
  readonly pids: readonly number[];
  readonly runs: number;
  readonly restarts: number;
  readonly runners: readonly AgentRunnerManifest[];
  /** Why it is not ready, in one sentence; null while there is nothing to say. */
  readonly reason: string | null;
}

/** Every runner of the host: found, started when it is needed, watched, ended. */
export interface RunnerPool {
  /** A warm process that can take the run now. */
  ready(key: RunPlaceKey): RunnerDescriptor | null;
  /** The same, starting what is missing; rejects with a RunnerStartError. */
  open(key: RunPlaceKey): Promise<RunnerDescriptor>;
  /** Every runner that is known, with the package that carries it, in the order of the packages. */
  list(): { readonly package_name: string; readonly manifest: AgentRunnerManifest }[];
  status(): PackageStatus[];
  /** Takes no more runs for a while, for a reason that is told; false if there is no such package. */
  quarantine(package_name: string, why: string): boolean;
  /** False if there is no such package. */
  end_quarantine(package_name: string): boolean;
  stop(): Promise<void>;
}
