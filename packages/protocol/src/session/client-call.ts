import { type Json, type JsonObject, jsonObjectOf } from '../wire/json.ts';

/** One call of a tool that the client of the run offers and runs itself. */
export interface ClientCall {
  readonly tool_call_id: string;
  /** As the client named it. */
  readonly name: string;
  readonly parameters: JsonObject;
}

/** What a client says of one call: what came of it, or why nothing did. */
export interface ClientResult {
  readonly tool_call_id: string;
  readonly content: Json;
  readonly error?: string | undefined;
}

/** How a question for results is answered; any other answer says that the client did not run the tools. */
export const RESULTS = 'results';

/** Logs and audits tell a client's tools apart from the host's own. */
const PREFIX = 'client.';

export function loggedName(name: string): string {
  return `${PREFIX}${name}`;
}

/** A log may hold the calls of a host that named none. */
export function isLoggedClientTool(tool_name: string | undefined): boolean {
  return tool_name?.startsWith(PREFIX) === true;
}

function listIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map(jsonObjectOf) : [];
}

/** The question that asks a client for the results of these calls, as the log keeps it. */
export function clientToolRequest(calls: readonly ClientCall[]): JsonObject {
  return { calls: calls.map((call) => ({ ...call, name: loggedName(call.name) })) };
}

/** The calls that a question asks for; none in what is no such question. */
export function callsIn(request: Json): ClientCall[] {
  return listIn(jsonObjectOf(request).calls).flatMap(({ tool_call_id, name, parameters }) => {
    if (typeof tool_call_id !== 'string' || typeof name !== 'string') return [];
    const own = isLoggedClientTool(name) ? name.slice(PREFIX.length) : name;
    return [{ tool_call_id, name: own, parameters: jsonObjectOf(parameters) }];
  });
}

export function resultValues(results: readonly ClientResult[]): JsonObject {
  return {
    results: results.map(({ tool_call_id, content, error }) => {
      return error === undefined ? { tool_call_id, content } : { tool_call_id, content, error };
    }),
  };
}

export function resultsIn(values: JsonObject): ClientResult[] {
  return listIn(values.results).flatMap(({ tool_call_id, content, error }) => {
    if (typeof tool_call_id !== 'string') return [];
    return [{ tool_call_id, content: content ?? null, ...(typeof error === 'string' && { error }) }];
  });
}
