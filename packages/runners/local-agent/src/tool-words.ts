import { buildToolsPrompt, type ModelMessage, type ModelTool } from '@rostra/runner-sdk';
import { CALL_CLOSES, CALL_OPENS } from './call-reader.ts';
import { material } from './material.ts';

/** Tools for a model that cannot be handed any: what there is, and how a call is written. */
export function toolsInWords(tools: readonly ModelTool[]): string {
  if (tools.length === 0) return '';
  const example = `${CALL_OPENS}{"name": "tool", "arguments": {"key": "value"}}${CALL_CLOSES}`;
  return [
    'You can call these tools:',
    buildToolsPrompt(tools),
    `To call one, write ${example} and nothing after it; several calls may follow each other. The results are sent to you, and then you go on.`,
  ].join('\n');
}

/** Calls and results as text: for models that take no others, and for an answer in which no tool may be called. */
export function inWords(messages: readonly ModelMessage[]): ModelMessage[] {
  const names = new Map<string, string>();
  return messages.map((message) => {
    for (const { id, name } of message.tool_calls ?? []) names.set(id, name);
    if (message.role === 'tool') {
      const tool = names.get(message.tool_call_id ?? '') ?? message.name ?? '';
      return { role: 'user', content: material('tool_result', { tool }, String(message.content ?? '')) };
    }
    if (message.tool_calls === undefined) return message;
    const calls = message.tool_calls.map(({ name, arguments: given }) => {
      return `${CALL_OPENS}${JSON.stringify({ name, arguments: given })}${CALL_CLOSES}`;
    });
    const said = typeof message.content === 'string' ? message.content : '';
    return { role: 'assistant', content: [said, ...calls].filter((part) => part !== '').join('\n') };
  });
}
