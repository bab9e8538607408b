import type { ContentBlock, RunAgentInput, UserMessage } from '@rostra/protocol/run-api/run-agent-input';
import type { AgentInput, ContentElement, UserInputPayload } from '@rostra/protocol/session/input';
import { Json, type JsonObject } from '@rostra/protocol/wire/json';

function elementOf(block: ContentBlock): ContentElement {
  if (block.type === 'text') return { type: 'text', text: block.text };
  return { type: 'image', ...(block.url === undefined ? {} : { url: block.url }) };
}

function inputOf({ content }: UserMessage): AgentInput {
  const contents: ContentElement[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(elementOf);
  const texts = contents.flatMap((element) => (element.type === 'text' ? [element.text] : []));
  return {
    text: texts.length === 0 ? null : texts.join('\n'),
    contents,
    attachments: [],
    message_chain: null,
  };
}

/** What the client sent beside its message: data of the event, trusted by nobody (RA-9.28, RA-9.29). */
function dataOf(input: RunAgentInput): JsonObject {
  const { tools, context, state, forwardedProps, parentRunId } = input;
  const [, ...others] = input.messages;
  const data: JsonObject = {};
  if (tools !== undefined) data.tools = tools;
  if (context !== undefined) data.context = context;
  if (state !== undefined) data.state = state;
  if (forwardedProps !== undefined) data.forwarded_props = forwardedProps;
  if (parentRunId !== undefined) data.parent_run_id = parentRunId;
  if (others.length > 0) data.client_messages = Json.parse(others);
  return data;
}

/** RA-9.22: an agent that the client names counts as a mention. The rules have checked that it is a name. */
export function mentionOf({ forwardedProps }: RunAgentInput): string | undefined {
  if (typeof forwardedProps !== 'object' || forwardedProps === null || Array.isArray(forwardedProps)) return undefined;
  const { agentId } = forwardedProps;
  return typeof agentId === 'string' ? agentId : undefined;
}

/** A checked RunAgentInput as the USER_INPUT of a session; `payload_hash` is what its idempotency key stands for. */
export function userInputOf(input: RunAgentInput, payload_hash: string): UserInputPayload {
  const [user] = input.messages;
  if (user?.role !== 'user') throw new Error('a RunAgentInput whose first message is not the user’s was not checked');
  const mention = mentionOf(input);
  return {
    input: inputOf(user),
    mentioned_agent_id: mention,
    client_run_id: input.runId,
    client_message_id: user.id,
    payload_hash,
    data: dataOf(input),
  };
}
