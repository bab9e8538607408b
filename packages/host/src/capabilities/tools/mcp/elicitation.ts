import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import type { AskedInteraction, InteractionField } from '@rostra/protocol/api/interactions';
import { isJsonObject, type Json, type JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { ToolCaller } from '../tool-source.ts';
import { cutText, foreignWords } from './foreign-words.ts';

type AskedField = NonNullable<AskedInteraction['fields']>[number];

const SUBMIT = 'submit';

/** Puts a server's question to a person, as the question of that server; whoever cannot be asked has declined. */
export async function elicit(
  server_id: string,
  { params }: ElicitRequest,
  ask: ToolCaller['ask'],
): Promise<ElicitResult> {
  if (ask === undefined || !('requestedSchema' in params)) return { action: 'decline' };
  const schema: unknown = params.requestedSchema;
  const fields = fieldsOf(isJsonObject(schema) ? schema : {});
  if (fields === null) return { action: 'decline' };
  const question: AskedInteraction = {
    kind: fields.length === 0 ? 'confirmation' : 'form',
    title: `The tool server ${server_id} asks`,
    body: cutText(params.message, limits.ui_text_chars),
    fields,
    actions: [
      { id: SUBMIT, label: fields.length === 0 ? 'Confirm' : 'Submit' },
      { id: 'cancel', label: 'Cancel' },
    ],
  };
  const { action, values } = await ask(JSON.parse(JSON.stringify(question)));
  if (action !== SUBMIT) return { action: action === null ? 'cancel' : 'decline' };
  return { action: 'accept', content: contentOf(values) };
}

/** Null if there is something that no form can ask. */
function fieldsOf(schema: JsonObject): AskedField[] | null {
  const properties = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  if (properties.length > limits.interaction_fields) return null;
  const fields = properties.map(([id, property]) =>
    isJsonObject(property) && id !== '' && id.length <= 128 ? fieldOf(id, property, required.includes(id)) : null,
  );
  return fields.every((field) => field !== null) ? fields : null;
}

function fieldOf(id: string, property: JsonObject, required: boolean): AskedField | null {
  const type = typeOf(property);
  if (type === null) return null;
  const { title, description } = property;
  const words = [title, description].filter((part) => typeof part === 'string' && part !== '').join(': ');
  const label = foreignWords(words === '' ? id : words);
  const bounds = boundsOf(property);
  const given = property.default === undefined ? {} : { default: property.default };
  return { id, label, type, required, options: optionsOf(property), ...bounds, ...given };
}

function typeOf(property: JsonObject): InteractionField['type'] | null {
  const isChoice = optionsOf(property).length > 0;
  switch (property.type) {
    case 'string':
      return isChoice ? 'select' : 'string';
    case 'integer':
      return 'integer';
    case 'number':
      return 'float';
    case 'boolean':
      return 'boolean';
    case 'array':
      return isChoice ? 'multi-select' : null;
    default:
      return null;
  }
}

/** The four ways in which a choice is written down. */
function optionsOf(property: JsonObject): { value: string; label: string }[] {
  const from = isJsonObject(property.items) ? property.items : property;
  const names = Array.isArray(from.enumNames) ? from.enumNames : [];
  if (Array.isArray(from.enum)) {
    return from.enum.flatMap((value, at) => (typeof value === 'string' ? [option(value, names[at])] : []));
  }
  const titled = from.oneOf ?? from.anyOf;
  if (!Array.isArray(titled)) return [];
  return titled.flatMap((each) =>
    isJsonObject(each) && typeof each.const === 'string' ? [option(each.const, each.title)] : [],
  );
}

function option(value: string, label: Json | undefined): { value: string; label: string } {
  return { value, label: foreignWords(typeof label === 'string' ? label : value) };
}

function boundsOf(property: JsonObject): { min?: number; max?: number } {
  const min = property.minimum ?? property.minLength;
  const max = property.maximum ?? property.maxLength;
  return { ...(typeof min === 'number' && { min }), ...(typeof max === 'number' && { max }) };
}

function contentOf(values: JsonObject): NonNullable<ElicitResult['content']> {
  const content: NonNullable<ElicitResult['content']> = {};
  for (const [id, value] of Object.entries(values)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') content[id] = value;
    else if (Array.isArray(value)) content[id] = value.filter((each) => typeof each === 'string');
  }
  return content;
}
