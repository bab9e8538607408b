import type { AgentRunContext, RunResult, RunTools } from '@rostra/runner-sdk';
import type { Bilingual, Language } from './language.ts';
import { spoken } from './speech.ts';
import type { Voice } from './voice.ts';
import type { World } from './world.ts';

/** One use of a command. */
export interface Call {
  readonly context: AgentRunContext;
  /** The words after the command. */
  readonly args: readonly string[];
  readonly language: Language;
  readonly voice: Voice;
  /** What an earlier attempt at the same turn said: it need not be waited for again. */
  readonly earlier: string;
  readonly tools: RunTools;
  readonly world: World;
}

export interface Command {
  /** With its slash: `/stream`. */
  readonly name: string;
  /** The arguments as they are written in a usage line: `N MS`. */
  readonly parameters: string;
  readonly about: Bilingual;
  run(call: Call): AsyncIterable<RunResult>;
}

export function usageOf({ name, parameters }: Pick<Command, 'name' | 'parameters'>): string {
  return parameters === '' ? name : `${name} ${parameters}`;
}

/** The answer to arguments that a command cannot use: how it is written, and why these are not it. */
export function misused(command: Pick<Command, 'name' | 'parameters'>, why: Bilingual, language: Language) {
  const usage = usageOf(command);
  return spoken(language === 'zh' ? `用法：${usage}。${why.zh}` : `Usage: ${usage}. ${why.en}`);
}

/** A whole number within bounds, or undefined. */
export function wholeNumber(word: string | undefined, min: number, max: number): number | undefined {
  if (word === undefined || !/^\d{1,9}$/.test(word)) return undefined;
  const value = Number(word);
  return value >= min && value <= max ? value : undefined;
}
