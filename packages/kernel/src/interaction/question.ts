import { type InteractionField, InteractionRequest } from '@rostra/protocol/api/interactions';
import type { InteractionKind } from '@rostra/protocol/run-api/interaction';
import type { AgentAPIError } from '@rostra/protocol/wire/api-error';
import { limits, timeouts } from '@rostra/protocol/wire/limits';
import { utf8Length } from '@rostra/protocol/wire/utf8-length';
import { misfit } from './field-value.ts';
import { refusal } from './refusal.ts';

type Action = InteractionRequest['actions'][number];
/** The action that takes no values, whatever the question asks for. */
export const CANCEL = 'cancel';

const cancel: Action = { id: CANCEL, label: 'Cancel' };
/** What a question without actions of its own can be answered with. */
const ownActions: Readonly<Record<InteractionKind, Action[]>> = {
  confirmation: [{ id: 'confirm', label: 'Confirm' }, cancel],
  form: [{ id: 'submit', label: 'Submit' }, cancel],
  choice: [{ id: 'choose', label: 'Choose' }, cancel],
};

/** A question that may be put: whole, within its bounds, and with something to answer it by. */
export interface PlannedQuestion {
  readonly request: InteractionRequest;
  readonly expires_in: number | null;
}

/** What a runner asks, made whole; or why it cannot be asked. `now` is the host's clock. */
export function planQuestion(asked: unknown, now: number): PlannedQuestion | AgentAPIError {
  const size = utf8Length(JSON.stringify(asked) ?? '');
  if (size > limits.interaction_bytes) {
    const most = `${limits.interaction_bytes} bytes`;
    return refusal(`A question of ${size} bytes is too large.`, `Ask in at most ${most}.`, 'payload_too_large');
  }
  const parsed = InteractionRequest.safeParse(asked);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue === undefined ? '' : ` at ${issue.path.join('.') || 'its root'}: ${issue.message}`;
    return refusal(`This is no question that can be asked${where}.`, 'See `interactions.request` for its form.');
  }
  const request = parsed.data;
  return formFault(request) ?? planned(request, now);
}

function planned(request: InteractionRequest, now: number): PlannedQuestion | AgentAPIError {
  const { expires_in, expires_at, ...rest } = request;
  const left = expires_at === undefined ? expires_in : expires_at - now;
  if (left !== undefined && left <= 0) return refusal('The expiry of the question is past.', 'Give it some time.');
  if (left !== undefined && left > timeouts.interaction_max) {
    return refusal('The expiry of the question is more than 24 hours ahead.', 'Let it expire sooner.');
  }
  const actions = rest.actions.length > 0 ? rest.actions : ownActions[rest.kind];
  return { request: { ...rest, actions }, expires_in: left ?? null };
}

function formFault({ kind, fields, actions }: InteractionRequest): AgentAPIError | null {
  const twice = repeated(fields.map(({ id }) => id)) ?? repeated(actions.map(({ id }) => id));
  if (twice !== null) return refusal(`The id "${twice}" is given twice.`, 'Give every field and action its own id.');
  if (kind === 'choice' && fields.length === 0 && actions.length === 0) {
    return refusal('A choice needs something to choose from.', 'Give it actions, or a field with options.');
  }
  for (const field of fields) {
    const fault = fieldFault(field);
    if (fault !== null) return refusal(`The field "${field.id}" ${fault}.`, 'Mend the field.');
  }
  return null;
}

function fieldFault(field: InteractionField): string | null {
  const { type, options, min, max } = field;
  const isChosen = type === 'select' || type === 'multi-select';
  if (isChosen && options.length === 0) return 'has no options';
  if (repeated(options.map(({ value }) => value)) !== null) return 'has an option twice';
  if (min !== undefined && max !== undefined && min > max) return 'has no value within its range';
  const fault = field.default === undefined || field.default === null ? null : misfit(field, field.default);
  return fault === null ? null : `has a default that ${fault}`;
}

function repeated(ids: readonly string[]): string | null {
  return ids.find((id, index) => ids.indexOf(id) < index) ?? null;
}
