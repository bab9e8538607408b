import type { AguiInput, AguiMessage } from '@rostra/protocol/run-api/agui-input';
import type { Context, RunAgentInput, ToolMessage, UserMessage } from '@rostra/protocol/run-api/run-agent-input';
import { blockOf } from './projected-parts.ts';

/** What a client says that came of a call. */
export interface ToolResult {
  readonly tool_call_id: string;
  readonly content: string;
  readonly error?: string;
}

/** A body, and what of it goes beside the message that it asks about. */
export interface Asked {
  readonly body: AguiInput;
  readonly results: readonly ToolResult[];
}

function userOf({ id, content, name, encryptedValue }: Extract<AguiMessage, { role: 'user' }>): UserMessage {
  const user: UserMessage = {
    id,
    role: 'user',
    content: typeof content === 'string' ? content : content.map(blockOf),
  };
  if (name != null) user.name = name;
  if (encryptedValue != null) user.encryptedValue = encryptedValue;
  return user;
}

function toolOf({ tool_call_id, content, error }: ToolResult): ToolMessage {
  return { id: tool_call_id, role: 'tool', content, toolCallId: tool_call_id, ...(error && { error }) };
}

/** What a client tells the model to be is told as what it is: something that the client said. */
function instructions(messages: readonly AguiMessage[]): Context[] {
  return messages.flatMap((message) => {
    if (message.role !== 'system' && message.role !== 'developer') return [];
    return { description: `${message.role} message of the client`, value: message.content };
  });
}

/** The contract's one turn of a body that holds a whole thread. */
export function runInputOf(user: Extract<AguiMessage, { role: 'user' }>, { body, results }: Asked): RunAgentInput {
  const { threadId, runId, parentRunId, state, forwardedProps } = body;
  const tools = (body.tools ?? []).map(({ name, description, parameters }) => {
    return { name, description, parameters: parameters ?? {} };
  });
  const context = [...instructions(body.messages), ...(body.context ?? [])];
  const input: RunAgentInput = { threadId, runId, messages: [userOf(user), ...results.map(toolOf)] };
  if (parentRunId != null) input.parentRunId = parentRunId;
  if (state !== undefined) input.state = state;
  if (tools.length > 0) input.tools = tools;
  if (context.length > 0) input.context = context;
  if (forwardedProps !== undefined) input.forwardedProps = forwardedProps;
  return input;
}
