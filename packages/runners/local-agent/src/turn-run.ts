import type { AgentRunContext, RunTools } from '@rostra/runner-sdk';
import type { Settings } from './config.ts';
import type { UsageCount } from './usage.ts';

export interface World {
  /** Milliseconds since 1970. */
  now(): number;
}

/** One run and what belongs to it. */
export interface TurnRun {
  readonly context: AgentRunContext;
  readonly tools: RunTools;
  readonly settings: Settings;
  readonly usage: UsageCount;
  readonly world: World;
}
