import type { IsolationLevel, ProcessSharing } from '@rostra/protocol/config/agent-config';
import type { PackageOrigin } from './runner-pool.ts';

/** How a runner package is started. `env` is added to the few names that every runner gets. */
export interface RunnerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Where it is started; its home unless told. */
  readonly cwd?: string;
}

interface PackageFacts {
  /** Unique in a host; also names its home. */
  readonly name: string;
  /** The folder, package name or command that it comes from, for people. */
  readonly source: string;
  readonly enabled: boolean;
  readonly processes: ProcessSharing;
}

/** A package that this host starts. */
export interface LaunchedPackage extends PackageFacts {
  readonly origin: Exclude<PackageOrigin, 'remote'>;
  readonly command: RunnerCommand;
  readonly isolation: IsolationLevel;
  /** What it is made of: the folders that it can read wherever it is confined. */
  readonly folders: readonly string[];
}

/** A package that runs elsewhere and dials in with its token. */
export interface RemotePackage extends PackageFacts {
  readonly origin: 'remote';
  readonly token: string;
}

export type RunnerPackage = LaunchedPackage | RemotePackage;

/** A source that is none: who it is and, in one sentence, why it is left out. */
export interface SkippedSource {
  readonly name: string;
  readonly origin: PackageOrigin;
  readonly source: string;
  readonly reason: string;
}

export interface FoundPackages {
  readonly packages: readonly RunnerPackage[];
  readonly skipped: readonly SkippedSource[];
}
