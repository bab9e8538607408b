import { ApiError, isJsonObject, type Json } from '@rostra/runner-sdk';
import { patiently } from './patience.ts';
import type { TurnRun } from './turn-run.ts';

/** A value that an earlier run kept with the conversation: it stands in the context unless that was too much. */
export async function storedState({ context, tools }: TurnRun, key: string): Promise<Json> {
  const { conversation } = context.state;
  if (Object.hasOwn(conversation, key)) return conversation[key] ?? null;
  const { state_omitted } = context.runtime.metadata;
  const isComplete = !isJsonObject(state_omitted) || state_omitted.conversation === undefined;
  if (isComplete || !context.context.available_apis.state) return null;
  try {
    const { value } = await patiently(tools, () => tools.api.state.get({ scope: 'conversation', key }));
    return value;
  } catch (error) {
    if (tools.signal.aborted || !(error instanceof ApiError)) throw error;
    return null;
  }
}
