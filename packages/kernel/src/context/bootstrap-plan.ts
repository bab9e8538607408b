import type { AgentBootstrap } from '@rostra/protocol/config/agent-config';
import type { AgentRunnerContextPolicy, BootstrapMode } from '@rostra/protocol/runner/manifest';
import { limits } from '@rostra/protocol/wire/limits';

/** What is inlined at the start of every run of an agent, and why not more. */
export interface BootstrapPlan {
  readonly mode: BootstrapMode;
  readonly max_items: number;
  readonly max_bytes: number;
  readonly reason: string | null;
}

const modes: readonly BootstrapMode[] = ['none', 'current_event', 'recent_tail', 'summary_tail'];

function lesser(a: BootstrapMode, b: BootstrapMode): BootstrapMode {
  return modes.indexOf(a) < modes.indexOf(b) ? a : b;
}

/** Zero leaves the number to the host; nobody gets more than the hard cap. */
function bounded(asked: readonly number[], usual: number, most: number): number {
  const named = asked.filter((each) => each > 0);
  return named.length === 0 ? usual : Math.min(...named, most);
}

export function isTail(mode: BootstrapMode): boolean {
  return mode === 'recent_tail' || mode === 'summary_tail';
}

/** Earlier messages are inlined only if both the manifest and the agent ask for them (CX-2.14, CX-5.2). */
export function bootstrapPlan(manifest: AgentRunnerContextPolicy, agent: AgentBootstrap): BootstrapPlan {
  const isOwn = manifest.ownership === 'self_managed';
  const asked = isOwn ? lesser(manifest.bootstrap, 'current_event') : manifest.bootstrap;
  const mode = lesser(asked, agent.mode);
  const { bootstrap_items, bootstrap_items_max, bootstrap_bytes, bootstrap_bytes_max } = limits;
  return {
    mode,
    max_items: bounded([manifest.max_inline_events, agent.max_events], bootstrap_items, bootstrap_items_max),
    max_bytes: bounded([manifest.max_inline_bytes, agent.max_bytes], bootstrap_bytes, bootstrap_bytes_max),
    reason: whyLess(manifest, agent, mode),
  };
}

/** A sentence for whoever expected more than there is. */
function whyLess(manifest: AgentRunnerContextPolicy, agent: AgentBootstrap, mode: BootstrapMode): string | null {
  if (isTail(mode) || (!isTail(manifest.bootstrap) && !isTail(agent.mode))) return null;
  if (!isTail(agent.mode)) return 'The agent does not ask for earlier messages.';
  if (!isTail(manifest.bootstrap)) return 'The runner does not ask for earlier messages.';
  return 'The runner manages its own context.';
}
