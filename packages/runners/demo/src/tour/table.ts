import type { RunResult } from '@rostra/runner-sdk';
import type { Call } from '../command.ts';
import { askFirst } from './ask-first.ts';
import { breakIt } from './break-it.ts';
import type { Choice } from './choice.ts';
import { realModel } from './real-model.ts';
import { twoAgents } from './two-agents.ts';

export const tour: Readonly<Record<Choice, (call: Call) => AsyncIterable<RunResult>>> = {
  two_agents: twoAgents,
  ask_first: askFirst,
  break_it: breakIt,
  real_model: realModel,
};
