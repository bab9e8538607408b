import { ApiError, type ModelMessage } from '@rostra/runner-sdk';
import { inputMessage } from './input.ts';
import type { TurnRun } from './turn-run.ts';

/** A message that came while a run was at work. */
export interface Heard {
  readonly event_id: string;
  readonly message: ModelMessage;
}

/** What was said while this run was at work. What is not taken becomes a turn of its own, so that nothing is lost. */
export async function steered(run: TurnRun, fileChars: number): Promise<Heard[]> {
  const { context, tools } = run;
  if (!context.context.available_apis.steering_pull) return [];
  try {
    const { items } = await tools.api.steering.pull({ mode: 'all' });
    return await Promise.all(
      items.map(async ({ event_id, input }) => ({ event_id, message: await inputMessage(run, input, fileChars) })),
    );
  } catch (error) {
    if (tools.signal.aborted || !(error instanceof ApiError)) throw error;
    return [];
  }
}
