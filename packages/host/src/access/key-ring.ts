import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { AccessKey } from '@rostra/protocol/config/entry-config';
import type { KeyItem, MadeKey, NewKey } from '@rostra/protocol/run-api/key';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { Clock } from '../session/clock.ts';
import type { Principal } from '../session/session-gateway.ts';
import type { RegistryStore } from '../store/ports/registry.ts';
import { configuredHolder, digestOf, type Holder, ownerHolder } from './holder.ts';
import { fileItem, KeyRecord, recordHolder, recordItem } from './key-record.ts';
import type { KeyUses } from './key-uses.ts';

const KIND = 'key';
/** A key made here names its record, so that one comparison decides. */
const MADE = /^rostra_key_([0-9a-f]{16})_[\w-]{43}$/;

/** Whether some host has made it at run time: no key that somebody chooses can be one of these. */
export function isMadeKey(key: string): boolean {
  return MADE.test(key);
}

export interface KeyRingOptions {
  /** The owner's key, and who the owner is. */
  readonly key: string;
  readonly owner: Principal;
  /** Keys of the configuration file. */
  readonly configured: readonly AccessKey[];
  readonly registry: RegistryStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly uses: KeyUses;
}

interface Fixed {
  readonly digest: Buffer;
  readonly holder: Holder;
}

interface Stored {
  readonly digest: Buffer;
  readonly holder: Holder;
  readonly record: KeyRecord;
}

function nobody(): ApiError {
  return new ApiError('not_found', 'there is no such key', {
    details: { hint: 'GET /api/v1/keys lists the keys by their ids.' },
  });
}

/** Every key that opens this host: the owner's, those of the configuration file, those that were made at run time. */
export class KeyRing {
  readonly #options: KeyRingOptions;
  readonly #fixed: readonly Fixed[];
  readonly #stored = new Map<string, Stored>();
  /** Those of them that were revoked, until they are gone from the store. */
  readonly #ended = new Set<string>();
  /** What a name that nobody has is compared with. */
  readonly #blank = randomBytes(32);

