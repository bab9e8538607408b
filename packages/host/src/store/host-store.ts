import type { SessionStore, StoreStats } from './port.ts';
import type { ArtifactStore } from './ports/artifact.ts';
import type { AuditStore } from './ports/audit.ts';
import type { DossierStore } from './ports/dossier.ts';
import type { EventStore } from './ports/event.ts';
import type { InteractionStore } from './ports/interaction.ts';
import type { KnowledgeStore } from './ports/knowledge.ts';
import type { RegistryStore } from './ports/registry.ts';
import type { RunStore } from './ports/run.ts';
import type { SessionCare } from './ports/session-care.ts';
import type { StateStore } from './ports/state.ts';
import type { StorageStore } from './ports/storage.ts';
import type { TranscriptStore } from './ports/transcript.ts';

/** `sound` without a look when the store was closed in order; `unchecked` until someone lets it look. */
export interface StoreHealth {
  state: 'sound' | 'unchecked' | 'checking' | 'damaged';
  /** One sentence per thing that is wrong with the database as a whole. */
  problems: readonly string[];
  /** Sessions whose log does not verify: they are read-only, all others work. */
  damaged_sessions: readonly string[];
}

/** All that a host keeps, from one engine. */
export interface HostStore extends SessionStore {
  readonly runs: RunStore;
  readonly transcript: TranscriptStore;
  readonly events: EventStore;
  readonly state: StateStore;
  readonly storage: StorageStore;
  readonly artifacts: ArtifactStore;
  readonly interactions: InteractionStore;
  readonly audit: AuditStore;
  readonly dossiers: DossierStore;
  readonly registry: RegistryStore;
  readonly knowledge: KnowledgeStore;
  readonly sessions: SessionCare;
  stats(): Promise<StoreStats>;
  health(): StoreHealth;
  /** After an unclean stop, looks through everything in the background, at the cost of no commit and no reading. */
  inspect(): Promise<StoreHealth>;
}
