import type { z } from 'zod';
import { type SessionKind, SessionPayloads } from '../session/message.ts';
import { type FactKind, FactPayloads } from './fact.ts';

/** `flush`: on disk before anyone sees it. `commit`: in the log before anyone sees it, without waiting for the disk. */
export type Durability = 'flush' | 'commit';

export interface RecordDefinition {
  /** A SessionKind, `CONTROL:INPUT_ACK`, or a FactKind. */
  type: string;
  version: number;
  durability: Durability;
  data: z.ZodType;
}

const definitions = new Map<string, RecordDefinition>();
/** By event and subtype: a record is asked about before its kind is put together. */
const durabilities = new Map<string, Map<string, Durability>>();

export function defineRecord(definition: RecordDefinition): void {
  if (definitions.has(definition.type)) throw new Error(`record type ${definition.type} is defined twice`);
  definitions.set(definition.type, definition);
  const [event = '', subtype = ''] = definition.type.split(':');
  const ofEvent = durabilities.get(event) ?? new Map<string, Durability>();
  durabilities.set(event, ofEvent.set(subtype, definition.durability));
}

/** Text, progress, acknowledgements and notifications: what a power cut may take without breaking a promise. */
const commitClass: ReadonlySet<string> = new Set<SessionKind | FactKind>([
  'AGENT_OUTPUT:chunk',
  'AGENT_OUTPUT:message.started',
  'AGENT_OUTPUT:message.ended',
  'CONTROL:INPUT_ACK',
  'CONTROL:HANDOVER_ACCEPTED',
  'CONTROL:RUN_ALIVE',
  'EVENT:ADDING_AGENT',
  'EVENT:AGENT_STARTED',
  'EVENT:CANCEL_SENT',
  'EVENT:NO_ACTIVE_SPEAKING',
  'FACT:SYSTEM_EVENT',
]);

for (const [event, subtypes] of Object.entries({ ...SessionPayloads, FACT: FactPayloads })) {
  for (const [subtype, data] of Object.entries(subtypes)) {
    const type = `${event}:${subtype}`;
    defineRecord({ type, version: 1, durability: commitClass.has(type) ? 'commit' : 'flush', data });
  }
}

/** The closed list of durable facts. */
export const recordDefinitions: ReadonlyMap<string, RecordDefinition> = definitions;

export function durabilityOf({ event, subtype }: { event: string; subtype: string }): Durability {
  return durabilities.get(event)?.get(subtype) ?? 'flush';
}
