import type { ApiFamily } from '../api-family.ts';

/** The agent's prompt as its owner wrote it; whoever has none is not granted the call. */
export const promptFamily: ApiFamily<'prompt.get'> = {
  'prompt.get': {
    asks: () => ({ family: 'prompt' }),
    serve: async (_params, { charter: { binding } }) => ({ prompt: [...(binding.prompt ?? [])] }),
  },
};
