import { rmSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { ActiveRun } from '../orchestrator/run-charter.ts';
import { toFileError } from '../store/artifacts/file-error.ts';
import { toApiError } from '../store/refused.ts';

/** What the bytes are to become: the call that brings them decides. */
export type UploadPurpose = 'artifacts' | 'storage';

export interface UploadPiece {
  readonly upload_id: string;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** What was uploaded, to be read as often as somebody likes while it is being used. */
export interface UploadedContent {
  readonly size_bytes: number;
  read(range: { offset: number; length: number }): Promise<Uint8Array>;
  pieces(): AsyncGenerator<Uint8Array>;
}

export interface UploadsOptions {
  /** A folder of this host's own, for nothing else: what lies in it belongs to runs that are gone. */
  readonly folder: string;
  /** The largest of each purpose. */
  readonly most: Readonly<Record<UploadPurpose, number>>;
  /** All uploads together. */
  readonly total?: number;
}

interface Upload {
  /** The runner's own name for it stands in no path. */
  readonly file: string;
  readonly most: number;
  size: number;
  isGone: boolean;
  /** The pieces of one upload come one after another. */
  last: Promise<unknown>;
}

/**
 * Bytes on their way from a runner, in pieces.
 *
 * U1. An upload is its run's: nobody else has one of that name, and it goes when the run is over or the host starts.
 * U2. The pieces follow each other without a gap; a piece that came before is answered as it was then.
 * U3. No more than a piece is in memory. Uploads of a run, bytes of an upload and bytes of all of them are bounded.
 */
export class Uploads {
  readonly #options: UploadsOptions;
  readonly #runs = new Map<string, Map<string, Upload>>();
  #bytes = 0;
  #files = 0;

  constructor(options: UploadsOptions) {
    this.#options = options;
    // Before anything can be uploaded, and at the start most often nothing is there.
    rmSync(options.folder, { recursive: true, force: true });
  }

  /** Bytes of all uploads that are under way. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The size that the upload has with this piece. */
  async write(run: ActiveRun, purpose: UploadPurpose, piece: UploadPiece): Promise<number> {
    const upload = this.#find(run, purpose, piece.upload_id) ?? this.#begin(run, purpose, piece);
    return inOrder(upload, () => this.#take(upload, run, piece));
  }

  /** Lets `use` have what was uploaded; when it is done the upload is used up, when it fails the upload stays. */
  async use<T>(
    run: ActiveRun,
    purpose: UploadPurpose,
    upload_id: string,
    use: (content: UploadedContent) => Promise<T>,
  ): Promise<T> {
    const upload = this.#find(run, purpose, upload_id);
    if (upload === null) throw noSuchUpload();
    return inOrder(upload, async () => {
      if (upload.isGone) throw noSuchUpload();
      const used = await use(contentOf(upload));
      this.#runs.get(run.run_id)?.delete(nameOf(purpose, upload_id));
      await this.#remove(upload);
      return used;
    });
  }

  #find(run: ActiveRun, purpose: UploadPurpose, upload_id: string): Upload | null {
    return this.#runs.get(run.run_id)?.get(nameOf(purpose, upload_id)) ?? null;
  }

  /** A first piece that cannot be taken begins nothing. */
  #begin(run: ActiveRun, purpose: UploadPurpose, { upload_id, offset, bytes }: UploadPiece): Upload {
    run.signal.throwIfAborted();
    const uploads = this.#runs.get(run.run_id) ?? new Map<string, Upload>();
    if (uploads.size >= limits.run_uploads) {
      throw toApiError({
        code: 'rate_limited',
        reason: 'TOO_MANY_UPLOADS',
        message: `A run has at most ${limits.run_uploads} uploads under way.`,
        retryable: true,
        hint: 'Finish one of them first.',
      });
    }
    const most = this.#options.most[purpose];
    if (offset !== 0) throw notNext(0, offset);
    this.#checkRoom(most, bytes.byteLength, bytes.byteLength);
    if (!this.#runs.has(run.run_id)) {
      this.#runs.set(run.run_id, uploads);
      run.signal.addEventListener('abort', () => this.#forget(run.run_id), { once: true });
    }
    this.#files += 1;
    const file = path.join(this.#options.folder, String(this.#files));
    const upload = { file, most, size: 0, isGone: false, last: Promise.resolve() };
    uploads.set(nameOf(purpose, upload_id), upload);
    return upload;
  }

  async #take(upload: Upload, run: ActiveRun, { offset, bytes }: UploadPiece): Promise<number> {
    run.signal.throwIfAborted();
    // It was used while this piece waited: what is written now would never be removed.
    if (upload.isGone) throw noSuchUpload();
    const end = offset + bytes.byteLength;
    if (offset !== upload.size) {
      if (end <= upload.size && (await holds(upload, offset, bytes))) return end;
      throw notNext(upload.size, offset);
    }
    this.#checkRoom(upload.most, end, bytes.byteLength);
    this.#bytes += bytes.byteLength;
    try {
      await this.#append(upload, bytes);
    } catch (error) {
      this.#bytes -= bytes.byteLength;
      throw toFileError(error);
    }
    upload.size = end;
    return end;
  }

  #checkRoom(most: number, size: number, more: number): void {
    if (size > most) throw tooLarge(most);
    if (this.#bytes + more > (this.#options.total ?? limits.uploads_bytes)) throw full();
  }

  /** What a write that failed left behind its end is written over by the next. */
  async #append({ file, size }: Upload, bytes: Uint8Array): Promise<void> {
    if (size === 0) await mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
    const handle = await open(file, size === 0 ? 'w' : 'r+', 0o600);
    try {
      for (let from = 0; from < bytes.byteLength; ) {
        const { bytesWritten } = await handle.write(bytes, from, bytes.byteLength - from, size + from);
        from += bytesWritten;
      }
    } finally {
      await handle.close();
    }
  }

  /** The run is over. A piece that is being written is written to its end first. */
  #forget(run_id: string): void {
    const uploads = this.#runs.get(run_id) ?? new Map<string, Upload>();
    this.#runs.delete(run_id);
    for (const upload of uploads.values()) void inOrder(upload, () => this.#remove(upload));
  }

  async #remove(upload: Upload): Promise<void> {
    if (upload.isGone) return;
    upload.isGone = true;
    this.#bytes -= upload.size;
    await rm(upload.file, { force: true });
  }
}

