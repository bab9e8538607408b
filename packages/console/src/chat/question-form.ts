import { InteractionRequest } from '@rostra/protocol/api/interactions';
import type { QuestionItem } from './chat-state.ts';

type Form = Pick<InteractionRequest, 'title' | 'body' | 'fields' | 'actions'>;

/** What a question offers; one that this page cannot read shows what it has of words. */
export function formOfQuestion({ request, purpose }: Pick<QuestionItem, 'request' | 'purpose'>): Form {
  const parsed = InteractionRequest.safeParse(request);
  if (parsed.success) return parsed.data;
  return { title: `A question (${purpose})`, body: JSON.stringify(request, null, 2), fields: [], actions: [] };
}
