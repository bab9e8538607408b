import { z } from 'zod';

/** Where the four routes are that a CopilotKit frontend needs of its runtime. */
export const COPILOTKIT_PATH = '/api/v1/copilotkit';

/** The agent that frontends ask for which name none. */
export const COPILOTKIT_DEFAULT = 'default';

export const CopilotKitInfo = z.object({
  version: z.string(),
  agents: z.record(z.string(), z.object({ name: z.string(), description: z.string(), className: z.string() })),
  audioFileTranscriptionEnabled: z.boolean(),
});
export type CopilotKitInfo = z.infer<typeof CopilotKitInfo>;

export const CopilotKitStopped = z.object({ message: z.string() });
export type CopilotKitStopped = z.infer<typeof CopilotKitStopped>;
