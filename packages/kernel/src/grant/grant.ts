import type { StateScope } from '@rostra/protocol/config/agent-config';
import type { AgentResources, ArtifactOperation, ToolOperation, ToolResource } from '@rostra/protocol/runner/resources';
import type { ContextAPICapabilities } from '@rostra/protocol/runner/run-context';
import type { ArtifactRef } from '@rostra/protocol/session/input';
import { frozenCopy } from './frozen-copy.ts';

/** What every run of one agent may touch: the same frozen object for all of them, and what `ctx.resources` shows. */
export interface GrantTerms {
  readonly resources: AgentResources;
  /** A flag is true exactly when the run may make that call (RP-4.30). */
  readonly apis: ContextAPICapabilities;
  readonly state_scopes: readonly StateScope[];
  readonly artifacts: readonly ArtifactOperation[];
  readonly interactions: readonly string[];
  readonly files: readonly string[];
  readonly platform_api: readonly string[];
  /** What a run may do with the tools that come with its own input; which those are is for its client to say. */
  readonly client_tools: readonly ToolOperation[];
  /** Agents that it may hand over to; null: everybody in the roster. */
  readonly handover_to: readonly string[] | null;
}

/** Whose run it is: what the scope of a call is compared with. A null identity is nobody's, not everybody's. */
export interface GrantScope {
  readonly workspace_id: string;
  readonly bot_id: string | null;
  readonly conversation_id: string;
  readonly thread_id: string | null;
  readonly actor_id: string | null;
  readonly subject_id: string | null;
}

/** What one run may touch, frozen before it starts (RP-5.2). The gate looks at nothing else. */
export interface Grant extends GrantTerms {
  readonly run_id: string;
  readonly runner_id: string;
  readonly agent_id: string;
  readonly scope: GrantScope;
}

export interface GrantedRun {
  readonly run_id: string;
  readonly runner_id: string;
  readonly agent_id: string;
  readonly scope: GrantScope;
  /** What came with the event: its artifacts are the run's to read, if it may read any. */
  readonly attachments: readonly ArtifactRef[];
  /** The client's own tools that came with it: this run's and no other's. */
  readonly tools?: readonly ToolResource[];
}

function withAttachments({ resources, artifacts }: GrantTerms, attachments: readonly ArtifactRef[]): AgentResources {
  const operations = [...artifacts];
  const granted = attachments.map(({ artifact_id, name, mime_type, size_bytes }) => ({
    artifact_id,
    name,
    mime_type,
    size_bytes,
    operations,
  }));
  return frozenCopy({ ...resources, artifacts: granted });
}

/** A tool of the host keeps its name, whatever a client calls its own. */
function withTools(resources: AgentResources, tools: readonly ToolResource[]): AgentResources {
  const own = tools.filter((tool) => !resources.tools.some(({ tool_name }) => tool_name === tool.tool_name));
  return frozenCopy({ ...resources, tools: [...resources.tools, ...own] });
}

/** The grant of one run. Made for every run: what all runs of an agent share is taken over as it is. */
export function grantOf(terms: GrantTerms, run: GrantedRun): Grant {
  const brings = run.attachments.length > 0 && terms.artifacts.length > 0;
  const resources = brings ? withAttachments(terms, run.attachments) : terms.resources;
  const { tools = [] } = run;
  return Object.freeze({
    run_id: run.run_id,
    runner_id: run.runner_id,
    agent_id: run.agent_id,
    scope: Object.freeze({
      workspace_id: run.scope.workspace_id,
      bot_id: run.scope.bot_id,
      conversation_id: run.scope.conversation_id,
      thread_id: run.scope.thread_id,
      actor_id: run.scope.actor_id,
      subject_id: run.scope.subject_id,
    }),
    resources: tools.length === 0 ? resources : withTools(resources, tools),
    apis: terms.apis,
    state_scopes: terms.state_scopes,
    artifacts: terms.artifacts,
    interactions: terms.interactions,
    files: terms.files,
    platform_api: terms.platform_api,
    client_tools: terms.client_tools,
    handover_to: terms.handover_to,
  });
}
