import { TranscriptItem } from '@rostra/protocol/api/history';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { Json, type JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { ApiAnswers } from './test-answers.ts';

interface KeptArtifact {
  readonly data: JsonObject;
  readonly bytes: Buffer;
}

interface Range {
  readonly offset?: number | undefined;
  readonly length?: number | undefined;
}

/** What a host keeps for its runs, in memory, for unit tests: pass it to `testHost` and look into it afterwards. */
export class TestKeep {
  /** By `scope/key`. */
  readonly state = new Map<string, Json>();
  /** By `area/key`. */
  readonly storage = new Map<string, Buffer>();
  /** By id: that of its result, or `artifact-1` and so on. */
  readonly artifacts = new Map<string, KeptArtifact>();
  readonly #uploads = new Map<string, Buffer>();
  readonly #history: TranscriptItem[];

  /** `history`: what was said before, of the user and the assistant in turn. */
  constructor({ history = [] }: { readonly history?: readonly string[] } = {}) {
    this.#history = history.map((content, index) => itemOf(content, index + 1));
  }

  /** A result that asks the host to keep something. */
  take(type: string, data: JsonObject): void {
    if (type === 'state.updated') this.state.set(`${data.scope}/${data.key}`, data.value ?? null);
    if (type !== 'artifact.created') return;
    const { content_base64, upload_id, artifact_id = `artifact-${this.artifacts.size + 1}`, ...rest } = data;
    const bytes = upload_id === undefined ? decoded(content_base64) : this.#uploaded(String(upload_id));
    this.artifacts.set(String(artifact_id), { data: rest, bytes });
  }

  readonly api: ApiAnswers = {
    'state.get': ({ scope, key }) => ({ value: this.state.get(`${scope}/${key}`) ?? null }),
    'state.set': ({ scope, key, value }) => {
      this.state.set(`${scope}/${key}`, Json.parse(value));
      return { success: true };
    },
    'state.delete': ({ scope, key }) => ({ success: this.state.delete(`${scope}/${key}`) }),
    'state.list': ({ scope, prefix }) => ({ keys: keysOf(this.state, scope, prefix), has_more: false }),
    'storage.get': ({ area, key, ...range }) => piece(found(this.storage.get(`${area}/${key}`)), range),
    'storage.set': ({ area, key, value_base64, upload_id }) => {
      const bytes = upload_id === undefined ? decoded(value_base64) : this.#uploaded(upload_id);
      this.storage.set(`${area}/${key}`, bytes);
      return { success: true };
    },
    'storage.write': (given) => this.#write(given),
    'storage.delete': ({ area, key }) => ({ success: this.storage.delete(`${area}/${key}`) }),
    'storage.list': ({ area, prefix }) => ({ keys: keysOf(this.storage, area, prefix), has_more: false }),
    'artifacts.write': (given) => this.#write(given),
    'artifacts.metadata': ({ artifact_id }) => this.#described(artifact_id),
    'artifacts.read_range': ({ artifact_id, ...range }) => {
      const { mime_type } = this.#described(artifact_id);
      return { artifact_id, mime_type, ...piece(found(this.artifacts.get(artifact_id)).bytes, range) };
    },
    /** Of what runs said only the artifacts, which have their ids from here. */
    'runs.events_page': ({ target_run_id: run_id, after_cursor }) => {
      const after = Number(after_cursor ?? 0);
      const created = [...this.artifacts].map(([artifact_id, { data }]) => ({ ...data, artifact_id }));
      const items = created.slice(after).map((data) => ({ ...told, run_id, type: 'artifact.created', data }));
      return { items, next_cursor: String(created.length), prev_cursor: null, has_more: false };
    },
    'history.page': ({ before_cursor, after_cursor, direction, limit = limits.page_items_default }) => {
      const isForward = direction === 'forward';
      const after = Number(after_cursor ?? 0);
      const before = Number(before_cursor ?? Number.POSITIVE_INFINITY);
      const left = this.#history.filter(({ seq }) => seq > after && seq < before);
      const items = isForward ? left.slice(0, limit) : left.slice(-limit);
      const [first, last] = [items.at(0)?.cursor ?? null, items.at(-1)?.cursor ?? null];
      const [next_cursor, prev_cursor] = isForward ? [last, first] : [first, last];
      return { items, next_cursor, prev_cursor, has_more: left.length > items.length };
    },
    'history.search': ({ query, top_k = 10 }) => {
      const items = this.#history.filter(({ content }) => content.toLowerCase().includes(query.toLowerCase()));
      return { items: items.slice(0, top_k), total_count: items.length };
    },
  };

  #write({ upload_id, offset, content_base64 }: { upload_id: string; offset: number; content_base64: string }) {
    const before = this.#uploads.get(upload_id) ?? Buffer.alloc(0);
    if (offset !== before.length) throw new ApiError('invalid_argument', `The next piece begins at ${before.length}.`);
    const bytes = Buffer.concat([before, decoded(content_base64)]);
    this.#uploads.set(upload_id, bytes);
    return { upload_id, size_bytes: bytes.length };
  }

  #uploaded(upload_id: string): Buffer {
    const bytes = found(this.#uploads.get(upload_id));
    this.#uploads.delete(upload_id);
    return bytes;
  }

  #described(artifact_id: string) {
    const { data, bytes } = found(this.artifacts.get(artifact_id));
    const { name, mime_type = 'application/octet-stream', sha256 } = data;
    return {
      artifact_id,
      name: typeof name === 'string' ? name : null,
      mime_type: String(mime_type),
      size_bytes: bytes.length,
      sha256: typeof sha256 === 'string' ? sha256 : null,
      conversation_id: null,
      run_id: null,
      created_at: 0,
      expires_at: null,
      metadata: {},
    };
  }
}

const told = { sequence: null, timestamp: null };

function found<T>(thing: T | undefined): T {
  if (thing === undefined) throw new ApiError('not_found', 'There is no such thing in this test.');
  return thing;
}

function decoded(base64: unknown): Buffer {
  return Buffer.from(String(base64 ?? ''), 'base64');
}

function piece(bytes: Buffer, { offset = 0, length = limits.piece_bytes_default }: Range) {
  const content_base64 = bytes.subarray(offset, offset + length).toString('base64');
  return { offset, content_base64, size_bytes: bytes.length, has_more: offset + length < bytes.length };
}

function keysOf(kept: ReadonlyMap<string, unknown>, place: string, prefix: string | null | undefined): string[] {
  const lead = `${place}/${prefix ?? ''}`;
  const keys = [...kept.keys()].filter((key) => key.startsWith(lead));
  return keys.map((key) => key.slice(place.length + 1)).sort();
}

function itemOf(content: string, seq: number): TranscriptItem {
  return TranscriptItem.parse({
    item_id: `item-${seq}`,
    seq,
    cursor: String(seq),
    conversation_id: 'conversation-1',
    role: seq % 2 === 1 ? 'user' : 'assistant',
    item_type: 'message',
    content,
    created_at: seq,
  });
}
