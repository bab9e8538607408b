import { limits } from '@rostra/protocol/wire/limits';
import type {
  ArtifactClaim,
  ArtifactContent,
  ArtifactRow,
  ArtifactStore,
  NewArtifact,
  UploadClaim,
} from '../ports/artifact.ts';
import type { PageRequest } from '../ports/page.ts';
import { toApiError } from '../refused.ts';
import type { ArtifactRows } from './artifact-rows.ts';
import type { Blob, BlobReferences, BlobStore } from './blob-store.ts';

export interface ArtifactParts {
  rows: ArtifactRows;
  blobs: BlobStore;
  references: BlobReferences;
  /** The largest artifact. */
  limit?: number;
}

/** Artifacts of any engine: rows that name blobs. */
export class ArtifactKeeper implements ArtifactStore {
  readonly #rows: ArtifactRows;
  readonly #blobs: BlobStore;
  readonly #references: BlobReferences;
  readonly #limit: number;

  constructor({ rows, blobs, references, limit = limits.artifact_bytes }: ArtifactParts) {
    this.#rows = rows;
    this.#blobs = blobs;
    this.#references = references;
    this.#limit = limit;
  }

  create(artifact: NewArtifact, content: ArtifactContent, claim: ArtifactClaim = {}): Promise<ArtifactRow> {
    return this.#blobs.write(content, this.#limit, async (blob) => {
      checkClaim(artifact, blob, claim);
      const row: ArtifactRow = { ...artifact, user_id: artifact.user_id ?? null, ...blob };
      await this.#rows.insert(row);
      return row;
    });
  }

  get(artifact_id: string, now: number): Promise<ArtifactRow | null> {
    return this.#rows.get(artifact_id, now);
  }

  async read(artifact_id: string, range: { offset: number; length: number }, now: number): Promise<Uint8Array | null> {
    const { offset, length } = range;
    const usable = Number.isInteger(offset) && offset >= 0 && Number.isInteger(length) && length >= 1;
    if (!usable || length > limits.piece_bytes) {
      throw toApiError({
        code: 'invalid_argument',
        reason: 'BAD_RANGE',
        message: `A piece of ${length} bytes from byte ${offset} on cannot be read.`,
        retryable: false,
        hint: `Read 1 to ${limits.piece_bytes} bytes at a time.`,
      });
    }
    const row = await this.#rows.get(artifact_id, now);
    return row === null ? null : this.#blobs.read(row, range);
  }

  page(
    session_id: string,
    now: number,
    page: PageRequest<string> = {},
  ): Promise<{ rows: ArtifactRow[]; has_more: boolean }> {
    return this.#rows.page(session_id, now, page);
  }

  delete(artifact_id: string): Promise<boolean> {
    return this.#rows.delete(artifact_id);
  }

  claim(claim: UploadClaim): Promise<ArtifactRow | null> {
    return this.#rows.claim(claim);
  }

  unclaimed(workspace_id: string, user_id: string): Promise<number> {
    return this.#rows.unclaimed(workspace_id, user_id);
  }

  async sweep(now: number, made_before = 0): Promise<{ expired: number; orphans: number; more: boolean }> {
    const expired = await this.#rows.expire(now, made_before);
    if (expired > 0) return { expired, orphans: 0, more: true };
    const { removed, more } = await this.#blobs.sweep(now, this.#references);
    return { expired, orphans: removed, more };
  }
}

function checkClaim({ name }: NewArtifact, blob: Blob, claim: ArtifactClaim): void {
  const { size_bytes = blob.size_bytes, sha256 = blob.sha256 } = claim;
  if (size_bytes === blob.size_bytes && sha256 === blob.sha256) return;
  throw toApiError({
    code: 'invalid_argument',
    reason: 'CONTENT_MISMATCH',
    message: `The content of ${name} is not what was announced: ${blob.size_bytes} bytes with sha256 ${blob.sha256} came.`,
    retryable: true,
    hint: 'Send it again.',
  });
}
