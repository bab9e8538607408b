import type { Statements } from '../statements.ts';
import { ArtifactTable } from './artifact-table.ts';
import { AuditTable } from './audit-table.ts';
import type { CareTable } from './care-table.ts';
import { DossierTable } from './dossier-table.ts';
import { EventTable } from './event-table.ts';
import { InteractionTable } from './interaction-table.ts';
import { KnowledgeTable } from './knowledge-table.ts';
import { RegistryTable } from './registry-table.ts';
import { RunTable } from './run-table.ts';
import { StateTable } from './state-table.ts';
import { StorageTable } from './storage-table.ts';
import { TranscriptTable } from './transcript-table.ts';

export type PortName = keyof ReturnType<typeof portTables>;

/** A call of a port on its way to the thread that answers it. */
export interface PortCall {
  port: PortName;
  call: string;
  args: unknown[];
}

/** The tables of the promise ports on one connection; a reading one has them too, and refuses what writes. */
export function portTables(sql: Statements, sessions: CareTable) {
  return {
    runs: new RunTable(sql),
    transcript: new TranscriptTable(sql),
    events: new EventTable(sql),
    state: new StateTable(sql),
    storage: new StorageTable(sql),
    artifacts: new ArtifactTable(sql),
    interactions: new InteractionTable(sql),
    audit: new AuditTable(sql),
    dossiers: new DossierTable(sql),
    registry: new RegistryTable(sql),
    knowledge: new KnowledgeTable(sql),
    sessions,
  };
}

/** The work of one call. Both ends are of one build, so that the names fit. */
export function answerCall(tables: ReturnType<typeof portTables>, { port, call, args }: PortCall): unknown {
  const work: unknown = Reflect.get(tables[port], call);
  if (typeof work !== 'function') throw new Error(`there is no call ${call} of the port ${port}`);
  return Reflect.apply(work, tables[port], args);
}
