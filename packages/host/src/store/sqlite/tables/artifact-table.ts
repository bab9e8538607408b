import { limits } from '@rostra/protocol/wire/limits';
import type { ArtifactRows } from '../../artifacts/artifact-rows.ts';
import type { BlobReferences } from '../../artifacts/blob-store.ts';
import type { InThread } from '../../in-thread.ts';
import type { ArtifactRow, UploadClaim } from '../../ports/artifact.ts';
import { type PageRequest, pageLimit } from '../../ports/page.ts';
import type { SqlRow } from '../driver.ts';
import { jsonObject } from '../json-column.ts';
import type { Statements } from '../statements.ts';

/** The file of a document is kept as long as that. */
const noDocument = 'artifact_id NOT IN (SELECT artifact_id FROM knowledge_document)';

export class ArtifactTable implements InThread<ArtifactRows>, InThread<BlobReferences> {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  insert(row: ArtifactRow): void {
    this.#sql.run(
      `INSERT INTO artifact (artifact_id, workspace_id, session_id, bot_id, thread_id, run_id, agent_id, user_id, name,
        mime_type, size_bytes, sha256, created_at, expires_at, metadata)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      row.artifact_id,
      row.workspace_id,
      row.session_id,
      row.bot_id,
      row.thread_id,
      row.run_id,
      row.agent_id,
      row.user_id,
      row.name,
      row.mime_type,
      row.size_bytes,
      row.sha256,
      row.created_at,
      row.expires_at,
      JSON.stringify(row.metadata),
    );
  }

  get(artifact_id: string, now: number): ArtifactRow | null {
    const row = this.#sql.get(
      'SELECT * FROM artifact WHERE artifact_id = ? AND (expires_at IS NULL OR expires_at > ?)',
      artifact_id,
      now,
    );
    return row === undefined ? null : decode(row);
  }

  page(session_id: string, now: number, page: PageRequest<string> = {}): { rows: ArtifactRow[]; has_more: boolean } {
    const limit = pageLimit(page.limit);
    const found = this.#sql.all(
      `SELECT * FROM artifact WHERE session_id = ?1 AND (expires_at IS NULL OR expires_at > ?2)
        AND (?3 IS NULL OR rowid < (SELECT rowid FROM artifact WHERE artifact_id = ?3))
        ORDER BY rowid DESC LIMIT ?4`,
      session_id,
      now,
      page.before ?? null,
      limit + 1,
    );
    return { rows: found.slice(0, limit).map(decode), has_more: found.length > limit };
  }

  delete(artifact_id: string): boolean {
    return this.#sql.run('DELETE FROM artifact WHERE artifact_id = ?', artifact_id) > 0;
  }

  claim({ artifact_id, session_id, copy_id, now }: UploadClaim): ArtifactRow | null {
    const upload = this.get(artifact_id, now);
    if (upload === null || upload.user_id === null) return null;
    if (upload.session_id === session_id) return upload;
    if (upload.session_id === null) {
      this.#sql.run(
        'UPDATE artifact SET session_id = ?, expires_at = NULL WHERE artifact_id = ?',
        session_id,
        artifact_id,
      );
      return this.get(artifact_id, now);
    }
    const copy = { ...upload, artifact_id: copy_id, session_id, created_at: now };
    if (this.get(copy_id, now) === null) this.insert(copy);
    return this.get(copy_id, now);
  }

  unclaimed(workspace_id: string, user_id: string): number {
    const row = this.#sql.get(
      `SELECT ifnull(sum(size_bytes), 0) AS bytes FROM artifact
        WHERE workspace_id = ? AND user_id = ? AND session_id IS NULL AND user_id IS NOT NULL`,
      workspace_id,
      user_id,
    );
    return Number(row?.bytes ?? 0);
  }

  /** Rows are written in about the order of their time: only the oldest need be looked at for their age. */
  expire(now: number, made_before: number): number {
    const expired = this.#sql.run(
      `DELETE FROM artifact WHERE rowid IN
        (SELECT rowid FROM artifact WHERE expires_at <= ? AND ${noDocument} LIMIT ?)`,
      now,
      limits.sweep_rows,
    );
    const aged = this.#sql.run(
      `DELETE FROM artifact WHERE created_at < ?2 AND rowid IN (SELECT rowid FROM artifact WHERE ${noDocument}
        ORDER BY rowid LIMIT ?1)`,
      limits.sweep_rows,
      made_before,
    );
    return expired + aged;
  }

  unreferenced(hashes: string[]): string[] {
    const named = `SELECT EXISTS (SELECT 1 FROM artifact WHERE sha256 = ?1)
      OR EXISTS (SELECT 1 FROM storage WHERE sha256 = ?1 AND bytes IS NULL) AS named`;
    return hashes.filter((hash) => this.#sql.get(named, hash)?.named === 0);
  }
}

function decode(row: SqlRow): ArtifactRow {
  return {
    artifact_id: row.artifact_id as string,
    workspace_id: row.workspace_id as string,
    session_id: row.session_id as string | null,
    bot_id: row.bot_id as string | null,
    thread_id: row.thread_id as string | null,
    run_id: row.run_id as string | null,
    agent_id: row.agent_id as string | null,
    user_id: row.user_id as string | null,
    name: row.name as string,
    mime_type: row.mime_type as string,
    size_bytes: row.size_bytes as number,
    sha256: row.sha256 as string,
    created_at: row.created_at as number,
    expires_at: row.expires_at as number | null,
    metadata: jsonObject(row.metadata),
  };
}
