import { z } from 'zod';
import { method } from './api-method.ts';
import { ModelMessage } from './models.ts';

/** The prompt that the agent's owner wrote, if there is one. How it is used is the runner's own affair. */
export const PromptApi = { 'prompt.get': method({}, z.object({ prompt: z.array(ModelMessage) })) };
