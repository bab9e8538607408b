import type { ContentBlock, RunAgentInput, UserMessage } from '@rostra/protocol/run-api/run-agent-input';
import type { AgentInput, ArtifactRef, ContentElement, UserInputPayload } from '@rostra/protocol/session/input';
import { isJsonObject, Json, type JsonObject } from '@rostra/protocol/wire/json';

/** The files that stand behind the urls of a message (RA-8.3). */
export type ResolvedUrls = ReadonlyMap<string, ArtifactRef>;

const noUrls: ResolvedUrls = new Map();

function elementOf(block: ContentBlock, urls: ResolvedUrls): ContentElement {
  if (block.type === 'text') return { type: 'text', text: block.text };
  const artifact = urls.get(block.url ?? '');
  if (artifact !== undefined) return { type: 'image', artifact };
  return { type: 'image', ...(block.url === undefined ? {} : { url: block.url }) };
}

function inputOf({ content }: UserMessage, urls: ResolvedUrls): AgentInput {
  if (typeof content === 'string') {
    const contents: ContentElement[] = [{ type: 'text', text: content }];
    return { text: content, contents, attachments: [...urls.values()], message_chain: null };
  }
  const contents = content.map((block) => elementOf(block, urls));
  const texts = contents.flatMap((element) => (element.type === 'text' ? [element.text] : []));
  return {
    text: texts.length === 0 ? null : texts.join('\n'),
    contents,
    attachments: [...urls.values()],
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
  if (others.length > 0) {
    data.client_messages = Json.parse(others);
    // Whoever reads on is told that nobody but the client vouches for them.
    data.untrusted = ['client_messages'];
  }
  return data;
}

/** RA-9.22: an agent that the client names counts as a mention. The rules have checked that it is a name. */
export function mentionOf({ forwardedProps }: Pick<RunAgentInput, 'forwardedProps'>): string | undefined {
  if (!isJsonObject(forwardedProps)) return undefined;
  const { agentId } = forwardedProps;
  return typeof agentId === 'string' ? agentId : undefined;
}

/** The urls of a message, as they stand in it. */
export function urlsOf({ messages: [user] }: RunAgentInput): string[] {
  if (user?.role !== 'user' || typeof user.content === 'string') return [];
  return user.content.flatMap((block) => (block.type === 'binary' && block.url !== undefined ? block.url : []));
}

/** A checked RunAgentInput as the USER_INPUT of a session; `payload_hash` is what its idempotency key stands for. */
export function userInputOf(input: RunAgentInput, payload_hash: string, urls: ResolvedUrls = noUrls): UserInputPayload {
  const [user] = input.messages;
  if (user?.role !== 'user') throw new Error('a RunAgentInput whose first message is not the user’s was not checked');
  const mention = mentionOf(input);
  return {
    input: inputOf(user, urls),
    mentioned_agent_id: mention,
    client_run_id: input.runId,
    client_message_id: user.id,
    payload_hash,
    data: dataOf(input),
  };
}
