import { RostraError } from '@rostra/client';
import { toolResultOperations } from '@rostra/protocol/run-api/operations/tool-results';
import { callsIn } from '@rostra/protocol/session/client-call';
import type { QuestionItem } from '../chat/chat-state.ts';
import { client } from '../client.ts';
import { callClientTool, hasClientTool } from './client-tools.ts';

const begun = new Set<string>();

/** Calls the tools that a run waits for, and sends what came of it. Another page may have been first. */
export async function answerToolCalls(questions: readonly QuestionItem[]): Promise<void> {
  for (const { id, turnId, request } of questions) {
    const calls = callsIn(request);
    if (calls.length === 0 || turnId === null || begun.has(id)) continue;
    // Whoever offered them has to call them: an answer from here would be taken for theirs.
    if (!calls.every(({ name }) => hasClientTool(name))) continue;
    begun.add(id);
    const results = calls.map((call) => callClientTool(call.tool_call_id, call.name, call.parameters));
    try {
      await client.call(toolResultOperations.sendToolResults, { params: { taskId: turnId }, body: { results } });
    } catch (error) {
      if (!(error instanceof RostraError)) throw error;
      begun.delete(id);
    }
  }
}
