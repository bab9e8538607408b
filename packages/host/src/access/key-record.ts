import { KeyScope } from '@rostra/protocol/config/entry-config';
import type { KeyItem } from '@rostra/protocol/run-api/key';
import { z } from 'zod';
import { type Holder, holderOf } from './holder.ts';

/** A key as the store keeps it: what was shown of it once is not in it. */
export const KeyRecord = z.object({
  name: z.string(),
  /** SHA-256 of the key, base64url. */
  digest: z.string().length(43),
  user_id: z.string(),
  scopes: z.array(KeyScope),
  streams: z.number(),
  runs_minute: z.number(),
  created_at: z.number(),
  created_by: z.string(),
  expires_at: z.number().nullable(),
});
export type KeyRecord = z.infer<typeof KeyRecord>;

export function recordHolder(workspace_id: string, id: string, record: KeyRecord): Holder {
  const { scopes, streams, runs_minute, user_id, expires_at } = record;
  return holderOf(workspace_id, user_id, { id: `key:${id}`, scopes, streams, runs_minute }, expires_at);
}

function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

export function recordItem(id: string, record: KeyRecord, used_at: number | null): KeyItem {
  return {
    id,
    name: record.name,
    userId: record.user_id,
    scopes: record.scopes,
    streams: record.streams,
    runsPerMinute: record.runs_minute,
    source: 'api',
    createdAt: isoOf(record.created_at),
    createdBy: record.created_by,
    expiresAt: isoOf(record.expires_at),
    lastUsedAt: isoOf(used_at),
  };
}

/** A key of the configuration file, which knows less of it. */
export function fileItem(name: string, { principal }: Holder, used_at: number | null): KeyItem {
  const { user_id, credential } = principal;
  return {
    id: name,
    name,
    userId: user_id,
    scopes: [...credential.scopes],
    streams: credential.streams ?? 0,
    runsPerMinute: credential.runs_minute ?? 0,
    source: 'file',
    createdAt: null,
    createdBy: null,
    expiresAt: null,
    lastUsedAt: isoOf(used_at),
  };
}
