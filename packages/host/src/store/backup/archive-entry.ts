export const manifestName = 'manifest.json';
export const databaseName = 'rostra.db';
/** More than a million files. */
export const manifestBytesMax = 256 * 1024 * 1024;

export function blobEntry(sha256: string): string {
  return `blobs/${sha256.slice(0, 2)}/${sha256}`;
}
