import { RostraError } from '@rostra/client';
import { toolResultOperations } from '@rostra/protocol/run-api/operations/tool-results';
import { callsIn } from '@rostra/protocol/session/client-call';
import type { QuestionItem } from '../chat/chat-state.ts';
import { client } from '../client.ts';
import { callClientTool, hasClientTool } from './client-tools.ts';

const begun = new Set<string>();

/** Whoever offered the tools has to call them: an answer from here would be taken for theirs. */
function isOurs({ id, turnId, request }: QuestionItem): boolean {
  const calls = callsIn(request);
  return turnId !== null && !begun.has(id) && calls.length > 0 && calls.every(({ name }) => hasClientTool(name));
}

async function answerOne({ id, turnId, request }: QuestionItem): Promise<void> {
  if (turnId === null) return;
  const results = callsIn(request).map((call) => callClientTool(call.tool_call_id, call.name, call.parameters));
  try {
    await client.call(toolResultOperations.sendToolResults, { params: { taskId: turnId }, body: { results } });
  } catch (error) {
    if (!(error instanceof RostraError)) throw error;
    begun.delete(id);
  }
}

/** What waits in a session as the host knows it; nothing when it does not answer. */
async function waitingIn(sessionId: string): Promise<ReadonlySet<string>> {
  try {
    const { interactions } = await client.sessions.get(sessionId);
    return new Set(interactions.map(({ id }) => id));
  } catch (error) {
    if (!(error instanceof RostraError)) throw error;
    return new Set();
  }
}

/** Calls the tools that a run waits for, and sends what came of it. Another page may have been first. */
export async function answerToolCalls(sessionId: string, questions: readonly QuestionItem[]): Promise<void> {
  const ours = questions.filter(isOurs);
  if (ours.length === 0) return;
  for (const { id } of ours) begun.add(id);
  // To a page that is told the past again, what was answered long ago can seem open for a moment.
  const waiting = await waitingIn(sessionId);
  for (const question of ours) {
    if (waiting.has(question.id)) await answerOne(question);
    else begun.delete(question.id);
  }
}
