import type { Tool } from '@rostra/protocol/run-api/run-agent-input';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import { messageOf } from '../error-message.ts';
import { setLook } from '../look/look-choice.ts';

interface ClientTool {
  readonly description: string;
  readonly parameters: JsonObject;
  call(args: JsonObject): Json;
}

/** What agents may ask this page to do: it lies in the browser, not in the host. */
const tools: Readonly<Record<string, ClientTool>> = {
  get_local_time: {
    description: 'The time, date and time zone of the person at the browser',
    parameters: { type: 'object', properties: {} },
    call: () => ({
      time: new Date().toLocaleString(),
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      language: navigator.language,
    }),
  },
  set_theme: {
    description: 'Makes the page light or dark, or as the system is',
    parameters: {
      type: 'object',
      properties: { theme: { type: 'string', enum: ['light', 'dark', 'system'] } },
      required: ['theme'],
    },
    call: ({ theme }) => {
      if (theme !== 'light' && theme !== 'dark' && theme !== 'system') throw new Error('theme: light, dark or system');
      setLook(theme);
      return { theme };
    },
  },
};

/** As they are sent along with every message. */
export const offeredTools: Tool[] = Object.entries(tools).map(([name, { description, parameters }]) => ({
  name,
  description,
  parameters,
}));

export interface ToolResult {
  readonly toolCallId: string;
  readonly content: string;
  readonly error?: string;
}

/** Whether it is one of this page: others belong to other clients of the same session. */
export function hasClientTool(name: string): boolean {
  return Object.hasOwn(tools, name);
}

/** Calls one; what goes wrong is a result, too. */
export function callClientTool(toolCallId: string, name: string, args: JsonObject): ToolResult {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (tool === undefined) return { toolCallId, content: '', error: `This page has no tool ${name}.` };
  try {
    return { toolCallId, content: JSON.stringify(tool.call(args)) };
  } catch (error) {
    return { toolCallId, content: '', error: messageOf(error) };
  }
}
