import type { Grant } from '@rostra/kernel/grant/grant';
import {
  canonicalStateKey,
  refuseStateEntry,
  refuseStateKey,
  type StateRefusal,
} from '@rostra/kernel/state/state-entry';
import { type StateIdentity, stateIdentity } from '@rostra/kernel/state/state-identity';
import { emptySnapshot, type StateSnapshot } from '@rostra/kernel/state/state-snapshot';
import type { StateScope } from '@rostra/protocol/config/agent-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { placePrefix, type StateStore, scopeKey } from '../store/ports/state.ts';
import { RecentMap } from '../store/recent-map.ts';
import { toApiError } from '../store/refused.ts';

interface Clock {
  now(): number;
}

/**
 * State as runs have it: whose it is follows from the run's grant and from nothing else.
 *
 * N1. Everything that writes state of runs writes it here, whatever it came as, and by one check (RP-6.9).
 * N2. A scope that is remembered to be empty is empty: only this process writes, and what it writes is noted before and
 *     after. A run that nothing is stored for gets its snapshot without a look at the store.
 */
export class RunStates {
  readonly #store: StateStore;
  readonly #clock: Clock;
  /** By agent and kind of scope, and by scope: true where nothing is stored, false where something was written. */
  readonly #empty = new RecentMap<boolean>(limits.empty_scopes);
  /** What agents without a bot were granted for whom nothing is stored at all: one list stands in all their grants. */
  #unused = new WeakSet<Grant['state_scopes']>();
  #writes = 0;

  constructor(store: StateStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async get(grant: Grant, scope: StateScope, key: string): Promise<Json> {
    const identity = identityOf(grant, scope);
    const row = await this.#store.get(identity, keyOf(scope, key));
    return row?.value ?? null;
  }

  /** Null is what a key reads as that was never set: to set it deletes. Answers with what was done, in its own words. */
  async set(grant: Grant, scope: StateScope, key: string, value: Json): Promise<{ key: string; value: Json }> {
    const identity = identityOf(grant, scope);
    const kept = keyOf(scope, key);
    const refusal = refuseStateEntry(kept, value);
    if (refusal !== null) throw refused(refusal);
    if (value === null) await this.#store.delete(identity, kept);
    else await this.#write(identity, () => this.#store.set(identity, kept, value, this.#clock.now()));
    return { key: kept, value };
  }

  async list(
    grant: Grant,
    scope: StateScope,
    { prefix, limit }: { prefix: string; limit: number },
  ): Promise<{ keys: string[]; has_more: boolean }> {
    const keys = await this.#store.list(identityOf(grant, scope), { prefix, limit: limit + 1 });
    return { keys: keys.slice(0, limit), has_more: keys.length > limit };
  }

  /** `ctx.state` of a run (RP-4.40); at once where it is known that there is nothing. */
  snapshot(grant: Grant): StateSnapshot | Promise<StateSnapshot> {
    const { state_scopes, scope } = grant;
    if (scope.bot_id === null && this.#unused.has(state_scopes)) return emptySnapshot;
    const identities = state_scopes.flatMap((each) => stateIdentity(grant, each) ?? []);
    const full = identities.filter((identity) => !this.#isEmpty(identity));
    if (full.length > 0) return this.#read(full);
    const isUnused = identities.every((identity) => this.#empty.get(placePrefix(identity)) === true);
    if (isUnused && scope.bot_id === null) this.#unused.add(state_scopes);
    return emptySnapshot;
  }

  async #read(identities: readonly StateIdentity[]): Promise<StateSnapshot> {
    const state = { ...emptySnapshot.state };
    const omitted: Partial<Record<StateScope, number>> = {};
    await Promise.all(
      identities.map(async (identity) => {
        const found = await this.#readScope(identity);
        state[identity.scope] = found.values;
        if (found.omitted > 0) omitted[identity.scope] = found.omitted;
      }),
    );
    return { state, omitted };
  }

  async #readScope(identity: StateIdentity): Promise<{ values: JsonObject; omitted: number }> {
    const writes = this.#writes;
    const place = placePrefix(identity);
    if (this.#empty.get(place) === undefined) {
      const isUsed = await this.#store.any(identity);
      if (writes === this.#writes) this.#empty.set(place, !isUsed);
      if (!isUsed) return { values: {}, omitted: 0 };
    }
    const { rows, omitted } = await this.#store.snapshot(identity, limits.state_inline_bytes);
    if (rows.length + omitted === 0 && writes === this.#writes) this.#empty.set(scopeKey(identity), true);
    return { values: Object.fromEntries(rows.map(({ key, value }) => [key, value])), omitted };
  }

  async #write(identity: StateIdentity, write: () => Promise<void>): Promise<void> {
    this.#note(identity);
    try {
      await write();
    } finally {
      // Whoever looked meanwhile may have seen nothing yet.
      this.#note(identity);
    }
  }

  #note(identity: StateIdentity): void {
    this.#writes += 1;
    this.#unused = new WeakSet();
    this.#empty.set(placePrefix(identity), false);
    this.#empty.set(scopeKey(identity), false);
  }

  #isEmpty(identity: StateIdentity): boolean {
    return this.#empty.get(placePrefix(identity)) === true || this.#empty.get(scopeKey(identity)) === true;
  }
}

/** The gate lets no run through to a scope that its event has no identity for. */
function identityOf(grant: Grant, scope: StateScope): StateIdentity {
  const identity = stateIdentity(grant, scope);
  if (identity === null) throw new ApiError('unauthorized', `This run was not granted state of the scope ${scope}.`);
  return identity;
}

function keyOf(scope: StateScope, key: string): string {
  const kept = canonicalStateKey(scope, key);
  const refusal = refuseStateKey(kept);
  if (refusal !== null) throw refused(refusal);
  return kept;
}

function refused(refusal: StateRefusal): ApiError {
  return toApiError({ ...refusal, retryable: false });
}
