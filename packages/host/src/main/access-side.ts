import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import type { HostConfig } from '@rostra/protocol/config/host-config';
import { Access } from '../access/access.ts';
import { type Act, actEntry } from '../access/act-entry.ts';
import { FileKeySet, RemoteKeySet } from '../access/key-set-source.ts';
import { RefusalTrail } from '../access/refusal-trail.ts';
import { TokenVerifier } from '../access/token-verifier.ts';
import { resolveFrom } from '../config/value-expansion.ts';
import { Authenticator } from '../http/auth.ts';
import { noteRefusal, type RefusedAsk } from '../http/refused.ts';
import type { AuditTrail } from '../proxy/audit-trail.ts';
import type { Clock } from '../session/clock.ts';
import type { Principal } from '../session/session-gateway.ts';
import { WallClock } from '../session/wall-clock.ts';
import type { HostStore } from '../store/host-store.ts';
import type { HostLog } from './host-log.ts';
import type { LiveConfig } from './live-config.ts';
import { ownerKeyPath } from './owner-key.ts';
import type { Settings } from './settings.ts';

export interface AccessGround {
  readonly key: string;
  readonly owner: Principal;
  readonly settings: Settings;
  readonly live: LiveConfig;
  readonly store: HostStore;
  readonly clock: Clock;
  readonly audit: Pick<AuditTrail, 'add'>;
  readonly log: HostLog;
}

/** Who may use the host, and what is written down of it. */
export interface AccessSide {
  readonly access: Access;
  readonly auth: Authenticator;
  /** The path of a page that logs in whoever opens it first as the owner. */
  loginPath(): string;
  refused(ask: RefusedAsk | IncomingMessage, failure: unknown): void;
  acted(principal: Principal, act: Act): void;
}

export async function openAccessSide(ground: AccessGround): Promise<AccessSide> {
  const { key, owner, settings, live, store, clock, audit, log } = ground;
  const wall = new WallClock(clock);
  const access = await Access.open({
    key,
    owner,
    configured: live.config.auth.keys,
    tokens: verifierOf(ground, live.config.auth.jwt, wall),
    registry: store.registry,
    clock: wall,
    failed: (error) => log.fault('access', error),
  });
  const auth = new Authenticator({
    access,
    hint: keyHint(settings),
    public_origin: settings.public_url === null ? null : new URL(settings.public_url).origin,
  });
  const trail = new RefusalTrail({ audit, workspace_id: owner.workspace_id, now: () => clock.now() });
  return {
    access,
    auth,
    loginPath: () => `/login/${access.logins.link('owner').code}`,
    refused: (ask, failure) => noteRefusal(trail, ask, failure),
    acted: (principal, act) => audit.add(actEntry(clock.now(), principal, act)),
  };
}

function verifierOf(
  { owner, live, clock, log }: AccessGround,
  config: HostConfig['auth']['jwt'],
  wall: WallClock,
): TokenVerifier | null {
  if (config === null) return null;
  const { jwks_url, jwks_file = '' } = config;
  const file = () => new FileKeySet(resolveFrom(live.current.folder, jwks_file));
  return new TokenVerifier({
    config,
    keys: jwks_url === undefined ? file() : new RemoteKeySet(new URL(jwks_url), clock),
    workspace_id: owner.workspace_id,
    clock: wall,
    failed: (error) => log.fault('access.jwt', error),
  });
}

function keyHint({ api_key_from, data }: Settings): string {
  const where =
    api_key_from === null ? `in ${path.relative(process.cwd(), ownerKeyPath(data))}` : `that of ${api_key_from}`;
  return `Send the header Authorization: Bearer <key>; the key is ${where}.`;
}
