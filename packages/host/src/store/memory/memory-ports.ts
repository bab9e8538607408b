import { ArtifactKeeper } from '../artifacts/artifact-keeper.ts';
import type { ArtifactRows } from '../artifacts/artifact-rows.ts';
import type { BlobReferences } from '../artifacts/blob-store.ts';
import { StorageKeeper } from '../artifacts/storage-keeper.ts';
import type { StorageRows } from '../artifacts/storage-rows.ts';
import type { AuditStore } from '../ports/audit.ts';
import type { DossierStore } from '../ports/dossier.ts';
import type { EventStore } from '../ports/event.ts';
import type { InteractionStore } from '../ports/interaction.ts';
import type { RegistryStore } from '../ports/registry.ts';
import type { RunStore } from '../ports/run.ts';
import type { SessionCare } from '../ports/session-care.ts';
import type { StateStore } from '../ports/state.ts';
import type { TranscriptStore } from '../ports/transcript.ts';
import { MemoryAudit } from './memory-audit.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { MemoryCare } from './memory-care.ts';
import { MemoryDossiers } from './memory-dossiers.ts';
import { MemoryInteractions } from './memory-interactions.ts';
import { memoryKnowledge } from './memory-knowledge.ts';
import type { MemoryLeases } from './memory-leases.ts';
import { MemoryRuns } from './memory-ledger.ts';
import { MemoryArtifactRows, MemoryStorageRows } from './memory-objects.ts';
import { MemoryRegistry } from './memory-registry.ts';
import { MemoryState } from './memory-state.ts';
import type { MemoryTables } from './memory-tables.ts';
import { MemoryEvents, MemoryTranscript } from './memory-transcript.ts';
import { promised } from './promised.ts';

/** Every promise port without a disk. */
export function memoryPorts(tables: MemoryTables, leases: MemoryLeases, now: () => number) {
  const state = new MemoryState();
  const objects = new MemoryStorageRows();
  const dossiers = new MemoryDossiers(tables);
  const artifacts = new MemoryArtifactRows(objects);
  const care = new MemoryCare(tables, leases, (session_id) => {
    for (const table of [state, artifacts]) table.removeSession(session_id);
  });
  const blobs = new MemoryBlobs(now);
  const rows = promised<ArtifactRows & BlobReferences>(artifacts, [
    'insert',
    'get',
    'page',
    'delete',
    'claim',
    'unclaimed',
    'expire',
    'unreferenced',
  ]);
  const storage = promised<StorageRows>(objects, ['set', 'get', 'head', 'delete', 'list']);
  return {
    runs: promised<RunStore>(new MemoryRuns(tables), ['get', 'ofTurn', 'ofTurns', 'page', 'endedSince', 'ledger']),
    transcript: promised<TranscriptStore>(new MemoryTranscript(tables), [
      'get',
      'page',
      'shown',
      'search',
      'count',
      'amendments',
      'said',
      'has',
    ]),
    events: promised<EventStore>(new MemoryEvents(tables), ['find', 'page']),
    state: promised<StateStore>(state, ['get', 'set', 'delete', 'list', 'any', 'snapshot']),
    storage: new StorageKeeper(storage, blobs),
    artifacts: new ArtifactKeeper({ rows, blobs, references: rows }),
    interactions: promised<InteractionStore>(new MemoryInteractions(tables), ['get', 'page']),
    audit: promised<AuditStore>(new MemoryAudit(), ['append', 'page', 'sweep']),
    dossiers: promised<DossierStore>(dossiers, ['append', 'get', 'sweep']),
    registry: promised<RegistryStore>(new MemoryRegistry(), ['get', 'list', 'put', 'delete']),
    knowledge: memoryKnowledge(artifacts),
    sessions: promised<SessionCare>(care, [
      'activeWith',
      'list',
      'browse',
      'cards',
      'rename',
      'turns',
      'remove',
      'tombstone',
      'saved',
      'purge',
      'retire',
    ]),
  };
}
