import type { IncomingMessage, ServerResponse } from 'node:http';
import { limits } from '@rostra/protocol/wire/limits';
import type { Clock } from '../../session/clock.ts';
import { readBody } from '../body.ts';
import { HttpError, sendJson } from '../errors.ts';
import type { HookInbox } from '../ports.ts';
import { checkDraining } from './runs.ts';

export const HOOKS_PATH = '/api/v1/hooks';
/** `t=<seconds since 1970>,v1=<hex of HMAC-SHA256 over t, a dot and the body>` */
const SIGNATURE_HEADER = 'x-rostra-signature';

const bodyLimit = { bytes: limits.webhook_body_bytes, message: 'the delivery exceeds the size limit' };

interface HookDeps {
  hooks: HookInbox;
  clock: Clock;
  isDraining(): boolean;
}

/** `/api/v1/hooks/{id}` → the id, or null for any other path. */
export function hookTarget(path: string): string | null {
  if (!path.startsWith(`${HOOKS_PATH}/`)) return null;
  const id = path.slice(HOOKS_PATH.length + 1);
  return id === '' || id.includes('/') ? null : id;
}

function checkEncoding({ headers }: IncomingMessage): void {
  if ((headers['content-encoding'] ?? 'identity') === 'identity') return;
  throw new HttpError(415, 'invalid_argument', 'the body must not be compressed', {
    details: { hint: 'Send the body as it was signed.' },
  });
}

/**
 * `POST /api/v1/hooks/{id}`: what another system delivers, proved by its signature and by nothing else. An unknown hook
 * and a wrong signature look the same.
 */
export async function postHook(deps: HookDeps, id: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  checkDraining(deps.isDraining());
  checkEncoding(req);
  const body = await readBody(req, res, bodyLimit, deps.clock);
  const header = req.headers[SIGNATURE_HEADER];
  const accepted = await deps.hooks.deliver(id, {
    signature: typeof header === 'string' ? header : undefined,
    content_type: req.headers['content-type'] ?? '',
    body,
  });
  if (accepted === null) {
    throw new HttpError(401, 'unauthorized', 'this delivery is not signed for this host', {
      details: { hint: 'Sign the time of sending and the body with the secret that the webhook has in rostra.yaml.' },
    });
  }
  // Whoever delivers has no key to look at sessions with: it learns that the delivery was taken, and how to name it.
  sendJson(res, 202, JSON.stringify({ event_id: accepted.event_id, task_id: accepted.task_id }));
}
