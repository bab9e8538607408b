import { limits } from '@rostra/protocol/wire/limits';
import { ArtifactKeeper } from '../artifacts/artifact-keeper.ts';
import type { ArtifactRows } from '../artifacts/artifact-rows.ts';
import type { BlobReferences, BlobStore } from '../artifacts/blob-store.ts';
import { StorageKeeper } from '../artifacts/storage-keeper.ts';
import type { StorageRows } from '../artifacts/storage-rows.ts';
import type { HostStore } from '../host-store.ts';
import type { AuditStore } from '../ports/audit.ts';
import type { DossierStore } from '../ports/dossier.ts';
import type { EventStore } from '../ports/event.ts';
import type { InteractionStore } from '../ports/interaction.ts';
import type { RegistryStore } from '../ports/registry.ts';
import type { RunStore } from '../ports/run.ts';
import type { SessionCare } from '../ports/session-care.ts';
import type { StateStore } from '../ports/state.ts';
import type { TranscriptStore } from '../ports/transcript.ts';
import { searchTooLong } from '../refusal.ts';
import { refused } from '../refused.ts';
import type { CommitRoute } from './commit-route.ts';
import type { Reading } from './read-thread.ts';
import { remoteKnowledge } from './remote-knowledge.ts';
import { remotePort } from './remote-port.ts';
import type { SearchThread } from './search-thread.ts';
import { shownMessages } from './tables/shown-text.ts';
import type { TranscriptCalls } from './tables/transcript-table.ts';
import type { WorkerThread } from './worker-thread.ts';

export type Ports = Pick<
  HostStore,
  | 'runs'
  | 'transcript'
  | 'events'
  | 'state'
  | 'storage'
  | 'artifacts'
  | 'interactions'
  | 'audit'
  | 'dossiers'
  | 'registry'
  | 'knowledge'
  | 'sessions'
>;

/** Every promise port of the SQLite engine: writes in the one writer, reads beside it, large bytes in files. */
export function remotePorts(
  threads: { writer: WorkerThread; route: CommitRoute; reader: Reading; searcher: SearchThread },
  blobs: BlobStore,
  artifact_bytes?: number,
): Ports {
  const rows = remotePort<ArtifactRows & BlobReferences>(threads, 'artifacts', {
    insert: 'flush',
    get: 'read',
    page: 'read',
    delete: 'flush',
    claim: 'flush',
    unclaimed: 'read',
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
    runs: remotePort<RunStore>(threads, 'runs', {
      get: 'read',
      ofTurn: 'read',
      ofTurns: 'read',
      page: 'read',
      endedSince: 'read',
      ledger: 'read',
    }),
    transcript: transcriptPort(
      remotePort<TranscriptCalls>(threads, 'transcript', {
        get: 'read',
        page: 'read',
        shownText: 'read',
        search: 'read',
        count: 'read',
        amendments: 'read',
        said: 'read',
        has: 'read',
        index: 'commit',
      }),
    ),
    events: remotePort<EventStore>(threads, 'events', { find: 'read', page: 'read' }),
    state: remotePort<StateStore>(threads, 'state', {
      get: 'read',
      set: 'flush',
      delete: 'flush',
      list: 'read',
      any: 'read',
      snapshot: 'read',
    }),
    storage: new StorageKeeper(objects, blobs),
    artifacts: new ArtifactKeeper({ rows, blobs, references: rows, ...limit }),
    interactions: remotePort<InteractionStore>(threads, 'interactions', { get: 'read', page: 'read' }),
    audit: remotePort<AuditStore>(threads, 'audit', { append: 'commit', page: 'read', sweep: 'commit' }),
    dossiers: {
      ...remotePort<Omit<DossierStore, 'append'>>(threads, 'dossiers', { get: 'read', sweep: 'commit' }),
      append: (entries) => threads.writer.ask({ method: 'dossiers', entries }),
    },
    registry: remotePort<RegistryStore>(threads, 'registry', {
      get: 'read',
      list: 'read',
      put: 'flush',
      delete: 'flush',
    }),
    knowledge: remoteKnowledge(threads),
    sessions: remotePort<SessionCare>({ writer: threads.route, reader: threads.reader }, 'sessions', {
      activeWith: 'read',
      list: 'read',
      browse: 'read',
      cards: 'read',
      rename: 'flush',
      turns: 'read',
      remove: 'flush',
      tombstone: 'read',
      saved: 'read',
      purge: 'commit',
      retire: 'flush',
    }),
  };
}

function transcriptPort({ index, search, shownText, ...rest }: TranscriptCalls): TranscriptStore {
  return {
    ...rest,
    shown: async (session_id, page) => shownMessages(await shownText(session_id, page)),
    /** It finds what was committed before it: the writer indexes that first, a step at a time between its commits. */
    async search(wanted) {
      const until = Date.now() + limits.search;
      while (await index()) if (Date.now() > until) throw refused(searchTooLong());
      return search(wanted);
    },
  };
}
