import type { StateIdentity, StatePlace } from '@rostra/kernel/state/state-identity';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { InThread } from '../in-thread.ts';
import { pageLimit } from '../ports/page.ts';
import {
  cutSnapshot,
  encodeState,
  parsed,
  placePrefix,
  type StateRow,
  type StateStore,
  scopeKey,
  tooManyKeys,
} from '../ports/state.ts';

interface Stored {
  key: string;
  value: string;
  updated_at: number;
}

export class MemoryState implements InThread<StateStore> {
  readonly #scopes = new Map<string, { session_id: string | null; rows: Map<string, Stored> }>();

  get(scope: StateIdentity, key: string): StateRow | null {
    const row = this.#rows(scope).get(key);
    return row === undefined ? null : decode(row);
  }

  set(scope: StateIdentity, key: string, value: Json, at: number): void {
    const text = encodeState(key, value);
    const rows = this.#rows(scope);
    if (!rows.has(key) && rows.size >= limits.state_keys) throw tooManyKeys();
    rows.set(key, { key, value: text, updated_at: at });
    this.#scopes.set(scopeKey(scope), { session_id: scope.session_id, rows });
  }

  delete(scope: StateIdentity, key: string): boolean {
    return this.#rows(scope).delete(key);
  }

  list(scope: StateIdentity, page: { prefix?: string; after?: string; limit?: number } = {}): string[] {
    const { prefix = '', after = '' } = page;
    return [...this.#rows(scope).keys()]
      .filter((key) => key.startsWith(prefix) && key > after)
      .sort()
      .slice(0, pageLimit(page.limit, limits.state_keys));
  }

  any(place: StatePlace): boolean {
    const prefix = placePrefix(place);
    return [...this.#scopes].some(([name, { rows }]) => name.startsWith(prefix) && rows.size > 0);
  }

  snapshot(scope: StateIdentity, bytes: number): { rows: StateRow[]; omitted: number } {
    const rows = [...this.#rows(scope).values()].sort((a, b) => b.updated_at - a.updated_at || byKey(a, b));
    return cutSnapshot(rows, rows.length, bytes);
  }

  removeSession(session_id: string): void {
    for (const [name, scope] of this.#scopes) if (scope.session_id === session_id) this.#scopes.delete(name);
  }

  #rows(scope: StateIdentity): Map<string, Stored> {
    return this.#scopes.get(scopeKey(scope))?.rows ?? new Map<string, Stored>();
  }
}

function byKey(a: { key: string }, b: { key: string }): number {
  return a.key < b.key ? -1 : 1;
}

function decode({ key, value, updated_at }: Stored): StateRow {
  return { key, value: parsed(value), updated_at };
}
