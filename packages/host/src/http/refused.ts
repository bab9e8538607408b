import type { IncomingMessage } from 'node:http';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { RefusalTrail } from '../access/refusal-trail.ts';
import { askerOf } from './auth.ts';
import { statusOf } from './errors.ts';

const BUG = 500;

/** A code that was refused for where it came from is still good: whoever reads the audit must not log in with it. */
const LOGIN_CODE = /^((?:https?:\/\/[^/]*)?\/login\/).+$/i;

/** As much of a request as there was, where it never became one. */
export interface RefusedAsk {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Writes down a refusal; what is a fault of the host's own is told by its log. */
export function noteRefusal(
  trail: Pick<RefusalTrail, 'add'>,
  ask: RefusedAsk | IncomingMessage,
  failure: unknown,
): void {
  if (!(failure instanceof ApiError)) return;
  const status = statusOf(failure);
  if (status >= BUG) return;
  const { method = '', url = '', socket } = ask;
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  trail.add({
    method,
    path: path.replace(LOGIN_CODE, '$1…'),
    address: socket.remoteAddress ?? '',
    principal: askerOf(ask),
    status,
    error: failure,
  });
}
