import type { ModelMessage } from '@rostra/runner-sdk';
import { citationRule } from './citations.ts';
import { materialRule } from './material.ts';
import { patiently } from './patience.ts';
import { basesOf } from './retrieval.ts';
import type { TurnRun } from './turn-run.ts';

/** What the model is told first, the same in every turn, and what is to have been said at the beginning. */
export interface Prompt {
  readonly system: string;
  readonly examples: readonly ModelMessage[];
}

const otherwise = 'You are a helpful assistant. Answer in the language of the person you talk with.';

/** The owner's own words, then the few rules that hold for every agent of this kind. */
export async function promptOf(run: TurnRun): Promise<Prompt> {
  const { context, settings, tools } = run;
  const written = context.context.available_apis.prompt_get
    ? (await patiently(tools, () => tools.api.prompt.get())).prompt
    : [];
  const systems = written.flatMap(({ role, content }) => {
    return role === 'system' && typeof content === 'string' ? content : [];
  });
  const own = [...(settings.prompt === null ? [] : [settings.prompt]), ...systems];
  const rules = basesOf(run).length > 0 ? [materialRule, citationRule] : [materialRule];
  return {
    system: [...(own.length > 0 ? own : [otherwise]), ...rules].join('\n\n'),
    examples: written.filter(({ role }) => role === 'user' || role === 'assistant'),
  };
}