  private constructor(options: KeyRingOptions) {
    const { key, owner, configured } = options;
    if (configured.length > limits.access_keys) throw new Error('more keys than are compared');
    this.#options = options;
    this.#fixed = [
      { digest: digestOf(key), holder: ownerHolder(owner) },
      ...configured.map((each) => ({
        digest: digestOf(each.key),
        holder: configuredHolder(owner.workspace_id, each),
      })),
    ];
  }

  static async open(options: KeyRingOptions): Promise<KeyRing> {
    const ring = new KeyRing(options);
    for (const { key: id, value } of await options.registry.list(KIND)) {
      // What a newer version wrote opens nothing here, but stays.
      const { data: record } = KeyRecord.safeParse(value);
      if (record !== undefined) ring.#keep(id, record);
    }
    return ring;
  }

  /** Whose key this is; null when it is nobody's, or is over. The time it takes tells nothing of any key. */
  find(presented: string): Holder | null {
    const digest = digestOf(presented);
    const id = MADE.exec(presented)?.[1];
    let found: Holder | null = null;
    if (id === undefined) {
      for (const { digest: own, holder } of this.#fixed) if (timingSafeEqual(digest, own)) found = holder;
    } else {
      const stored = this.#stored.get(id);
      const isRight = timingSafeEqual(digest, stored?.digest ?? this.#blank);
      if (isRight && stored !== undefined && !this.#ended.has(id)) found = stored.holder;
    }
    return found !== null && this.#isLive(found) ? found : null;
  }

  /** Who has this credential now. */
  holder(credential_id: string): Holder | null {
    const fixed = this.#fixed.find(({ holder }) => holder.principal.credential.id === credential_id)?.holder;
    const id = credential_id.replace(/^key:/, '');
    const found = fixed ?? (this.#ended.has(id) ? undefined : this.#stored.get(id)?.holder) ?? null;
    return found !== null && found.principal.credential.id === credential_id && this.#isLive(found) ? found : null;
  }

  /** When each credential that ends by itself does so. */
  ends(): { credential_id: string; at: number }[] {
    return [...this.#stored.values()].flatMap(({ holder: { principal, expires_at } }) =>
      expires_at === null ? [] : { credential_id: principal.credential.id, at: expires_at },
    );
  }

  /** Those of the file first, then the others, the newest first. */
  list(): KeyItem[] {
    const { uses } = this.#options;
    const file = this.#fixed.slice(1).map(({ holder }) => {
      const { id } = holder.principal.credential;
      return fileItem(id.slice('key:'.length), holder, uses.of(id));
    });
    const made = [...this.#stored].map(([id, { record }]) => recordItem(id, record, uses.of(`key:${id}`)));
    return [...file, ...made.sort((a, b) => ((a.createdAt ?? '') < (b.createdAt ?? '') ? 1 : -1))];
  }

  /** A new key; what it may be used for is never more than what its maker may. */
  async create(wanted: NewKey, by: Principal): Promise<MadeKey> {
    const { registry, clock } = this.#options;
    const now = clock.now();
    this.#checkWanted(wanted, by, now);
    const id = randomBytes(8).toString('hex');
    const key = `rostra_key_${id}_${randomBytes(32).toString('base64url')}`;
    const record: KeyRecord = {
      name: wanted.name,
      digest: digestOf(key).toString('base64url'),
      user_id: wanted.userId ?? `key:${id}`,
      scopes: [...new Set(wanted.scopes)],
      streams: wanted.streams,
      runs_minute: wanted.runsPerMinute,
      created_at: now,
      created_by: by.user_id,
      expires_at: wanted.expiresAt === undefined ? null : Date.parse(wanted.expiresAt),
    };
    await registry.put(KIND, id, record, { at: now, by: by.user_id, expected: null });
    this.#keep(id, record);
    return { ...recordItem(id, record, null), key };
  }

  /** The credential that is not valid any more from here on; it is removed by `remove`. */
  end(id: string): string {
    const credential_id = `key:${id}`;
    if (this.#fixed.some(({ holder }) => holder.principal.credential.id === credential_id)) {
      throw new ApiError('invalid_argument', `The key ${JSON.stringify(id)} is of the configuration file.`, {
        details: { hint: 'Take it out of auth.keys and restart the host.' },
      });
    }
    if (!this.#stored.has(id)) throw nobody();
    this.#ended.add(id);
    return credential_id;
  }

  /** Not before it has ended: a store that fails must not leave a revoked key working. It can be tried again then. */
  async remove(id: string, by: Principal): Promise<void> {
    const { registry, clock, uses } = this.#options;
    await registry.delete(KIND, id, { at: clock.now(), by: by.user_id });
    this.#stored.delete(id);
    this.#ended.delete(id);
    await uses.forget(`key:${id}`);
  }

  #checkWanted({ scopes, expiresAt }: NewKey, { credential }: Principal, now: number): void {
    const beyond = scopes.find((scope) => credential?.scopes.includes(scope) !== true);
    if (beyond !== undefined) {
      throw new ApiError('unauthorized', 'a key may not make another one that may more', {
        details: { scope: beyond, hint: `Leave out the scope ${beyond}, or use a key that has it.` },
      });
    }
    if (expiresAt !== undefined && Date.parse(expiresAt) <= now) {
      throw new ApiError('invalid_argument', 'expiresAt: is over already', {
        details: { path: 'expiresAt', hint: 'Name a time to come, or none.' },
      });
    }
    if (this.#stored.size < limits.stored_keys) return;
    throw new ApiError('invalid_argument', `there are ${limits.stored_keys} keys already`, {
      details: { reason: 'CONFLICT', hint: 'Revoke keys that nobody uses.' },
    });
  }

  #keep(id: string, record: KeyRecord): void {
    const holder = recordHolder(this.#options.owner.workspace_id, id, record);
    this.#stored.set(id, { digest: Buffer.from(record.digest, 'base64url'), holder, record });
  }

  #isLive({ expires_at }: Holder): boolean {
    return expires_at === null || expires_at > this.#options.clock.now();
  }
}
