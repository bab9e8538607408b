import { artifactName } from '@rostra/kernel/artifact/artifact-name';
import { checkCall } from '@rostra/kernel/grant/check-call';
import { CreatedArtifact } from '@rostra/protocol/runner/created-artifact';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { utf8Length } from '@rostra/protocol/wire/utf8-length';
import type { ResultEffect } from '../../orchestrator/result-effects.ts';
import type { ActiveRun } from '../../orchestrator/run-charter.ts';
import { SNIFFED_BYTES, storedMimeType } from '../../store/artifacts/mime-sniff.ts';
import type { ArtifactContent, ArtifactRow, ArtifactStore, NewArtifact } from '../../store/ports/artifact.ts';
import { toApiError } from '../../store/refused.ts';
import { metadataOf } from '../families/artifacts.ts';
import { pieceBytes } from '../piece-bytes.ts';
import type { Uploads } from '../uploads.ts';

export interface ArtifactCreatedOptions {
  readonly artifacts: Pick<ArtifactStore, 'create' | 'delete'>;
  readonly uploads: Uploads;
  readonly clock: { now(): number };
  /** A new id; it tells nothing about what it names. */
  readonly newId: () => string;
}

/**
 * `artifact.created` (RP-6.7): the bytes are on disk and the row is there before the session hears of it, and it hears
 * of the artifact as it is kept, without the bytes.
 */
export function artifactCreated(options: ArtifactCreatedOptions): ResultEffect {
  const made = new WeakMap<ActiveRun, number>();
  return async (run, data) => {
    const said = CreatedArtifact.safeParse(data);
    if (!said.success) return { drop: `It is no artifact: ${said.error.issues[0]?.message ?? ''}` };
    const refusal = checkCall(run.charter.grant, { family: 'artifacts', operation: 'write' });
    if (refusal !== null) return { drop: refusal.message };
    if (run.signal.aborted) return { drop: 'The run is over.' };
    const count = (made.get(run) ?? 0) + 1;
    try {
      if (count > limits.run_artifacts) throw tooMany();
      const row = await store(options, run, said.data);
      made.set(run, count);
      if (run.signal.aborted) {
        // Nobody will ever hear of it.
        await options.artifacts.delete(row.artifact_id);
        return { drop: 'The run is over.' };
      }
      return { tell: metadataOf(row) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { drop: error.message };
    }
  };
}

function store(options: ArtifactCreatedOptions, run: ActiveRun, said: CreatedArtifact): Promise<ArtifactRow> {
  const { artifacts, uploads } = options;
  const { upload_id, content_base64 } = said;
  const row = rowOf(options, run, said);
  const keep = (content: ArtifactContent, head: Uint8Array) => {
    const mime_type = storedMimeType(Buffer.from(head), said.mime_type);
    return artifacts.create({ ...row, mime_type }, content, claimOf(said));
  };
  if ((upload_id === undefined) === (content_base64 === undefined)) {
    throw new ApiError('invalid_argument', 'An artifact has either its content or an upload.');
  }
  if (upload_id !== undefined) {
    return uploads.use(run, 'artifacts', upload_id, async (content) =>
      keep(content.pieces(), await content.read({ offset: 0, length: SNIFFED_BYTES })),
    );
  }
  const bytes = pieceBytes(content_base64 ?? '');
  if (bytes.byteLength > limits.artifact_inline_bytes) {
    const message = `A result carries at most ${limits.artifact_inline_bytes} bytes of content; upload it first.`;
    throw new ApiError('payload_too_large', message);
  }
  return keep(bytes, bytes.subarray(0, SNIFFED_BYTES));
}

/** Who may read it stands in its ids; what only its run may read goes with the run's time. */
function rowOf({ clock, newId }: ArtifactCreatedOptions, run: ActiveRun, said: CreatedArtifact): NewArtifact {
  const { visibility, metadata } = said;
  const expires_at = said.expires_at == null ? null : said.expires_at * 1000;
  const now = clock.now();
  if (expires_at !== null && expires_at <= now) {
    throw new ApiError('invalid_argument', 'The artifact expires before it is there.');
  }
  if (utf8Length(JSON.stringify(metadata)) > limits.artifact_metadata_bytes) {
    throw new ApiError('payload_too_large', `The metadata has more than ${limits.artifact_metadata_bytes} bytes.`);
  }
  const { workspace_id, bot_id, conversation_id, thread_id } = run.charter.grant.scope;
  const inConversation = visibility === 'conversation';
  return {
    artifact_id: newId(),
    workspace_id,
    session_id: inConversation ? conversation_id : null,
    bot_id: inConversation ? bot_id : null,
    thread_id: inConversation ? thread_id : null,
    run_id: run.run_id,
    agent_id: visibility === 'run' ? null : run.agent_id,
    name: artifactName(said.name),
    mime_type: said.mime_type,
    created_at: now,
    expires_at: visibility === 'run' ? Math.min(expires_at ?? run.deadline_at, run.deadline_at) : expires_at,
    metadata,
  };
}

function claimOf({ size_bytes, sha256 }: CreatedArtifact) {
  return {
    ...(size_bytes !== undefined && { size_bytes }),
    ...(sha256 !== undefined && { sha256: sha256.toLowerCase() }),
  };
}

function tooMany(): ApiError {
  return toApiError({
    code: 'rate_limited',
    reason: 'TOO_MANY_ARTIFACTS',
    message: `A run makes at most ${limits.run_artifacts} artifacts.`,
    retryable: false,
  });
}
