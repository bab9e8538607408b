import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { CapabilityReason } from '@rostra/protocol/wire/reason';
import type { SecretKeySource } from '../config/secret-box.ts';
import type { Environment } from './settings.ts';

export const SECRET_KEY_VARIABLE = 'ROSTRA_SECRET_KEY';
const KEY = /^[0-9a-f]{64}$/i;
const KEY_BYTES = 32;
const OWNER_ONLY = 0o600;

export function secretKeyPath(data: string): string {
  return path.join(data, 'secret.key');
}

/** What the variable holds, so that no log does. */
export function secretKeyIn(env: Environment): string[] {
  return env[SECRET_KEY_VARIABLE] ? [env[SECRET_KEY_VARIABLE]] : [];
}

/** The key of the variable, where that is set; otherwise that of the data folder. */
export function secretKeys(data: string, env: Environment, chmod = chmodSync): SecretKeySource {
  const text = env[SECRET_KEY_VARIABLE] ?? '';
  return text === '' ? new SecretKeyFile(secretKeyPath(data), chmod) : keyOfVariable(text);
}

function keyOfVariable(text: string): SecretKeySource {
  if (!KEY.test(text)) {
    throw new ApiError('invalid_argument', `${SECRET_KEY_VARIABLE} must be 64 hexadecimal digits.`, {
      details: { hint: 'Make one with `openssl rand -hex 32`, or unset it: then the host keeps a key of its own.' },
    });
  }
  const key = Buffer.from(text, 'hex');
  return { read: () => key, ensure: () => key, where: SECRET_KEY_VARIABLE };
}

/** A key beside the database, made with the first secret, readable by its owner only. The folder is locked by us. */
class SecretKeyFile implements SecretKeySource {
  readonly where: string;
  readonly #file: string;
  readonly #chmod: typeof chmodSync;
  #key: Buffer | null = null;

  constructor(file: string, chmod: typeof chmodSync) {
    this.#file = file;
    this.#chmod = chmod;
    this.where = path.basename(file);
  }

  read(): Uint8Array | null {
    if (this.#key !== null) return this.#key;
    const stat = statSync(this.#file, { throwIfNoEntry: false });
    if (stat === undefined) return null;
    const text = readKey(this.#file);
    if (!KEY.test(text)) throw unreadable(this.#file, 'does not hold a key of this host');
    if ((stat.mode & 0o077) !== 0) close(this.#file, this.#chmod);
    this.#key = Buffer.from(text, 'hex');
    return this.#key;
  }

  ensure(): Uint8Array {
    return this.read() ?? this.#make();
  }

  /** A whole key appears, and stays: what it seals is on the disk before long, and lost without it. */
  #make(): Buffer {
    const key = randomBytes(KEY_BYTES);
    const draft = `${this.#file}.${process.pid}`;
    writeFileSync(draft, `${key.toString('hex')}\n`, { mode: OWNER_ONLY, flush: true });
    renameSync(draft, this.#file);
    syncFolder(path.dirname(this.#file));
    this.#key = key;
    return key;
  }
}

function syncFolder(folder: string): void {
  // Windows opens no folder; there a rename is as safe as it gets.
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** What others could read is closed to them; where that cannot be done, it is no secret. */
function close(file: string, chmod: typeof chmodSync): void {
  try {
    chmod(file, OWNER_ONLY);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw unreadable(file, `can be read by others, and cannot be closed to them (${String(error.code)})`);
  }
}

function readKey(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    // A host whose secrets cannot be read still starts.
    if (error instanceof Error && 'code' in error) throw unreadable(file, `cannot be read (${String(error.code)})`);
    throw error;
  }
}

function unreadable(file: string, why: string): ApiError {
  const reason: CapabilityReason = 'SECRETS_LOCKED';
  return new ApiError('invalid_argument', `${file} ${why}.`, {
    details: { reason, hint: 'Put the file back as it was, or remove it and give all secrets again.' },
  });
}
