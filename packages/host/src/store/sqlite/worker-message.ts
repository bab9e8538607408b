import {
  type ClaimedSession,
  CorruptLogError,
  type OwnedTurn,
  type Segment,
  type SessionNames,
  type StoreStats,
  type TurnRow,
  type UnitResult,
} from '../port.ts';
import type { DossierEntry } from '../ports/dossier.ts';
import type { ChunkFindings, ChunkSearch } from '../ports/knowledge.ts';
import { type Refusal, StoreError } from '../refusal.ts';
import type { CheckpointOptions } from './checkpointer.ts';
import type { DatabaseOptions } from './database-file.ts';
import type { Findings } from './inspection.ts';
import type { SchemaChange } from './migrate.ts';
import type { SessionHead } from './reader.ts';
import type { PortCall } from './tables/port-tables.ts';
import type { StoreDurability } from './writer.ts';

export interface WorkerOptions extends DatabaseOptions {
  role: 'writer' | 'reader' | 'searcher';
  path: string;
  durability: StoreDurability;
  checkpoint: CheckpointOptions;
  /** No other process can have the database open: leases of earlier ones are void. */
  sole: boolean;
}

/** Calls to either worker; each is answered once, in order. */
export type WorkerRequest =
  | { method: 'open'; options: WorkerOptions }
  | { method: 'close' }
  | { method: 'stats' }
  | { method: 'check' }
  | { method: 'claim'; session_id: string; holder: string }
  | { method: 'renew'; holder: string }
  | { method: 'release'; session_id: string; holder: string }
  | ({ method: 'port'; flush: boolean } & PortCall)
  | { method: 'commit'; units: Uint8Array }
  | { method: 'dossiers'; entries: DossierEntry[] }
  | { method: 'settle' }
  | { method: 'refill' }
  | { method: 'read'; request: ReadRequest }
  | { method: 'segments'; session_id: string; after: number; bytes: number }
  | { method: 'at'; session_id: string; seqs: number[] }
  | { method: 'head'; session_id: string }
  | { method: 'turn'; turn_id: string }
  | { method: 'names'; session_id: string }
  | { method: 'message'; session_id: string; message_id: string }
  | { method: 'unfinished' }
  | { method: 'find'; search: ChunkSearch };

/** What the reader is asked, and the writer in its place. */
export type ReadMethod = 'port' | 'segments' | 'at' | 'head' | 'turn' | 'names' | 'message' | 'unfinished';
export type ReadRequest = Extract<WorkerRequest, { method: ReadMethod }>;

export type WorkerMethod = WorkerRequest['method'];
/** The call of that name; written so that the compiler finds the name from the call. */
export type RequestOf<M extends WorkerMethod> = { method: M } & Extract<WorkerRequest, { method: M }>;

/** The answer to a call, what the database goes through before it is open, or how many units left the journal. */
export type WorkerReply<T = unknown> =
  | { id: number; value: T }
  | { id: number; error: WireError }
  | { changing: SchemaChange }
  | { settled: number };

/** What was found; `salt` is that of the writer's journal. */
export interface Opened {
  unclean: boolean;
  salt: number;
}

/** What each call is answered with. */
export interface WorkerAnswers {
  open: Opened;
  close: undefined;
  stats: StoreStats;
  check: Findings;
  claim: ClaimedSession | null;
  renew: 'renewed' | 'lapsed';
  release: undefined;
  /** Only the caller knows the port's own type. */
  port: unknown;
  commit: UnitResult[];
  dossiers: undefined;
  settle: undefined;
  refill: number;
  /** As the request in it is answered. */
  read: unknown;
  segments: Segment[];
  at: Segment[];
  head: SessionHead | null;
  turn: OwnedTurn | null;
  names: SessionNames | null;
  message: TurnRow | true | null;
  unfinished: string[];
  find: ChunkFindings;
}

export type WireError =
  | { kind: 'refusal'; refusal: Refusal }
  | { kind: 'corrupt'; session_id: string; message: string }
  | { kind: 'bug'; message: string; stack: string };

/** An error keeps its class on the way between threads; a structured clone would lose it. */
export function encodeError(error: unknown): WireError {
  if (error instanceof StoreError) return { kind: 'refusal', refusal: error.refusal };
  if (error instanceof CorruptLogError) {
    return { kind: 'corrupt', session_id: error.session_id, message: error.message };
  }
  const bug = error instanceof Error ? error : new Error(String(error));
  return { kind: 'bug', message: bug.message, stack: bug.stack ?? '' };
}
