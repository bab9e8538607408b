import { createHash, type Hash } from 'node:crypto';
import type { ApiParams } from '@rostra/protocol/api/api-methods';
import type { TranscriptItem } from '@rostra/protocol/api/history';
import type { RunResult } from '@rostra/protocol/runner/run-result';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { type Content, piecesOf, wholeOf } from './content.ts';
import type { RunCalls } from './run-calls.ts';

export interface NewArtifact {
  readonly name: string;
  /** The host looks for itself; told only where the bytes do not say it. */
  readonly mime_type?: string;
  /** Seconds since 1970. */
  readonly expires_at?: number;
  readonly metadata?: JsonObject;
}

type ArtifactCreated = Extract<RunResult, { type: 'artifact.created' }>;
type Stored = Pick<ApiParams<'storage.get'>, 'area' | 'key'>;
type WholeHistory = Pick<ApiParams<'history.page'>, 'conversation_id' | 'direction' | 'include_artifacts'>;

/** What takes several calls, or a yield: files, objects of any size, all of the history. */
export interface Transfers {
  readonly artifacts: {
    /**
     * Sends the bytes of a file, in pieces if they are many. It exists when the result is yielded:
     * `yield await run.api.artifacts.upload(bytes, { name: 'report.csv' })`.
     */
    upload(content: Content, artifact: NewArtifact): Promise<ArtifactCreated>;
    /** All bytes of an artifact, piece by piece. */
    read(artifact_id: string): AsyncGenerator<Uint8Array>;
  };
  readonly storage: {
    /** Puts bytes of any size under a key. */
    put(object: Stored, content: Content): Promise<void>;
    /** All bytes under a key, piece by piece. */
    read(object: Stored): AsyncGenerator<Uint8Array>;
  };
  readonly history: {
    /** Every item that the run may read, the newest first unless told `direction: 'forward'`. */
    items(whole?: WholeHistory): AsyncGenerator<TranscriptItem>;
  };
}

type Write = RunCalls['artifacts']['write'];
type Piece = { content_base64: string; has_more: boolean };

export function transfersOf(calls: RunCalls): Transfers {
  let uploads = 0;
  const send = async (write: Write, content: Content) => {
    uploads += 1;
    const upload_id = `upload-${uploads}`;
    const hash = createHash('sha256');
    let offset = 0;
    for await (const piece of piecesOf(content, limits.piece_bytes)) {
      await write({ upload_id, offset, content_base64: base64(piece) });
      hash.update(piece);
      offset += piece.length;
    }
    // Nothing is something, too: the host must have heard of the upload.
    if (offset === 0) await write({ upload_id, offset, content_base64: '' });
    return { upload_id, size_bytes: offset, hash };
  };
  return {
    artifacts: {
      async upload(content, { name, mime_type = defaultType(content), ...rest }) {
        const whole = wholeOf(content);
        if (whole !== null && whole.length <= limits.piece_bytes_default) {
          const hash = createHash('sha256').update(whole);
          return created({ name, mime_type, ...rest }, whole.length, hash, { content_base64: base64(whole) });
        }
        const { upload_id, size_bytes, hash } = await send(calls.artifacts.write, content);
        return created({ name, mime_type, ...rest }, size_bytes, hash, { upload_id });
      },
      read: (artifact_id) =>
        bytesOf((offset) => calls.artifacts.read_range({ artifact_id, offset, length: limits.piece_bytes })),
    },
    storage: {
      async put(object, content) {
        const whole = wholeOf(content);
        if (whole !== null && whole.length <= limits.piece_bytes) {
          await calls.storage.set({ ...object, value_base64: base64(whole) });
          return;
        }
        const { upload_id } = await send(calls.storage.write, content);
        await calls.storage.set({ ...object, upload_id });
      },
      read: (object) => bytesOf((offset) => calls.storage.get({ ...object, offset, length: limits.piece_bytes })),
    },
    history: { items: (whole = {}) => itemsOf(calls, whole) },
  };
}

function created(given: NewArtifact, size_bytes: number, hash: Hash, content: JsonObject): ArtifactCreated {
  return { type: 'artifact.created', data: { ...given, size_bytes, sha256: hash.digest('hex'), ...content } };
}

function defaultType(content: Content): string {
  return typeof content === 'string' ? 'text/plain' : 'application/octet-stream';
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

async function* bytesOf(read: (offset: number) => Promise<Piece>): AsyncGenerator<Uint8Array> {
  for (let offset = 0; ; ) {
    const { content_base64, has_more } = await read(offset);
    const bytes = Buffer.from(content_base64, 'base64');
    if (bytes.length > 0) yield bytes;
    offset += bytes.length;
    // A host that promises more and gives nothing would be asked for ever.
    if (!has_more || bytes.length === 0) return;
  }
}

async function* itemsOf(calls: RunCalls, whole: WholeHistory): AsyncGenerator<TranscriptItem> {
  const isForward = whole.direction === 'forward';
  for (let cursor: string | null = null; ; ) {
    const from: object = isForward ? { after_cursor: cursor } : { before_cursor: cursor };
    const { items, next_cursor, has_more } = await calls.history.page({ ...whole, ...from, limit: limits.page_items });
    yield* items.sort((one, other) => (isForward ? one.seq - other.seq : other.seq - one.seq));
    cursor = next_cursor;
    if (!has_more || cursor === null) return;
  }
}