/** One after another; the failure of one is its own. */
function inOrder<T>(upload: Upload, work: () => Promise<T>): Promise<T> {
  const done = upload.last.then(work, work);
  upload.last = done.catch(() => undefined);
  return done;
}

function nameOf(purpose: UploadPurpose, upload_id: string): string {
  return `${purpose} ${upload_id}`;
}

async function holds(upload: Upload, offset: number, bytes: Uint8Array): Promise<boolean> {
  const stored = await readFrom(upload, { offset, length: bytes.byteLength });
  return Buffer.compare(stored, bytes) === 0;
}

async function readFrom({ file, size }: Upload, range: { offset: number; length: number }): Promise<Buffer> {
  const { offset } = range;
  const bytes = Buffer.alloc(Math.max(0, Math.min(range.length, size - offset)));
  if (bytes.byteLength === 0) return bytes;
  try {
    const handle = await open(file, 'r');
    try {
      for (let read = 0; read < bytes.byteLength; ) {
        const { bytesRead } = await handle.read(bytes, read, bytes.byteLength - read, offset + read);
        if (bytesRead === 0) throw new Error(`the upload ${file} is shorter than it was`);
        read += bytesRead;
      }
      return bytes;
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw toFileError(error);
  }
}

function contentOf(upload: Upload): UploadedContent {
  const { size } = upload;
  return {
    size_bytes: size,
    read: (range) => readFrom(upload, range),
    async *pieces() {
      for (let offset = 0; offset < size; offset += limits.piece_bytes) {
        yield await readFrom(upload, { offset, length: limits.piece_bytes });
      }
    },
  };
}

function noSuchUpload(): ApiError {
  return new ApiError('not_found', 'There is no such upload in this run.');
}

function notNext(next: number, offset: number): ApiError {
  return toApiError({
    code: 'invalid_argument',
    reason: 'BAD_RANGE',
    message: `The next piece of this upload begins at byte ${next}, not at ${offset}.`,
    retryable: false,
  });
}

function tooLarge(most: number): ApiError {
  return toApiError({
    code: 'payload_too_large',
    reason: 'VALUE_TOO_LARGE',
    message: `An upload of this kind has at most ${most} bytes.`,
    retryable: false,
  });
}

function full(): ApiError {
  return toApiError({
    code: 'rate_limited',
    reason: 'TOO_MANY_UPLOADS',
    message: 'The host holds as many unfinished uploads as it can.',
    retryable: true,
    hint: 'Try again later.',
  });
}
