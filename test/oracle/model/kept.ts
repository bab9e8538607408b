import type { RunFact } from '../world/facts.ts';
import type { Outcome, Params } from './expected.ts';

const STATE_VALUE_BYTES = 256 * 1024;
const UPLOADS = 8;

/** What the family itself answers, and what is wrong with that answer if anything is. */
export interface Served {
  readonly outcome: Outcome;
  readonly check?: (answer: Record<string, unknown>) => string | null;
}

const isControl = (text: string) => [...text].some((char) => char < ' ' || char === '\u007f');
const differs = (what: string, given: unknown, expected: unknown): string | null =>
  JSON.stringify(given) === JSON.stringify(expected)
    ? null
    : `${what} is ${JSON.stringify(given)?.slice(0, 200)}, not ${JSON.stringify(expected)?.slice(0, 200)}`;

/** State, storage and uploads as the specification has them: whose they are, and what is refused. */
export class Kept {
  readonly #state = new Map<string, Map<string, unknown>>();
  readonly #storage = new Map<string, Map<string, Buffer>>();
  readonly #uploads = new Map<string, Map<string, Buffer>>();

  readonly serve: Readonly<Record<string, (run: RunFact, params: Params) => Served>> = {
    'state.get': (run, { scope, key }) => {
      const name = stateKey(scope, key);
      if (name === null) return { outcome: 'invalid_argument' };
      const value = this.#scope(run, scope).get(name) ?? null;
      return { outcome: 'ok', check: (answer) => differs('the value', answer.value, value) };
    },
    'state.set': (run, { scope, key, value }) => {
      const name = stateKey(scope, key);
      if (name === null) return { outcome: 'invalid_argument' };
      if (Buffer.byteLength(JSON.stringify(value)) > STATE_VALUE_BYTES) return { outcome: 'payload_too_large' };
      if (value === null) this.#scope(run, scope).delete(name);
      else this.#scope(run, scope).set(name, value);
      return { outcome: 'ok' };
    },
    'state.delete': (run, { scope, key }) => {
      const name = stateKey(scope, key);
      if (name === null) return { outcome: 'invalid_argument' };
      this.#scope(run, scope).delete(name);
      return { outcome: 'ok' };
    },
    'state.list': (run, { scope, prefix, limit = 100 }) => {
      const all = [...this.#scope(run, scope).keys()].filter((key) => key.startsWith(String(prefix ?? ''))).sort();
      const page = { keys: all.slice(0, Number(limit)), has_more: all.length > Number(limit) };
      return { outcome: 'ok', check: ({ keys, has_more }) => differs('the list', { keys, has_more }, page) };
    },
    'storage.get': (run, { area, key, offset = 0, length = 1024 * 1024 }) => {
      if (!isStorageKey(key)) return { outcome: 'invalid_argument' };
      const bytes = this.#area(run, area).get(String(key));
      if (bytes === undefined) return { outcome: 'not_found' };
      return { outcome: 'ok', check: pieceCheck(bytes, Number(offset), Number(length)) };
    },
    'storage.set': (run, { area, key, value_base64, upload_id }) => {
      if ((value_base64 === undefined) === (upload_id === undefined) || !isStorageKey(key)) {
        return { outcome: 'invalid_argument' };
      }
      const uploads = this.#uploadsOf(run);
      const name = `storage ${upload_id}`;
      const bytes = upload_id === undefined ? decoded(value_base64) : uploads.get(name);
      if (bytes === null) return { outcome: 'invalid_argument' };
      if (bytes === undefined) return { outcome: 'not_found' };
      uploads.delete(name);
      this.#area(run, area).set(String(key), bytes);
      return { outcome: 'ok' };
    },
    'storage.delete': (run, { area, key }) => {
      if (!isStorageKey(key)) return { outcome: 'invalid_argument' };
      this.#area(run, area).delete(String(key));
      return { outcome: 'ok' };
    },
    'storage.list': (run, { area, prefix, after }) => {
      if (!isStorageKey(prefix ?? '')) return { outcome: 'invalid_argument' };
      const all = [...this.#area(run, area).keys()].filter((key) => key.startsWith(String(prefix ?? ''))).sort();
      const keys = all.filter((key) => after === undefined || after === null || key > String(after));
      return { outcome: 'ok', check: (answer) => differs('the list', answer.keys, keys) };
    },
    'storage.write': (run, params) => this.#write(run, 'storage', params),
    'artifacts.write': (run, params) => this.#write(run, 'artifacts', params),
  };

  /** The uploads of a run go with it. */
  ended(run_id: string): void {
    this.#uploads.delete(run_id);
  }

  #write(run: RunFact, purpose: string, { upload_id, offset, content_base64 }: Params): Served {
    const bytes = decoded(content_base64);
    if (bytes === null) return { outcome: 'invalid_argument' };
    const uploads = this.#uploadsOf(run);
    const name = `${purpose} ${upload_id}`;
    if (!uploads.has(name) && uploads.size >= UPLOADS) return { outcome: 'rate_limited' };
    const before = uploads.get(name) ?? Buffer.alloc(0);
    const [from, end] = [Number(offset), Number(offset) + bytes.length];
    if (from === before.length) {
      uploads.set(name, Buffer.concat([before, bytes]));
      return { outcome: 'ok', check: (answer) => differs('the size', answer.size_bytes, end) };
    }
    // A piece that came before is answered as it was then.
    const isRepeat = end <= before.length && before.subarray(from, end).equals(bytes);
    return { outcome: isRepeat ? 'ok' : 'invalid_argument' };
  }

  /** State of two that differ in any part of who they are has nothing in common. */
  #scope({ grant, place, agent_id, runner_id }: RunFact, scope: unknown): Map<string, unknown> {
    const { workspace_id, bot_id, conversation_id, thread_id, actor_id, subject_id } = place;
    const own = { conversation: [conversation_id, thread_id], actor: [actor_id], subject: [subject_id] }[String(scope)];
    const whose = JSON.stringify([scope, workspace_id, runner_id, agent_id, bot_id, own ?? null]);
    if (grant.runner_id !== runner_id) throw new Error('the grant is of another runner');
    return opened(this.#state, whose);
  }

  #area({ package: name, place: { workspace_id }, agent_id, runner_id }: RunFact, area: unknown): Map<string, Buffer> {
    const owner = { plugin: [name], workspace: [], binding: [agent_id, runner_id] }[String(area)];
    return opened(this.#storage, JSON.stringify([area, workspace_id, owner]));
  }

  #uploadsOf({ run_id }: RunFact): Map<string, Buffer> {
    return opened(this.#uploads, run_id);
  }
}

function opened<T>(maps: Map<string, Map<string, T>>, name: string): Map<string, T> {
  const map = maps.get(name) ?? new Map<string, T>();
  maps.set(name, map);
  return map;
}

function stateKey(scope: unknown, key: unknown): string | null {
  const name = scope === 'conversation' && key === 'conversation_id' ? 'external.conversation_id' : String(key);
  const isReserved = ['__proto__', 'constructor', 'prototype'].includes(name);
  return isReserved || isControl(name) || Buffer.byteLength(name) > 128 ? null : name;
}

function isStorageKey(key: unknown): boolean {
  return !isControl(String(key)) && !String(key).split(/[/\\]/).includes('..');
}

/** Null for what is no base64. */
function decoded(base64: unknown): Buffer | null {
  const text = String(base64);
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)
    ? Buffer.from(text, 'base64')
    : null;
}

export function pieceCheck(bytes: Buffer, offset: number, length: number) {
  const piece = bytes.subarray(offset, offset + length);
  const expected = {
    content_base64: piece.toString('base64'),
    size_bytes: bytes.length,
    has_more: offset + piece.length < bytes.length,
  };
  return ({ content_base64, size_bytes, has_more }: Record<string, unknown>) =>
    differs('the piece', { content_base64, size_bytes, has_more }, expected);
}
