import { type AgentRunContext, failed, type RunFailure, type RunResult, type RunTools } from '@rostra/runner-sdk';
import { settingsOf } from './config.ts';
import { failureOf } from './failure.ts';
import { Turn } from './turn.ts';
import type { TurnRun, World } from './turn-run.ts';
import { UsageCount } from './usage.ts';

const cancelled: RunFailure = 'cancelled';

/** One run: whatever becomes of it, its last result says what it has used. */
export async function* answer(context: AgentRunContext, tools: RunTools, world: World): AsyncGenerator<RunResult> {
  const usage = new UsageCount();
  try {
    const run: TurnRun = { context, tools, settings: settingsOf(context.config), usage, world };
    const turn = await Turn.prepare(run);
    yield* turn.results();
  } catch (error) {
    if (!tools.signal.aborted) yield failureOf(error, usage);
    else {
      const { type, data } = failed(cancelled, 'The run was cancelled.');
      yield { type, data: { ...data, ...usage.told } };
    }
  }
}
