import type { ArtifactContent } from '../ports/artifact.ts';

/** Bytes under the name of their content. */
export interface Blob {
  sha256: string;
  size_bytes: number;
}

/** Who else names a blob. */
export interface BlobReferences {
  /** Those that no row names. */
  unreferenced(hashes: string[]): Promise<string[]>;
}

export interface BlobStore {
  /**
   * Keeps the bytes, then lets `use` make the row that names them; nobody sweeps them meanwhile. More than `limit` bytes
   * are refused. A blob that no row names after all is an orphan.
   */
  write<T>(content: ArtifactContent, limit: number, use: (blob: Blob) => Promise<T>): Promise<T>;
  read(blob: Blob, range: { offset: number; length: number }): Promise<Uint8Array>;
  /** Looks at some blobs and removes those that no row names and that are old enough. */
  sweep(now: number, references: BlobReferences): Promise<{ removed: number; more: boolean }>;
}
