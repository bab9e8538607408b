import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AccessKey } from '@rostra/protocol/config/entry-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { isMadeKey } from '../access/key-ring.ts';
import type { Settings } from './settings.ts';

const KEY = /^rostra_[\w-]{43}$/;
const OWNER_ONLY = 0o600;

export function ownerKeyPath(folder: string): string {
  return path.join(folder, 'owner.key');
}

/**
 * The key that was chosen for the owner, or that of the data folder. Commands read the same variable, and may find there
 * a key that a host has made or one of `auth.keys`: neither can be the owner's as well.
 */
export function ownerKey({ api_key, api_key_from, data }: Settings, others: readonly AccessKey[]): string {
  if (api_key === null) return ensureOwnerKey(data);
  const other = others.find(({ key }) => key === api_key);
  if (other === undefined && !isMadeKey(api_key)) return api_key;
  const what =
    other === undefined ? 'a key that a host has made' : `the key ${JSON.stringify(other.name)} of auth.keys`;
  throw new ApiError('invalid_argument', `${api_key_from} is ${what}, and cannot be the owner’s.`, {
    details: {
      hint: 'Choose another long random text, or leave it out: then the owner’s key is that of the data folder.',
    },
  });
}

/** The key of whoever owns the data folder: made once, readable by its owner only. The folder is locked by us. */
export function ensureOwnerKey(folder: string): string {
  const file = ownerKeyPath(folder);
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return create(file);
  const key = readFileSync(file, 'utf8').trim();
  if (!KEY.test(key)) {
    throw new ApiError('invalid_argument', `${file} does not hold a key of this host.`, {
      details: { hint: 'Remove the file; the next start makes a new key.' },
    });
  }
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, OWNER_ONLY);
  return key;
}

/** A whole key appears, or none. */
function create(file: string): string {
  const key = `rostra_${randomBytes(32).toString('base64url')}`;
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${key}\n`, { mode: OWNER_ONLY, flush: true });
  renameSync(draft, file);
  return key;
}
