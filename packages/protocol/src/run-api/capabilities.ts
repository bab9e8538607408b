import { z } from 'zod';

const flag = z.boolean();

/** AG-UI's AgentCapabilities: what a client may count on, before it starts a run. */
export const AgentCapabilities = z.object({
  identity: z.object({ name: z.string(), type: z.string(), version: z.string(), provider: z.string() }),
  transport: z.object({
    streaming: flag,
    websocket: flag,
    httpBinary: flag,
    pushNotifications: flag,
    resumable: flag,
  }),
  tools: z.object({ supported: flag, clientProvided: flag, parallelCalls: flag }),
  output: z.object({ structuredOutput: flag, supportedMimeTypes: z.array(z.string()) }),
  state: z.object({ snapshots: flag, deltas: flag, memory: flag, persistentState: flag }),
  multiAgent: z.object({
    supported: flag,
    delegation: flag,
    handoffs: flag,
    subagents: z.array(z.object({ name: z.string() })),
  }),
  reasoning: z.object({ supported: flag, streaming: flag, encrypted: flag }),
  multimodal: z.object({
    input: z.object({ image: flag, audio: flag, video: flag, pdf: flag, file: flag }),
    output: z.object({ image: flag, audio: flag }),
  }),
  humanInTheLoop: z.object({
    supported: flag,
    approvals: flag,
    interventions: flag,
    feedback: flag,
    interrupts: flag,
    approveWithEdits: flag,
  }),
});
export type AgentCapabilities = z.infer<typeof AgentCapabilities>;
