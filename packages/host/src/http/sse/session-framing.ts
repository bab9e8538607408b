import { frameSession } from '@rostra/kernel/agui/frame';
import { beginSessionView, beginTasksView, type SessionView } from '@rostra/kernel/agui/session-view';
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

/** Some tasks of a session, one after another, up to the last or to one that leaves something to its client to answer. */
export function tasksFraming(session_id: string, turn_ids: readonly string[]): Framing<SessionView> {
  return {
    begin: () => beginTasksView(session_id, turn_ids),
    frame: (view, record) => {
      const framed = frameSession(view, record);
      return framed.ends === 0 || framed.view.asks ? framed : { ...framed, ends: 0 };
    },
    isDone: ({ tasks }) => tasks.size === 0,
    isPaused: ({ asks }) => asks,
    isStateless: false,
  };
}
