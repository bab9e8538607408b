import type { MadeKey } from '@rostra/protocol/run-api/key';
import { keyOperations as operations } from '@rostra/protocol/run-api/operations/keys';
import { limits } from '@rostra/protocol/wire/limits';
import type { Access } from '../../access/access.ts';
import type { Act } from '../../access/act-entry.ts';
import type { Principal } from '../../session/session-gateway.ts';
import { type ApiRoute, route } from '../api-route.ts';
import { HttpError } from '../errors.ts';

export interface KeyDeps {
  readonly access: Pick<Access, 'listKeys' | 'createKey' | 'revokeKey'>;
  /** Writes down what was done. */
  acted(principal: Principal, act: Act): void;
}

/** A cursor is how many came before: keys are few, and whoever sees them may see all of them. */
function startOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,5}$/.test(cursor)) return Number(cursor);
  throw new HttpError(422, 'invalid_argument', 'cursor: is none of this list', {
    details: { in: 'query', path: 'cursor', hint: 'Give back `nextCursor` as it is.' },
  });
}

function withoutKey({ key: _shownOnce, id, ...rest }: MadeKey) {
  return { user_id: rest.userId, scopes: rest.scopes, expires_at: rest.expiresAt };
}

export function keyRoutes({ access, acted }: KeyDeps): ApiRoute[] {
  return [
    route(operations.getMe, async ({ principal }) => ({
      status: 200,
      body: {
        userId: principal.user_id,
        workspaceId: principal.workspace_id,
        scopes: [...(principal.credential?.scopes ?? [])],
        isAdmin: principal.is_admin === true,
      },
    })),
    route(operations.listKeys, async ({ query }) => {
      const start = startOf(query.cursor);
      const end = start + Math.min(query.limit ?? limits.page_items_default, limits.page_items);
      const keys = access.listKeys();
      return {
        status: 200,
        body: { items: keys.slice(start, end), nextCursor: end < keys.length ? String(end) : null },
      };
    }),
    route(operations.createKey, async ({ principal, body }) => {
      const made = await access.createKey(body, principal);
      acted(principal, { action: 'key.create', resource: made.id, details: withoutKey(made) });
      return { status: 201, body: made, headers: { Location: `/api/v1/keys/${made.id}` } };
    }),
    route(operations.revokeKey, async ({ principal, params }) => {
      await access.revokeKey(params.keyId, principal);
      acted(principal, { action: 'key.revoke', resource: params.keyId });
      return { status: 204, body: null };
    }),
  ];
}
