import { type ArtifactPlace, type Call, notFound } from '@rostra/kernel/grant/check-call';
import type { ArtifactMetadata, ArtifactsApi } from '@rostra/protocol/api/artifacts';
import type { ArtifactOperation } from '@rostra/protocol/runner/resources';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { ArtifactRow, ArtifactStore } from '../../store/ports/artifact.ts';
import type { ApiFamily } from '../api-family.ts';
import { pieceBytes } from '../piece-bytes.ts';
import type { Uploads } from '../uploads.ts';

export interface ArtifactsOptions {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'read'>;
  readonly uploads: Uploads;
  readonly clock: { now(): number };
}

/** RP-7.19 to RP-7.22. One that has expired is not found, in the words for one that never was. */
export function artifactsFamily({ artifacts, uploads, clock }: ArtifactsOptions): ApiFamily<keyof typeof ArtifactsApi> {
  const asks =
    (operation: ArtifactOperation) =>
    async ({ artifact_id }: { artifact_id: string }): Promise<Call> => {
      const row = await artifacts.get(artifact_id, clock.now());
      return { family: 'artifacts', operation, target: row === null ? null : placeOf(row) };
    };
  const find = async (artifact_id: string) => found(await artifacts.get(artifact_id, clock.now()));
  const read = async (artifact_id: string, offset: number, length: number) =>
    Buffer.from(found(await artifacts.read(artifact_id, { offset, length }, clock.now())));

  return {
    'artifacts.metadata': {
      asks: asks('metadata'),
      serve: async ({ artifact_id }) => metadataOf(await find(artifact_id)),
    },
    'artifacts.read_range': {
      asks: asks('read'),
      async serve({ artifact_id, offset, length }) {
        const { mime_type, size_bytes } = await find(artifact_id);
        const bytes = await read(artifact_id, offset, length);
        const has_more = offset + bytes.byteLength < size_bytes;
        return { artifact_id, mime_type, size_bytes, offset, content_base64: bytes.toString('base64'), has_more };
      },
    },
    'artifacts.open_stream': {
      asks: asks('read'),
      async serve({ artifact_id }, { signal }, push) {
        const row = await find(artifact_id);
        for (let offset = 0; offset < row.size_bytes; ) {
          signal.throwIfAborted();
          const bytes = await read(artifact_id, offset, limits.stream_piece_bytes);
          await push({ offset, content_base64: bytes.toString('base64') });
          offset += bytes.byteLength;
        }
        return metadataOf(row);
      },
    },
    'artifacts.write': {
      asks: () => ({ family: 'artifacts', operation: 'write' }),
      async serve({ upload_id, offset, content_base64 }, run) {
        const bytes = pieceBytes(content_base64);
        return { upload_id, size_bytes: await uploads.write(run, 'artifacts', { upload_id, offset, bytes }) };
      },
    },
  };
}

function found<T>(looked: T | null): T {
  if (looked !== null) return looked;
  const { code, message } = notFound('artifact');
  throw new ApiError(code, message);
}

export function placeOf(row: ArtifactRow): ArtifactPlace {
  const { workspace_id, bot_id, thread_id, run_id, agent_id } = row;
  return { workspace_id, bot_id, conversation_id: row.session_id, thread_id, run_id, agent_id };
}

/** An artifact as it is described to runners and to sessions. */
export function metadataOf(row: ArtifactRow): ArtifactMetadata {
  const { artifact_id, name, mime_type, size_bytes, sha256, run_id, metadata } = row;
  const about = { artifact_id, name, mime_type, size_bytes, sha256, run_id, metadata };
  const created_at = Math.floor(row.created_at / 1000);
  const expires_at = row.expires_at === null ? null : Math.floor(row.expires_at / 1000);
  return { ...about, conversation_id: row.session_id, created_at, expires_at };
}
