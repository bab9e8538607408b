import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import type { QuestionItem } from './chat-state.ts';

interface ClientCall {
  readonly id: string;
  readonly name: string;
  readonly parameters: JsonObject;
}

/** How logs mark a tool that is not the host's. */
const MARK = 'client.';

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The calls that a question of a run asks for. */
export function callsOf(request: Json): ClientCall[] {
  const calls = isObject(request) && Array.isArray(request.calls) ? request.calls : [];
  return calls.flatMap((call) => {
    if (!isObject(call) || typeof call.tool_call_id !== 'string' || typeof call.name !== 'string') return [];
    const name = call.name.startsWith(MARK) ? call.name.slice(MARK.length) : call.name;
    return [{ id: call.tool_call_id, name, parameters: isObject(call.parameters) ? call.parameters : {} }];
  });
}

/** What was sent for one of them; undefined before that. */
export function resultOf({ answer }: QuestionItem, id: string): Json | undefined {
  const results = Array.isArray(answer?.values.results) ? answer.values.results : [];
  const found = results.find((result) => isObject(result) && result.tool_call_id === id);
  return isObject(found) ? (found.error ?? found.content) : undefined;
}
