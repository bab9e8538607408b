import { emptyState } from '@rostra/kernel/context/run-context';
import { type Grant, type GrantTerms, grantOf } from '@rostra/kernel/grant/grant';
import type { ToolResource } from '@rostra/protocol/runner/resources';
import { AgentRunContext } from '@rostra/protocol/runner/run-context';
import { agentTexts, contextText } from '../../src/orchestrator/context-text.ts';
import type { ToldRun } from '../../src/orchestrator/run-dossier.ts';

export const tool: ToolResource = {
  tool_name: 'time',
  tool_type: 'host',
  owner: 'host',
  description: 'Tells the time.',
  parameters: {},
  operations: ['call'],
};

function contextOf(run_id: string): AgentRunContext {
  return AgentRunContext.parse({
    run_id,
    trigger: { type: 'message.received', source: 'api' },
    event: { event_id: run_id, event_type: 'message.received', source: 'api' },
    input: { text: 'hello' },
    delivery: { surface: 'api' },
    resources: {},
    context: { inline_policy: { mode: 'current_event' }, available_apis: {} },
    state: {},
    runtime: { host: 'rostra', trace_id: run_id },
    config: {},
  });
}

export function termsOf(): GrantTerms {
  const { resources, context } = contextOf('r');
  return Object.freeze({
    resources: { ...resources, tools: [tool] },
    apis: context.available_apis,
    state_scopes: ['conversation' as const],
    artifacts: [],
    interactions: [],
    files: [],
    platform_api: [],
    client_tools: [],
    handover_to: null,
  });
}

const scope = { workspace_id: 'w', bot_id: null, thread_id: null, actor_id: 'a', subject_id: null };

/** How most answers go back. */
export const overApi = contextOf('r').delivery;

/** What a run of the agent with these terms is told. */
export function runOf(
  run_id: string,
  terms: GrantTerms,
  tools: readonly ToolResource[] = [],
  own_parts: Partial<AgentRunContext> = {},
): ToldRun {
  const run = { run_id, runner_id: 'demo', agent_id: 'guide', attachments: [], tools };
  const grant: Grant = grantOf(terms, { ...run, scope: { ...scope, conversation_id: `c-${run_id}` } });
  const base = contextOf(run_id);
  const static_refs = { policy: { ref: 'x', version: '1', hash: 'h' } };
  const context: AgentRunContext = {
    ...base,
    resources: grant.resources,
    context: { ...base.context, available_apis: grant.apis },
    runtime: { ...base.runtime, static_refs },
    config: { name: 'guide', key: 'secret' },
    delivery: overApi,
    state: emptyState,
    ...own_parts,
  };
  const { own } = contextText(context, agentTexts(terms, { config: context.config, static_refs }));
  return { context, own, grant, terms };
}
