import type { LogRecord } from '@rostra/protocol/record/record';
import type { Json } from '@rostra/protocol/wire/json';

/** What agents were told to keep, as the log says it: by agent, scope and key. */
export type ToldState = ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, Json>>>;

/**
 * From `state.updated` records to the values that stood after the last one. A record whose output was withheld counts:
 * the value was written before the session heard of it. Null is what a key reads as that was never set.
 */
export class ToldStateFold {
  readonly #agents = new Map<string, Map<string, Map<string, Json>>>();

  get state(): ToldState {
    return this.#agents;
  }

  take(record: LogRecord): void {
    if (record.event !== 'AGENT_OUTPUT' || record.subtype !== 'state.updated' || record.mark === 'out') return;
    const { scope, key, value } = record.payload;
    const keys = this.#keys(record.sender.id, scope);
    if (value === null) keys.delete(key);
    else keys.set(key, value);
  }

  #keys(agent_id: string, scope: string): Map<string, Json> {
    const scopes = this.#agents.get(agent_id) ?? new Map<string, Map<string, Json>>();
    this.#agents.set(agent_id, scopes);
    const keys = scopes.get(scope) ?? new Map<string, Json>();
    scopes.set(scope, keys);
    return keys;
  }
}
