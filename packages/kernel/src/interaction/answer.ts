import { InteractionRequest } from '@rostra/protocol/api/interactions';
import type { GivenAnswer } from '@rostra/protocol/run-api/interaction';
import type { AgentAPIError } from '@rostra/protocol/wire/api-error';
import type { InteractionRow } from '../projection/interaction-rows.ts';
import { own } from '../session/context.ts';
import { misfit } from './field-value.ts';
import { CANCEL } from './question.ts';
import { refusal } from './refusal.ts';

type Form = Pick<InteractionRequest, 'actions' | 'fields' | 'title'>;

/** A handover is asked by the session in words of its own; it can be answered in two ways. */
const handover: Pick<Form, 'actions' | 'fields'> = {
  fields: [],
  actions: [
    { id: 'confirm', label: 'Confirm' },
    { id: 'reject', label: 'Reject' },
  ],
};

/** What a question offers for its answer. A log of another host may hold one that has no form. */
export function formOf({ purpose, request, agent_id }: Pick<InteractionRow, 'purpose' | 'request' | 'agent_id'>): Form {
  if (purpose === 'handover') {
    const target = typeof request === 'object' && request !== null && 'target_agent_id' in request ? request : null;
    return { ...handover, title: `${agent_id} → ${String(target?.target_agent_id ?? '')}` };
  }
  const parsed = InteractionRequest.safeParse(request);
  return parsed.success ? parsed.data : { title: '', fields: [], actions: [{ id: CANCEL, label: 'Cancel' }] };
}

/** Why this is no answer to the question; null when it is one. */
export function answerFault({ actions, fields }: Form, { action_id, values }: GivenAnswer): AgentAPIError | null {
  if (!actions.some(({ id }) => id === action_id)) {
    return refusal('The question has no such action.', `Answer with one of ${actions.map(({ id }) => id).join(', ')}.`);
  }
  const unknown = Object.keys(values).find((id) => !fields.some((field) => field.id === id));
  if (unknown !== undefined) {
    return refusal(`The question has no field "${unknown.slice(0, 128)}".`, 'Give only values that it asks for.');
  }
  for (const field of fields) {
    const value = own(values, field.id);
    if (value === undefined || value === null) {
      if (!field.required || action_id === CANCEL) continue;
      return refusal(`The field "${field.id}" is missing.`, 'Give every value that the question requires.');
    }
    const fault = misfit(field, value);
    if (fault !== null) return refusal(`The field "${field.id}" ${fault}.`, 'Correct the value.');
  }
  return null;
}
