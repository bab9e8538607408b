import type { InteractionField, InteractionRequest } from '@rostra/protocol/api/interactions';
import type { GivenAnswer } from '@rostra/protocol/run-api/interaction';
import { isJsonObject, type Json, type JsonObject } from '@rostra/protocol/wire/json';

type Form = Pick<InteractionRequest, 'actions' | 'fields'>;

/** Ids of actions that say no, the clearest first. */
const refusals = ['cancel', 'deny', 'reject', 'stop'];

/** An answer of which nobody can say what it means; no form takes it. */
const unsaid: GivenAnswer = { action_id: '', values: {} };

/** The action by which a form is declined; none of a form that cannot be. */
function declining({ actions }: Form): string | undefined {
  return refusals.find((id) => actions.some((action) => action.id === id));
}

/** The actions that agree in one way or another. */
function agreeing(form: Form): string[] {
  const no = declining(form);
  const all = form.actions.map(({ id }) => id);
  return all.length === 1 ? all : all.filter((id) => id !== no);
}

function schemaOf({ label, type, options, min, max, default: given }: InteractionField): JsonObject {
  const base: JsonObject = { title: label, ...(given !== undefined && { default: given }) };
  const values = options.map(({ value }) => value);
  switch (type) {
    case 'string':
    case 'text':
      return {
        ...base,
        type: 'string',
        ...(min !== undefined && { minLength: min }),
        ...(max !== undefined && { maxLength: max }),
      };
    case 'integer':
    case 'float':
      return {
        ...base,
        type: type === 'integer' ? 'integer' : 'number',
        ...(min !== undefined && { minimum: min }),
        ...(max !== undefined && { maximum: max }),
      };
    case 'boolean':
      return { ...base, type: 'boolean' };
    case 'select':
      return { ...base, type: 'string', enum: values };
    case 'multi-select':
      return { ...base, type: 'array', items: { type: 'string', enum: values }, uniqueItems: true };
  }
}

function fieldsSchema(fields: readonly InteractionField[]): JsonObject {
  const properties: JsonObject = {};
  for (const field of fields) properties[field.id] = schemaOf(field);
  const required = fields.filter((field) => field.required).map(({ id }) => id);
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** What the payload of a `resume` looks like: a yes or no, the fields, or an action and its values where there are more. */
export function responseSchema(form: Form): JsonObject {
  const ways = agreeing(form);
  if (ways.length <= 1 && form.fields.length > 0) return fieldsSchema(form.fields);
  if (ways.length <= 1)
    return { type: 'object', properties: { approved: { type: 'boolean' } }, required: ['approved'] };
  const action = { type: 'string', enum: form.actions.map(({ id }) => id) };
  const values = form.fields.length === 0 ? {} : { values: fieldsSchema(form.fields) };
  return { type: 'object', properties: { action, ...values }, required: ['action'] };
}

/**
 * The answer that a `resume` of an AG-UI client gives to a form; whether the form takes it is for others to say. What a
 * person did not say is not chosen for them: an action without a name is none, and nothing but a plain yes agrees.
 */
export function resumeAnswer(form: Form, status: 'resolved' | 'cancelled', payload: Json | undefined): GivenAnswer {
  const no = { action_id: declining(form) ?? '', values: {} };
  const [only = '', ...others] = agreeing(form);
  const yes = { action_id: others.length === 0 ? only : '', values: {} };
  if (status === 'cancelled') return no;
  const said = isJsonObject(payload) && form.fields.every(({ id }) => id !== 'approved') ? payload.approved : payload;
  if (typeof said === 'boolean') return said ? yes : no;
  if (payload === undefined) return yes;
  if (!isJsonObject(payload)) return unsaid;
  const { action, values } = payload;
  const isField = form.fields.some(({ id }) => id === 'action');
  if (typeof action === 'string' && !isField) return { action_id: action, values: isJsonObject(values) ? values : {} };
  return form.fields.length === 0 ? unsaid : { ...yes, values: payload };
}
