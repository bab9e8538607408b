import { type ModelMessage, type ModelToolCall, type RunResult, resumed } from '@rostra/runner-sdk';
import { toolBatch } from './tool-batch.ts';
import type { ToolSet } from './tool-set.ts';
import type { TurnRun } from './turn-run.ts';

export const unknownEnd =
  'It is not known whether this call was carried out: the host was restarted meanwhile. If doing it twice could do ' +
  'harm, do not call it again, and tell the person.';

/**
 * The results of calls that an earlier attempt began. Where somebody else was asked, the answer is still to be had: the
 * host gives what a client’s tool came to once more, and what a person answered. Of any other call the end is not known.
 */
export async function* unfinished(
  run: TurnRun,
  set: ToolSet,
  calls: readonly ModelToolCall[],
): AsyncGenerator<RunResult, ModelMessage[]> {
  const answer = resumed(run.context)?.interaction_answer ?? null;
  const asking = calls.filter(({ name }) => set.built_in.get(name)?.answered !== undefined);
  // Of several questions nobody could say which one was answered.
  const [question] = asking.length === 1 ? asking : [];
  const own = question === undefined ? undefined : set.built_in.get(question.name)?.answered?.(answer);
  const built_in = new Map(set.built_in);
  if (own !== undefined) built_in.set(own.tool.name, own);
  const askable = calls.filter((call) => call === question || set.granted.get(call.name)?.tool_type === 'client');
  const { messages } = yield* toolBatch(run, { ...set, built_in }, askable);
  return calls.map(({ id, name }): ModelMessage => {
    const found = messages.find(({ tool_call_id }) => tool_call_id === id);
    return found ?? { role: 'tool', tool_call_id: id, name, content: unknownEnd };
  });
}
