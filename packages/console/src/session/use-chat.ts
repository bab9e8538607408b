import { newId } from '@rostra/client';
import type { Attachment } from '@rostra/protocol/run-api/attachment';
import { isJsonObject, type Json } from '@rostra/protocol/wire/json';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { type ChatState, openToolCalls, runningTurn } from '../chat/chat-state.ts';
import { addressee } from '../chat/mention.ts';
import { tooLong } from '../chat/message-length.ts';
import type { Draft } from '../chat/use-draft.ts';
import { client } from '../client.ts';
import type { UiActions } from '../ui-schema/ui-actions.ts';
import { ChatFeed, type FeedState } from './chat-feed.ts';
import { callClientTool, offeredTools } from './client-tools.ts';
import { sessionsKey } from './session-list.tsx';
import { answerToolCalls } from './tool-answer.ts';

export interface Chat extends FeedState {
  send(draft: Draft): Promise<void>;
  stop(): Promise<void>;
  answer(id: string, actionId: string, values: Record<string, Json>): Promise<void>;
  loadEarlier(): Promise<void>;
  readonly uiActions: UiActions;
}

/** One function for all pictures: what has not changed is not drawn again. */
const answer: Chat['answer'] = async (id, actionId, values) => {
  await client.interactions.answer(id, actionId, values);
};

/** One conversation: what it shows, and what can be done in it. `agents` are all that may be named. */
export function useChat(sessionId: string, agents: readonly string[]): Chat {
  const queries = useQueryClient();
  const feed = useMemo(() => new ChatFeed(sessionId), [sessionId]);
  const state = useSyncExternalStore(feed.subscribe, feed.getState);
  const calls = openToolCalls(state.chat);
  const asked = calls.map(({ id }) => id).join(' ');

  // Only what this very state asks is answered; the host takes the first answer and no other.
  useEffect(() => {
    if (asked !== '') void answerToolCalls(feed.sessionId, openToolCalls(feed.state.chat));
  }, [asked, feed]);

  // The list tells what runs, what asks and what there is: it changes with all three.
  const standing = [state.phase, ...state.chat.turns.map(({ id }) => id), ...openIds(state.chat)].join(' ');
  const listed = useRef<string>(state.phase);
  useEffect(() => {
    if (listed.current === standing) return;
    listed.current = standing;
    void queries.invalidateQueries({ queryKey: sessionsKey });
  }, [standing, queries]);

  return useMemo(() => {
    const send = async ({ text: written, files }: Draft) => {
      const { agentId, text } = addressee(written, agents);
      const excess = tooLong(text);
      if (excess !== null) throw new Error(excess);
      const attachments: Attachment[] = [];
      for (const file of files) attachments.push(await client.attachments.upload(file, { filename: file.name }));
      const named = agentId === null ? {} : { agentId };
      await client.runs.submit({
        threadId: sessionId,
        runId: newId(),
        text,
        attachments,
        tools: offeredTools,
        forwardedProps: { timezone: Intl.DateTimeFormat().resolvedOptions().timeZone, locale: navigator.language },
        ...named,
      });
      feed.noteSaid();
      // Nobody feeds it when the page was left meanwhile; the list has it all the same.
      if (feed.state.phase === 'absent') void queries.invalidateQueries({ queryKey: sessionsKey });
    };
    return {
      ...state,
      send,
      answer,
      stop: async () => {
        const turn = runningTurn(feed.state.chat);
        if (turn !== null) await client.runs.cancel(turn.id);
      },
      loadEarlier: () => feed.loadEarlier(),
      uiActions: {
        sendMessage: (text) => send({ text, files: [] }),
        callTool: async (name, args) => {
          const { error } = callClientTool(name, name, args);
          if (error !== undefined) throw new Error(error);
        },
        resume: (id, status, payload) => answer(id, ...actionOf(status, payload)),
        attachmentUrl: async (id) => (await client.attachments.sign(id)).url,
      },
    };
  }, [state, feed, sessionId, agents, queries]);
}

function openIds({ items }: ChatState): string[] {
  return items.flatMap((item) =>
    (item.kind === 'question' || item.kind === 'handover') && item.outcome === null ? [item.id] : [],
  );
}

/** A card resumes with what AG-UI would: the action stands in its payload, or follows from the status. */
function actionOf(status: 'resolved' | 'cancelled', payload: Json): [string, Record<string, Json>] {
  const { actionId, values } = isJsonObject(payload) ? payload : {};
  if (typeof actionId === 'string') return [actionId, isJsonObject(values) ? values : {}];
  return [status === 'resolved' ? 'confirm' : 'cancel', {}];
}
