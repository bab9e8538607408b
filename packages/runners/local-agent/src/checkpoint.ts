import { ApiError, CHECKPOINT_KEY, CompactionCheckpoint } from '@rostra/runner-sdk';
import { storedState } from './stored-state.ts';
import type { TurnRun } from './turn-run.ts';

function conversationOf({ context }: TurnRun): string | null {
  return context.conversation?.conversation_id ?? context.context.conversation_id;
}

/** The summary that an earlier run of this conversation made; null without one. */
export async function storedCheckpoint(run: TurnRun): Promise<CompactionCheckpoint | null> {
  const stored = CompactionCheckpoint.safeParse(await storedState(run, CHECKPOINT_KEY));
  return stored.success && stored.data.conversation_id === conversationOf(run) ? stored.data : null;
}

/** Keeps a summary for the runs to come. One that cannot be kept is made again when it is needed. */
export async function storeCheckpoint(
  run: TurnRun,
  made: Pick<CompactionCheckpoint, 'summary' | 'covers_until' | 'tokens_before'>,
): Promise<void> {
  const { context, tools, world } = run;
  if (!context.context.available_apis.state) return;
  const created_at = Math.floor(world.now() / 1000);
  const value: CompactionCheckpoint = { schema_version: 1, ...made, created_at, conversation_id: conversationOf(run) };
  try {
    await tools.api.state.set({ scope: 'conversation', key: CHECKPOINT_KEY, value });
  } catch (error) {
    if (tools.signal.aborted || !(error instanceof ApiError)) throw error;
  }
}
