import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ApiError } from '@rostra/protocol/wire/api-error';

const KEY = /^rostra_[\w-]{43}$/;
const OWNER_ONLY = 0o600;

export function ownerKeyPath(folder: string): string {
  return path.join(folder, 'owner.key');
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
