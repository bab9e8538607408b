import { ArtifactKeeper } from '../artifacts/artifact-keeper.ts';
import type { ArtifactRows } from '../artifacts/artifact-rows.ts';
import type { BlobReferences, BlobStore } from '../artifacts/blob-store.ts';
import { StorageKeeper } from '../artifacts/storage-keeper.ts';
import type { StorageRows } from '../artifacts/storage-rows.ts';
import type { HostStore } from '../host-store.ts';
import type { AuditStore } from '../ports/audit.ts';
import type { InteractionStore } from '../ports/interaction.ts';
import type { RegistryStore } from '../ports/registry.ts';
import type { RunStore } from '../ports/run.ts';
import type { SessionCare } from '../ports/session-care.ts';
import type { StateStore } from '../ports/state.ts';
import type { TranscriptStore } from '../ports/transcript.ts';
import { remotePort } from './remote-port.ts';
import type { WorkerThread } from './worker-thread.ts';

export type Ports = Pick<
  HostStore,
  'runs' | 'transcript' | 'state' | 'storage' | 'artifacts' | 'interactions' | 'audit' | 'registry' | 'sessions'
>;

/** Every promise port of the SQLite engine: writes in the one writer, reads beside it, large bytes in files. */
export function remotePorts(
  threads: { writer: WorkerThread; reader: WorkerThread },
  blobs: BlobStore,
  artifact_bytes?: number,
): Ports {
  const rows = remotePort<ArtifactRows & BlobReferences>(threads, 'artifacts', {
    insert: 'flush',
    get: 'read',
    page: 'read',
    delete: 'flush',
    expire: 'flush',
    // Asked of the writer: what it has answered to nobody yet must count.
    unreferenced: 'commit',
  });
  const objects = remotePort<StorageRows>(threads, 'storage', {
    set: 'flush',
    get: 'read',
    head: 'read',
    delete: 'flush',
    list: 'read',
  });
  const limit = artifact_bytes === undefined ? {} : { limit: artifact_bytes };
  return {
    runs: remotePort<RunStore>(threads, 'runs', { get: 'read', ofTurn: 'read', page: 'read', listOpen: 'read' }),
    transcript: remotePort<TranscriptStore>(threads, 'transcript', { get: 'read', page: 'read' }),
    state: remotePort<StateStore>(threads, 'state', {
      get: 'read',
      set: 'flush',
      delete: 'flush',
      list: 'read',
      snapshot: 'read',
    }),
    storage: new StorageKeeper(objects, blobs),
    artifacts: new ArtifactKeeper({ rows, blobs, references: rows, ...limit }),
    interactions: remotePort<InteractionStore>(threads, 'interactions', {
      insert: 'flush',
      get: 'read',
      listPending: 'read',
      answer: 'flush',
      resolve: 'flush',
      expire: 'flush',
    }),
    audit: remotePort<AuditStore>(threads, 'audit', { append: 'commit', page: 'read', sweep: 'commit' }),
    registry: remotePort<RegistryStore>(threads, 'registry', {
      get: 'read',
      list: 'read',
      put: 'flush',
      delete: 'flush',
    }),
    sessions: remotePort<SessionCare>(threads, 'sessions', {
      list: 'read',
      remove: 'flush',
      tombstone: 'read',
      purge: 'commit',
      retire: 'flush',
    }),
  };
}
