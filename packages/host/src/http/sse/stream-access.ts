import type { Access } from '../../access/access.ts';
import type { Principal } from '../../session/session-gateway.ts';
import { HttpError } from '../errors.ts';

/** Who may have streams, how many, and for how long. */
export interface StreamAccess {
  /**
   * Takes one of the streams that the caller's credential has; throws the refusal. `cut` is called when what proved them
   * to ask has ended: a key that was revoked, a token or login that is over. Returns how to give the stream back.
   */
  open(principal: Principal, cut: () => void): () => void;
}

/** Everybody, as many as the node has. */
export const openAccess: StreamAccess = { open: () => () => undefined };

/** What whoever waits is told when their key, token or login ends meanwhile. */
export function accessEnded(): HttpError {
  return new HttpError(401, 'unauthorized', 'this key is not valid any more', {
    details: { hint: 'Ask again with a key, token or login that is valid.' },
    headers: { 'WWW-Authenticate': 'Bearer realm="rostra"' },
  });
}

export function streamAccess(access: Pick<Access, 'isProved' | 'openStream'>): StreamAccess {
  return {
    open: (principal, cut) => {
      // It may have ended since it was shown: what was asked for had to be looked up.
      if (!access.isProved(principal)) throw accessEnded();
      return access.openStream(principal, cut);
    },
  };
}
