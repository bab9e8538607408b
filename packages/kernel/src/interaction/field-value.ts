import type { InteractionField } from '@rostra/protocol/api/interactions';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';

/** Why a value does not fit its field, as the end of a sentence that begins with the field; null when it does. */
export function misfit(field: InteractionField, value: Json): string | null {
  switch (field.type) {
    case 'string':
    case 'text':
      return textMisfit(field, value);
    case 'integer':
    case 'float':
      return numberMisfit(field, value);
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'select':
      return isOption(field, value) ? null : 'must be one of its options';
    case 'multi-select':
      return optionsMisfit(field, value);
  }
}

function textMisfit({ type, min, max = limits.interaction_text_chars }: InteractionField, value: Json): string | null {
  if (typeof value !== 'string') return 'must be text';
  if (type === 'string' && /[\n\r]/.test(value)) return 'must be one line';
  const length = [...value].length;
  if (length > Math.min(max, limits.interaction_text_chars)) return 'is longer than it may be';
  return length < (min ?? 0) ? 'is shorter than it may be' : null;
}

function numberMisfit({ type, min, max }: InteractionField, value: Json): string | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
  if (type === 'integer' && !Number.isSafeInteger(value)) return 'must be a whole number';
  const isWithin = value >= (min ?? Number.NEGATIVE_INFINITY) && value <= (max ?? Number.POSITIVE_INFINITY);
  return isWithin ? null : 'is out of its range';
}

function optionsMisfit(field: InteractionField, value: Json): string | null {
  if (!Array.isArray(value)) return 'must be a list of its options';
  if (new Set(value).size < value.length) return 'names an option twice';
  return value.every((each) => isOption(field, each)) ? null : 'must be a list of its options';
}

function isOption({ options }: InteractionField, value: Json): boolean {
  return options.some((option) => option.value === value);
}
