import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { canonicalJson } from '@rostra/protocol/wire/canonical-json';
import { JsonObject } from '@rostra/protocol/wire/json';
import type { CapabilityReason } from '@rostra/protocol/wire/reason';
import { z } from 'zod';

const CIPHER = 'aes-256-gcm';
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Where the key comes from. Reading it never makes one: a host without secrets has no key. */
export interface SecretKeySource {
  /** Null when there is none. */
  read(): Uint8Array | null;
  /** The key; made when there is none yet. */
  ensure(): Uint8Array;
  /** Where a person would put it back: a file, or a variable. */
  readonly where: string;
}

/** Secrets as they may lie on a disk. Which key closed it can be seen without having that key. */
export const SealedSecrets = z.strictObject({
  version: z.literal(VERSION),
  key_id: z.string(),
  nonce: z.base64url(),
  /** With the tag at its end. */
  text: z.base64url(),
});
export type SealedSecrets = z.infer<typeof SealedSecrets>;

/** What a secret was sealed for: it cannot be opened for anything else. */
export type SealedFor = readonly [kind: string, key: string, ...more: string[]];

/** Encrypts secrets for one place each, so that a row that is altered or moved gives nothing away. */
export class SecretBox {
  readonly #keys: SecretKeySource;

  constructor(keys: SecretKeySource) {
    this.#keys = keys;
  }

  seal(secrets: JsonObject, place: SealedFor): SealedSecrets {
    const key = this.#keys.ensure();
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(bound(place));
    const text = Buffer.concat([cipher.update(JSON.stringify(secrets), 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return {
      version: VERSION,
      key_id: idOf(key),
      nonce: nonce.toString('base64url'),
      text: text.toString('base64url'),
    };
  }

  /** Refuses with SECRETS_LOCKED what this key did not seal for this place. */
  open(sealed: SealedSecrets, place: SealedFor): JsonObject {
    const key = this.#keys.read();
    const { where } = this.#keys;
    if (key === null) throw locked(place, `the key that opens it is missing from ${where}`, `Put ${where} back`);
    if (idOf(key) !== sealed.key_id) {
      throw locked(place, `${where} is not the key that sealed it`, `Put the earlier ${where} back`);
    }
    const nonce = Buffer.from(sealed.nonce, 'base64url');
    const text = Buffer.from(sealed.text, 'base64url');
    if (nonce.length !== NONCE_BYTES || text.length < TAG_BYTES) throw altered(place);
    const cipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(bound(place))
      .setAuthTag(text.subarray(-TAG_BYTES));
    try {
      const plain = Buffer.concat([cipher.update(text.subarray(0, -TAG_BYTES)), cipher.final()]);
      return JsonObject.parse(JSON.parse(plain.toString('utf8')));
    } catch (error) {
      // What the cipher says of it helps nobody but whoever altered it.
      if (error instanceof Error) throw altered(place);
      throw error;
    }
  }
}

/** As a list, so that no two places read the same. */
function bound(place: SealedFor): Buffer {
  return Buffer.from(canonicalJson(['rostra-secret', VERSION, ...place]));
}

/** Tells keys apart, and helps nobody to guess one. */
function idOf(key: Uint8Array): string {
  return createHash('sha256').update('rostra secret key\0').update(key).digest('hex').slice(0, 16);
}

function altered(place: SealedFor): ApiError {
  return locked(place, 'it was altered, or belongs to something else', 'Restore a backup');
}

function locked([kind, key]: SealedFor, why: string, remedy: string): ApiError {
  const reason: CapabilityReason = 'SECRETS_LOCKED';
  const what = kind.replaceAll('_', ' ');
  return new ApiError('invalid_argument', `What is kept secret for the ${what} ${key} cannot be read: ${why}.`, {
    details: { reason, hint: `${remedy}, or give the secrets of the ${what} again.` },
  });
}
