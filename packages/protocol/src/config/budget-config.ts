import { z } from 'zod';
import { limits } from '../wire/limits.ts';

const whole = z.number().int().positive();

/** How much an agent may use within one run or one day; what is left out is not limited. */
export const BudgetAmounts = z.strictObject({
  tokens: whole.optional().describe('Tokens that its runner reports, in and out.'),
  cost: z.number().positive().optional().describe('What these cost by `prices`, in the currency of those.'),
  tool_calls: whole.optional().describe('Calls of tools.'),
  minutes: z.number().positive().optional().describe('Minutes at work, without the time that people were waited for.'),
  handovers: whole.optional().describe('Handovers that it asks for.'),
});
export type BudgetAmounts = z.infer<typeof BudgetAmounts>;

/** At 80 % there is a notice, at 100 % a question: once more, or stop. */
export const AgentLimits = z.strictObject({
  run: BudgetAmounts.prefault({}).describe('In one run.'),
  day: BudgetAmounts.prefault({}).describe('In all runs of a day, by UTC.'),
});
export type AgentLimits = z.infer<typeof AgentLimits>;

const price = z.number().nonnegative();

/** What a million tokens of a model cost. */
export const ModelPrice = z.strictObject({
  input: price.describe('A million tokens that it reads.'),
  output: price.describe('A million tokens that it writes.'),
  cached: price.optional().describe('A million tokens that it reads from its cache; like `input` unless told.'),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

/** By the model’s name as runners report it; `*` stands for every other one. */
export const PriceTable = z.record(z.string().min(1).max(256), ModelPrice);
export type PriceTable = z.infer<typeof PriceTable>;

const text = z.string().min(1).max(limits.prompt_chars);

/** What the owner of an agent wants a model to be told first. */
export const AgentPrompt = z.union([
  text.describe('A system message.'),
  z
    .array(
      z.strictObject({
        role: z.enum(['system', 'user', 'assistant']).describe('Who says it.'),
        content: text.describe('What is said.'),
      }),
    )
    .min(1)
    .max(limits.prompt_messages),
]);
export type AgentPrompt = z.infer<typeof AgentPrompt>;
