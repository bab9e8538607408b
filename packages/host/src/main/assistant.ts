import { AgentConfig } from '@rostra/protocol/config/agent-config';
import type { DetectedModel } from './model-detection.ts';
import { localAgent } from './official-runners.ts';

/** The agent that answers with the model that was found. */
export function assistantOf(detected: DetectedModel | null): Readonly<Record<string, AgentConfig>> {
  if (detected === null) return {};
  const policy = { steering: true };
  return {
    assistant: AgentConfig.parse({ runner: localAgent.runner_id, config: { model: detected.model_id }, policy }),
  };
}

/** What people are told at the start, and by the tour. */
export function foundSentence({ model_id, by }: DetectedModel): string {
  return `${model_id} by ${by}: the agent assistant answers`;
}
