import { interactionOperations as operations } from '@rostra/protocol/run-api/operations/interactions';
import type { Inbox } from '../../interactions/inbox.ts';
import { type ApiRoute, route } from '../api-route.ts';

/** The inbox as HTTP uses it. */
export type InteractionInbox = Pick<Inbox, 'page' | 'get' | 'answer'>;

export function interactionRoutes({ inbox }: { inbox: InteractionInbox }): ApiRoute[] {
  return [
    route(operations.listInteractions, async ({ principal, query }) => {
      const { status, sessionId: session_id, cursor, limit } = query;
      return { status: 200, body: await inbox.page(principal, { status, session_id, cursor, limit }) };
    }),
    route(operations.getInteraction, async ({ principal, params }) => ({
      status: 200,
      body: await inbox.get(principal, params.interactionId),
    })),
    route(operations.answerInteraction, async ({ principal, params, body }) => ({
      status: 200,
      body: await inbox.answer(principal, params.interactionId, body),
    })),
  ];
}
