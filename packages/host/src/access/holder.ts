import { hash } from 'node:crypto';
import { type AccessKey, KeyScope } from '@rostra/protocol/config/entry-config';
import { limits } from '@rostra/protocol/wire/limits';
import type { Credential, Principal } from '../session/session-gateway.ts';

/** Who a credential proves somebody to be, until when. */
export interface Holder {
  readonly principal: Principal & { readonly credential: Credential };
  /** Null: until it is revoked. */
  readonly expires_at: number | null;
  /** Of a key that can be replaced under its name: what it left behind, as logins, ends with it. */
  readonly key_digest?: Buffer;
}

export const OWNER_CREDENTIAL = 'owner';

/** Of a long random text, which cannot be guessed from its digest; no need to make that slow. */
export function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

export function holderOf(
  workspace_id: string,
  user_id: string,
  credential: Credential,
  expires_at: number | null,
): Holder {
  const is_admin = credential.scopes.includes('admin');
  return { principal: { workspace_id, user_id, is_admin, credential }, expires_at };
}

/** The owner may do everything, as much of it as the node can. */
export function ownerHolder({ workspace_id, user_id }: Principal): Holder {
  const credential = { id: OWNER_CREDENTIAL, scopes: KeyScope.options, streams: null, runs_minute: null };
  return holderOf(workspace_id, user_id, credential, null);
}

/** Whoever has a key of the configuration file. */
export function configuredHolder(workspace_id: string, key: AccessKey): Holder {
  const credential = {
    id: `key:${key.name}`,
    scopes: key.scopes,
    streams: key.streams ?? limits.key_streams,
    runs_minute: key.runs_per_minute ?? limits.key_runs_minute,
  };
  const holder = holderOf(workspace_id, key.user ?? `key:${key.name}`, credential, null);
  return { ...holder, key_digest: digestOf(key.key) };
}
