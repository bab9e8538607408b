import type { Json } from '../wire/json.ts';

export interface PromptedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Json;
}

const NOTE = '\nNote: tool arguments must strictly match args_schema.';

/** Tools in words, for models that cannot be handed tools (RA-3.2 to RA-3.4). */
export function buildToolsPrompt(tools: readonly PromptedTool[]): string {
  if (tools.length === 0) return '';
  const lines = tools.map(({ name, description, parameters }) => {
    return `- ${name}: ${description}\n  - args_schema: ${JSON.stringify(parameters)}\n`;
  });
  return `${lines.join('')}${NOTE}`;
}
