import { frameSession } from '@rostra/kernel/agui/frame';
import { beginSessionView, type SessionView } from '@rostra/kernel/agui/session-view';
import type { Framing } from './framing.ts';

/** All runs of a session as AG-UI events, one run after another. */
export function sessionFraming(session_id: string): Framing<SessionView> {
  return {
    begin: () => beginSessionView(session_id),
    frame: frameSession,
    isDone: () => false,
    isStateless: false,
  };
}
