import { hash } from 'node:crypto';
import type { AgentEventEnvelope } from '@rostra/protocol/runner/run-context';
import type { TurnEvent } from '@rostra/protocol/session/input';
import { canonicalJson } from '@rostra/protocol/wire/canonical-json';
import type { JsonObject } from '@rostra/protocol/wire/json';
import type { Principal } from '../session/session-gateway.ts';

/** Bytes that came with an event: they become an artifact of its session. */
export interface EntryFile {
  readonly name: string;
  readonly mime_type: string;
  readonly bytes: Uint8Array;
}

/** An event as an entry hands it over. */
export interface EntryEvent {
  readonly envelope: AgentEventEnvelope;
  readonly trigger_source: TurnEvent['trigger_source'];
  /** Only of a pipeline. */
  readonly adapter: JsonObject | null;
  /** The payload as it arrived, for `raw_ref`. */
  readonly raw: EntryFile | null;
  readonly files: readonly EntryFile[];
}

/** Where an event came in, and for whom. */
export interface EntryOrigin {
  readonly entry: 'api' | 'schedule' | 'webhook' | 'pipeline';
  /** Whose session it enters. */
  readonly principal: Principal;
  /** Who speaks in it, where that is not the principal. */
  readonly speaker: string | null;
}

/** Who speaks for events that nobody said: the host, with no right of a person. */
export const SYSTEM = 'system';
/** Who speaks for the people behind a pipeline: somebody in their sessions, and nobody's owner. */
export const PIPELINE = 'pipeline';

export const systemActor = { actor_type: 'system', actor_id: SYSTEM, actor_name: null, metadata: {} };

/** What tells a repeat of an event from another one under the same id. */
export function contentHash({ envelope, adapter, raw, files }: EntryEvent): string {
  const brought = [...(raw === null ? [] : [raw]), ...files].map(({ name, mime_type, bytes }) => [
    name,
    mime_type,
    hash('sha256', bytes, 'hex'),
  ]);
  return hash('sha256', canonicalJson({ envelope, adapter, brought }), 'base64url');
}
