import type { Call } from '@rostra/kernel/grant/check-call';
import { CLIENT_TOOL, clientToolIn } from '@rostra/kernel/grant/client-tool';
import { loggedName } from '@rostra/protocol/session/client-call';
import type { ApiError } from '@rostra/protocol/wire/api-error';
import { type Json, type JsonObject, jsonObjectOf } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { CapabilityReason } from '@rostra/protocol/wire/reason';
import type { IncomingCall } from '../orchestrator/api-door.ts';
import type { AuditEntry } from '../store/ports/audit.ts';

/** What one call came to. */
export interface CallOutcome {
  readonly call: IncomingCall;
  readonly at: number;
  /** What it asked for; null when it did not get so far. */
  readonly asked: Call | null;
  /** Null: it was served. */
  readonly refusal: Pick<ApiError, 'code' | 'message' | 'details'> | null;
}

/** Params that name a thing, the most telling first. */
const names = [
  'model_id',
  'tool_name',
  'kb_id',
  'event_id',
  'artifact_id',
  'target_run_id',
  'interaction_id',
  'action',
  'upload_id',
  'key',
  'conversation_id',
];

/** A foreign word, as long as a row has room for. */
function word(value: Json | undefined): string | null {
  return typeof value === 'string' ? value.slice(0, limits.audit_text_chars) : null;
}

function resourceOf(params: JsonObject): string | null {
  const filters = jsonObjectOf(params.filters);
  for (const name of names) {
    const named = word(params[name]) ?? word(filters[name]);
    if (named !== null) return named;
  }
  return null;
}

/** What the client of the run runs itself is told apart from the host's own. */
function toolIn({ call: { run }, asked }: CallOutcome): string | null {
  if (asked?.family !== 'tools' || run === null) return null;
  const tool = clientToolIn(run.charter.grant, asked.tool_name);
  return tool === undefined ? null : word(loggedName(asked.tool_name));
}

/** Who provides the tool that was called: what it gave back is theirs. */
function sourceOf({ call: { run }, asked }: CallOutcome): string | null {
  if (asked?.family !== 'tools' || asked.operation !== 'call' || run === null) return null;
  const tool = run.charter.grant.resources.tools.find(({ tool_name }) => tool_name === asked.tool_name);
  if (tool === undefined) return null;
  return tool.tool_type === CLIENT_TOOL ? CLIENT_TOOL : tool.owner;
}

/** What a tool says of its own failure is what it gave back: nothing for a row. */
function isToolsOwn(reason: Json | undefined): boolean {
  const failed: CapabilityReason = 'TOOL_FAILED';
  return reason === failed;
}

/** How far the call reached, or wanted to: where a grant is wider than the run's own conversation it shows here. */
function scopeOf({ call: { run }, asked }: CallOutcome): string | null {
  if (asked === null || run === null) return null;
  if (asked.family === 'state') return asked.scope;
  if (asked.family === 'storage') return asked.area;
  if (asked.family === 'history' || asked.family === 'events') {
    return run.charter.grant.resources.history.scope ?? 'conversation';
  }
  return asked.family === 'artifacts' || asked.family === 'runs' ? 'conversation' : null;
}

/** The row of one call. Of its params only the name of what it is about is kept: the rest may be a secret. */
export function recordOf(outcome: CallOutcome, workspace_id: string): AuditEntry {
  const { call, at, refusal } = outcome;
  const { run, caller, method, bytes } = call;
  const params = jsonObjectOf(call.params);
  const runner_id = run?.charter.binding.runner_id ?? null;
  const { reason, path } = refusal?.details ?? {};
  const source = sourceOf(outcome);
  return {
    at,
    workspace_id: run?.charter.grant.scope.workspace_id ?? workspace_id,
    actor: `runner:${runner_id ?? caller}`,
    session_id: run?.session_id ?? null,
    run_id: run?.run_id ?? word(params.run_id),
    runner_id,
    action: method,
    resource: toolIn(outcome) ?? resourceOf(params),
    scope: scopeOf(outcome),
    result: refusal?.code ?? 'ok',
    details: {
      package: caller,
      bytes,
      ...(run !== null && { agent_id: run.agent_id, turn_id: run.turn_id }),
      ...(source !== null && { source }),
      ...(refusal !== null && !isToolsOwn(reason) && { message: refusal.message }),
      ...(reason !== undefined && { reason }),
      ...(path !== undefined && { path }),
    },
  };
}
