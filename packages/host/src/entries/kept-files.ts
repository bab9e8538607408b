import { hash } from 'node:crypto';
import { artifactName } from '@rostra/kernel/artifact/artifact-name';
import type { RawEventRef } from '@rostra/protocol/runner/run-context';
import type { ArtifactRef, ContentElement } from '@rostra/protocol/session/input';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { Clock } from '../session/clock.ts';
import { SNIFFED_BYTES, storedMimeType } from '../store/artifacts/mime-sniff.ts';
import type { ArtifactRow, ArtifactStore } from '../store/ports/artifact.ts';
import { derivedId } from './derived-id.ts';
import type { EntryEvent, EntryFile } from './entry-event.ts';

/** What of an event stands in the store beside its log. */
export interface KeptFiles {
  readonly raw_ref: RawEventRef | null;
  /** What of its data is small enough to be inlined. */
  readonly data: JsonObject;
  readonly attachments: ArtifactRef[];
  readonly contents: ContentElement[];
}

interface Keeping {
  readonly artifacts: Pick<ArtifactStore, 'create' | 'get' | 'delete'>;
  readonly clock: Pick<Clock, 'now'>;
}

interface Place {
  readonly turn_id: string;
  readonly session_id: string;
  readonly workspace_id: string;
  readonly thread_id: string | null;
  readonly bot_id: string | null;
}

/** Data that is too large to be inlined is a raw payload (RP-4.14); an event has one of those. */
function rawOf({ raw, envelope: { event } }: EntryEvent): { raw: EntryFile | null; data: JsonObject } {
  const bytes = Buffer.from(JSON.stringify(event.data));
  if (bytes.length <= limits.event_data_bytes) return { raw, data: event.data };
  if (raw === null) return { raw: { name: 'event.json', mime_type: 'application/json', bytes }, data: {} };
  throw new ApiError('payload_too_large', 'event.data is too large beside a raw payload', {
    details: { limit_bytes: limits.event_data_bytes, hint: 'Put all that is large into `raw`.' },
  });
}

/**
 * Named after the turn and after what it is: the same event, told again after a crash in the middle, finds what it
 * brought before, and another one under its id finds nothing.
 */
async function keep({ artifacts, clock }: Keeping, file: EntryFile, n: number, place: Place): Promise<ArtifactRow> {
  const { turn_id, session_id, workspace_id, thread_id, bot_id } = place;
  const { name, mime_type, bytes } = file;
  const artifact_id = derivedId('artifact', turn_id, String(n), name, mime_type, hash('sha256', bytes, 'hex'));
  const now = clock.now();
  const known = await artifacts.get(artifact_id, now);
  if (known !== null) return known;
  const scope = { workspace_id, session_id, thread_id, bot_id, run_id: null, agent_id: null };
  const kind = storedMimeType(Buffer.from(bytes.subarray(0, SNIFFED_BYTES)), mime_type);
  const made = { artifact_id, ...scope, name: artifactName(name), mime_type: kind };
  return artifacts.create({ ...made, created_at: now, expires_at: null, metadata: { turn_id } }, bytes);
}

function refOf({ artifact_id, name, mime_type, size_bytes, sha256 }: ArtifactRow): ArtifactRef {
  return { artifact_id, name, mime_type, size_bytes, sha256 };
}

function elementOf(artifact: ArtifactRef): ContentElement {
  if (artifact.mime_type.startsWith('image/')) return { type: 'image', artifact };
  return artifact.mime_type.startsWith('audio/') ? { type: 'audio', artifact } : { type: 'file', artifact };
}

/** Puts what is large into artifacts of the event's session, before the event itself is told there. */
export async function keepFiles(keeping: Keeping, event: EntryEvent, place: Place): Promise<KeptFiles> {
  const { raw, data } = rawOf(event);
  const attachments: ArtifactRef[] = [];
  for (const [index, file] of event.files.entries()) {
    attachments.push(refOf(await keep(keeping, file, index + 1, place)));
  }
  const row = raw === null ? null : await keep(keeping, raw, 0, place);
  const raw_ref =
    row === null ? null : { artifact_id: row.artifact_id, size_bytes: row.size_bytes, mime_type: row.mime_type };
  return { raw_ref, data, attachments, contents: attachments.map(elementOf) };
}

/** The event was not taken: nobody will ever ask for what it brought. */
export async function discardFiles({ artifacts }: Keeping, { raw_ref, attachments }: KeptFiles): Promise<void> {
  const kept = raw_ref === null ? attachments : [...attachments, raw_ref];
  for (const { artifact_id } of kept) await artifacts.delete(artifact_id);
}
