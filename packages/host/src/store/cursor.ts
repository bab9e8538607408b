import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { TranscriptCursors } from '@rostra/kernel/context/transcript-cursor';
import type { GrantScope } from '@rostra/kernel/grant/grant';
import { ApiError } from '@rostra/protocol/wire/api-error';

/** What a cursor goes through, and whose it is: in any other it is worth nothing. */
export interface CursorScope {
  readonly family: 'history' | 'events' | 'runs' | 'sessions' | 'transcript' | 'tasks';
  readonly workspace_id: string;
  readonly conversation_id: string;
  readonly thread_id: string | null;
}

const MAC_BYTES = 16;
const FORM = 1;

/**
 * Places in lists as runners and clients see them: opaque, and signed with a key of this host, so that nobody makes one up or takes
 * one from elsewhere. A cursor grants nothing: every call that carries one is checked like any other.
 */
export class Cursors {
  /** For the two passes of the signature. */
  readonly #inner: string;
  readonly #outer: string;

  /** `secret`: the host's own, of which a key for nothing else is made; with another one all cursors are void. */
  constructor(secret: string) {
    this.#inner = createHmac('sha256', secret).update('cursors').digest('hex');
    this.#outer = createHmac('sha256', secret).update('cursors, again').digest('hex');
  }

  seal(scope: CursorScope, position: string): string {
    return `${Buffer.from(position).toString('base64url')}.${this.#mac(scope, position).toString('base64url')}`;
  }

  /** The position; refuses what this host did not seal for this very scope. */
  open(scope: CursorScope, text: string): string {
    const position = this.#read(scope, text);
    if (position === null) {
      throw new ApiError('invalid_argument', 'This cursor is not one of this list.', {
        details: { hint: 'Use a cursor of the same conversation as it was given, or none to begin anew.' },
      });
    }
    return position;
  }

  /** The cursors of one run's own conversation, by the `seq` of a message. */
  ofRun(scope: GrantScope): TranscriptCursors {
    const own = historyScope(scope);
    return {
      seal: (seq) => this.seal(own, String(seq)),
      open: (text) => {
        const position = this.#read(own, text);
        return position === null ? null : Number(position);
      },
    };
  }

  #read(scope: CursorScope, text: string): string | null {
    const [body = '', mac = ''] = text.split('.');
    const position = Buffer.from(body, 'base64url').toString();
    const given = Buffer.from(mac, 'base64url');
    if (given.length !== MAC_BYTES || !timingSafeEqual(given, this.#mac(scope, position))) return null;
    // Base64 can be written in more than one way: a cursor is what was given, and nothing that reads like it.
    return this.seal(scope, position) === text ? position : null;
  }

  #mac({ family, workspace_id, conversation_id, thread_id }: CursorScope, position: string): Buffer {
    const said = JSON.stringify([FORM, family, workspace_id, conversation_id, thread_id, position]);
    // Every run is told a cursor: two hashes, in one go each, take half the time of an Hmac object.
    const first = hash('sha256', this.#inner + said, 'hex');
    return hash('sha256', this.#outer + first, 'buffer').subarray(0, MAC_BYTES);
  }
}

export function historyScope(scope: Pick<GrantScope, 'workspace_id' | 'conversation_id' | 'thread_id'>): CursorScope {
  const { workspace_id, conversation_id, thread_id } = scope;
  return { family: 'history', workspace_id, conversation_id, thread_id };
}
