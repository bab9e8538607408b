import { CLIENT_TOOL } from '@rostra/kernel/grant/client-tool';
import type { ApiResult } from '@rostra/protocol/api/api-methods';
import type { ActionPolicy } from '@rostra/protocol/config/agent-config';
import type { ToolResource } from '@rostra/protocol/runner/resources';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { type Json, type JsonObject, jsonObjectOf } from '@rostra/protocol/wire/json';
import type { OfferedTool, ToolCaller, ToolSource } from '../capabilities/tools/tool-source.ts';
import { canAsk } from '../interactions/asking-surface.ts';
import type { ClientToolDesk } from '../interactions/client-tool-desk.ts';
import type { InteractionDesk } from '../interactions/interaction-desk.ts';
import type { ToolApprovals } from '../interactions/tool-approvals.ts';
import type { ActiveRun } from '../orchestrator/run-charter.ts';
import type { ToolResults } from './tool-results.ts';

/** All tools that may be called now. */
export interface ToolFinder {
  find(tool_name: string): { readonly tool: OfferedTool; readonly source: ToolSource } | null;
}

export interface ToolDeskOptions {
  readonly tools: ToolFinder;
  /** Runs what the client of a run offers. */
  readonly clients: Pick<ClientToolDesk, 'call'>;
  readonly approvals: Pick<ToolApprovals, 'ask'>;
  readonly desk: Pick<InteractionDesk, 'plan' | 'put' | 'wait'>;
  readonly results: Pick<ToolResults, 'of'>;
}

type ToolDetail = ApiResult<'tools.get_detail'>['tool'];

/**
 * Calls the tools that a run was granted.
 *
 * T1. A tool gets exactly the parameters that the run gave, once, and nothing but data comes back: it gives nobody leave
 *     for anything.
 * T2. The agent's policy decides, else the tool's own: done, put before a person, or denied.
 * T3. A tool that is not what was approved any more is not there, whatever the grant says.
 * T4. What the run does not wait for any more is stopped, and is not begun.
 */
export class ToolDesk {
  readonly #options: ToolDeskOptions;

  constructor(options: ToolDeskOptions) {
    this.#options = options;
  }

  /** As the run was granted it. */
  detail(run: ActiveRun, tool_name: string): ToolDetail {
    const { tool_type, description, parameters } = granted(run, tool_name);
    if (tool_type !== CLIENT_TOOL) this.#find(tool_name);
    return { name: tool_name, description: description ?? '', parameters: jsonObjectOf(parameters) };
  }

  async call(run: ActiveRun, tool_name: string, parameters: JsonObject, signal: AbortSignal): Promise<Json> {
    const { tool_type } = granted(run, tool_name);
    if (tool_type === CLIENT_TOOL) return this.#options.clients.call(run, tool_name, parameters);
    const policy = policyFor(run, this.#find(tool_name).tool);
    if (policy === 'deny') throw denied(tool_name);
    if (policy !== 'allow') await this.#options.approvals.ask(run, tool_name, parameters);
    signal.throwIfAborted();
    // A person takes time: it is called as it is now, unless it was denied meanwhile.
    const { source, tool } = this.#find(tool_name);
    if (policyFor(run, tool) === 'deny') throw denied(tool_name);
    const answer = await source.call(tool_name, parameters, this.#callerOf(run, signal));
    signal.throwIfAborted();
    return this.#options.results.of(run, tool.resource, answer);
  }

  #find(tool_name: string) {
    const found = this.#options.tools.find(tool_name);
    if (found === null) throw new ApiError('not_found', 'There is no such tool.');
    return found;
  }

  #callerOf(run: ActiveRun, signal: AbortSignal): ToolCaller {
    const { run_id, session_id, agent_id } = run;
    const caller = { run_id, session_id, agent_id, signal, run_over: run.signal };
    if (!canAsk(run)) return caller;
    const { desk } = this.#options;
    const ask: ToolCaller['ask'] = async (question) => {
      const { interaction_id } = desk.put(run, 'question', desk.plan(question));
      return desk.wait(run, interaction_id);
    };
    return { ...caller, ask };
  }
}

/** The gate has found it in the grant. */
function granted({ charter }: ActiveRun, name: string): ToolResource {
  const tool = charter.grant.resources.tools.find(({ tool_name }) => tool_name === name);
  if (tool === undefined) throw new Error(`the gate let through a call of ${name}, which was not granted`);
  return tool;
}

function policyFor({ charter }: ActiveRun, { resource, policy }: OfferedTool): ActionPolicy {
  const { tools = {} } = charter.binding;
  const { tool_name } = resource;
  return Object.hasOwn(tools, tool_name) ? (tools[tool_name] ?? policy) : policy;
}

function denied(tool_name: string): ApiError {
  return new ApiError('unauthorized', `The policy of this agent does not allow "${tool_name}".`, {
    details: { reason: 'TOOL_DENIED' },
  });
}
