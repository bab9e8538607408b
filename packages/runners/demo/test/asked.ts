import type { AgentRunContext, RunResult, RunTools } from '@rostra/runner-sdk';
import { answer } from '../src/answer.ts';
import type { World } from '../src/world.ts';

/** Runs the demo as a plain generator, in a world where everything is known. */
export async function asked(
  context: AgentRunContext,
  overrides: { tools?: Partial<RunTools>; world?: Partial<World> } = {},
) {
  const slept: number[] = [];
  const exits: number[] = [];
  const results: RunResult[] = [];
  const tools: RunTools = {
    signal: new AbortController().signal,
    sleep: async (ms) => void slept.push(ms),
    flushed: async () => undefined,
    get api(): never {
      throw new Error('the demo calls nothing');
    },
    ask: () => {
      throw new Error('the demo asks nothing');
    },
    spawn: () => {
      throw new Error('the demo starts nothing');
    },
    ...overrides.tools,
  };
  const world: World = {
    now: () => new Date('2026-03-15T10:00:00Z'),
    roll: (sides) => sides,
    exit: (code) => void exits.push(code),
    ...overrides.world,
  };
  for await (const result of answer(context, tools, world)) results.push(result);
  return { results, slept, exits, said: saidBy(results), types: results.map(({ type }) => type) };
}

export function chunksOf(results: readonly RunResult[]): string[] {
  return results.flatMap((result) => (result.type === 'message.delta' ? [result.data.chunk.content ?? ''] : []));
}

function saidBy(results: readonly RunResult[]): string {
  return chunksOf(results).join('');
}
