import { FileBlobs } from '../../../src/store/artifacts/file-blobs.ts';

/** Writes so many bytes as a blob and prints what came of it. Arguments: folder, bytes. */
const [folder = '', size = '0'] = process.argv.slice(2);
try {
  const sha256 = await new FileBlobs(folder).write(
    new Uint8Array(Number(size)).fill(1),
    1e9,
    async (blob) => blob.sha256,
  );
  process.stdout.write(JSON.stringify({ sha256 }));
} catch (error) {
  process.stdout.write(JSON.stringify(error));
}
