import { limits } from '../../wire/limits.ts';
import { AnswerBody, InteractionItem, InteractionPage, InteractionStatus } from '../interaction.ts';
import { operation, PageQuery } from '../operation.ts';

const tag = 'Interactions';

/** The inbox: what waits for a person. */
export const interactionOperations = {
  listInteractions: operation({
    id: 'listInteractions',
    method: 'GET',
    path: '/api/v1/interactions',
    scope: 'interactions',
    tag,
    summary: 'Questions to people, the newest first',
    description: 'Questions of the caller’s own sessions; an administrator sees those of the workspace.',
    query: PageQuery.extend({
      status: InteractionStatus.optional(),
      sessionId: InteractionItem.shape.sessionId.max(128).optional(),
    }),
    answers: { 200: InteractionPage },
    refusals: [422],
  }),
  getInteraction: operation({
    id: 'getInteraction',
    method: 'GET',
    path: '/api/v1/interactions/{interactionId}',
    scope: 'interactions',
    tag,
    summary: 'One question',
    answers: { 200: InteractionItem },
    refusals: [404],
  }),
  answerInteraction: operation({
    id: 'answerInteraction',
    method: 'POST',
    path: '/api/v1/interactions/{interactionId}/answer',
    scope: 'interactions',
    tag,
    summary: 'Answers a question',
    description: 'An answer counts once: when the question is not open any more, the refusal is 409 and says why.',
    body: AnswerBody,
    bytes: limits.interaction_bytes,
    answers: { 200: InteractionItem },
    refusals: [404, 409, 413, 415, 422],
  }),
};
