import type { AgentRunContext } from '@rostra/protocol/runner/run-context';

/**
 * The tools that the client of this run offers, in words for the prompt of a model that calls no tools by itself; empty
 * without any. As a list they stand in `resources.tools`, with the type `client`.
 */
export function toolsPrompt({ runtime }: AgentRunContext): string {
  const { tools_prompt } = runtime.metadata;
  return typeof tools_prompt === 'string' ? tools_prompt : '';
}
