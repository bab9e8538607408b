import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { ChunkFilter } from '../../store/ports/knowledge.ts';

/**
 * Filters as a caller gives them: `document_id` and `document_name` as a text or a list of texts, any other key as a
 * value of the document's metadata. Whatever else they are is refused: a condition that is ignored finds too much.
 */
export function readFilters(kb_id: string, filters: JsonObject): ChunkFilter {
  const { document_id, document_name, ...metadata } = filters;
  const entries = Object.entries<Json>(metadata);
  if (entries.length > limits.document_metadata_keys) {
    throw wrong('filters', `at most ${limits.document_metadata_keys} conditions`);
  }
  for (const [key, value] of entries) if (!isValue(value)) throw wrong(key, 'a text, a number or a boolean');
  return {
    kb_id,
    metadata,
    ...(document_id !== undefined && { document_ids: listed('document_id', document_id) }),
    ...(document_name !== undefined && { document_names: listed('document_name', document_name) }),
  };
}

function isValue(value: Json): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function listed(key: string, value: Json): string[] {
  const values = Array.isArray(value) ? value : [value];
  const texts = values.filter((each) => typeof each === 'string');
  if (texts.length < values.length || texts.length > limits.page_items) {
    throw wrong(key, `a text or a list of at most ${limits.page_items} texts`);
  }
  return texts;
}

function wrong(key: string, what: string): ApiError {
  const path = key.slice(0, limits.audit_text_chars);
  return new ApiError('invalid_argument', `The filter ${path} must be ${what}.`, {
    details: { path, hint: 'Filter by values of a document’s metadata, by document_id or by document_name.' },
  });
}
