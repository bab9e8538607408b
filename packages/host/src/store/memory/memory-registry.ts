import type { Json } from '@rostra/protocol/wire/json';
import type { InThread } from '../in-thread.ts';
import { checkRevision, type RegistryChange, type RegistryRow, type RegistryStore } from '../ports/registry.ts';

export class MemoryRegistry implements InThread<RegistryStore> {
  readonly #rows = new Map<string, RegistryRow>();
  #revision = 0;

  get(kind: string, key: string): RegistryRow | null {
    return this.#rows.get(nameOf(kind, key)) ?? null;
  }

  list(kind: string): RegistryRow[] {
    return [...this.#rows.values()].filter((row) => row.kind === kind).sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  put(kind: string, key: string, value: Json, { at, by, expected }: RegistryChange): RegistryRow {
    checkRevision(`${kind} ${key}`, this.get(kind, key)?.revision ?? null, expected);
    this.#revision += 1;
    const row = { kind, key, value, revision: this.#revision, updated_at: at, updated_by: by };
    this.#rows.set(nameOf(kind, key), row);
    return row;
  }

  delete(kind: string, key: string, { expected }: RegistryChange): boolean {
    checkRevision(`${kind} ${key}`, this.get(kind, key)?.revision ?? null, expected);
    return this.#rows.delete(nameOf(kind, key));
  }
}

function nameOf(kind: string, key: string): string {
  return JSON.stringify([kind, key]);
}
