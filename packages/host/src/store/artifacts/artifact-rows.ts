import type { ArtifactRow, UploadClaim } from '../ports/artifact.ts';
import type { PageRequest } from '../ports/page.ts';

/** What an engine keeps of artifacts: everything but their bytes. */
export interface ArtifactRows {
  insert(row: ArtifactRow): Promise<void>;
  get(artifact_id: string, now: number): Promise<ArtifactRow | null>;
  page(
    session_id: string,
    now: number,
    page?: PageRequest<string>,
  ): Promise<{ rows: ArtifactRow[]; has_more: boolean }>;
  delete(artifact_id: string): Promise<boolean>;
  claim(claim: UploadClaim): Promise<ArtifactRow | null>;
  unclaimed(workspace_id: string, user_id: string): Promise<number>;
  /** Removes some rows that have expired or are too old; how many. On disk before it answers: their files go next. */
  expire(now: number, made_before: number): Promise<number>;
}
