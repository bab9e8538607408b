import { z } from 'zod';
import { limits } from '../../wire/limits.ts';
import { AguiEvent } from '../agui-event.ts';
import { AguiInput } from '../agui-input.ts';
import { AgentCapabilities } from '../capabilities.ts';
import { CopilotKitInfo, CopilotKitStopped } from '../copilotkit.ts';
import { operation } from '../operation.ts';
import { RunAgentInput } from '../run-agent-input.ts';
import { TaskAcceptedResponse } from '../task.ts';

const refusals = [404, 409, 413, 415, 422];
const stream = {
  method: 'POST',
  scope: 'runs',
  body: AguiInput,
  bytes: limits.agui_body_bytes,
  answers: { 200: null },
  events: AguiEvent,
  refusals,
} as const;

/** Starting runs, as the contract has it and as AG-UI has it. */
export const aguiOperations = {
  startRun: operation({
    id: 'startRun',
    method: 'POST',
    path: '/api/v1/agent/runs',
    scope: 'runs',
    tag: 'Runs',
    summary: 'Starts a run, which goes on in the background',
    description:
      'With `Accept: text/event-stream` the body is AG-UI’s and the answer is the stream of its events, as at `POST /api/v1/agent/agui`. The same `threadId`, `runId` and body again are the same run.',
    body: RunAgentInput,
    answers: { 202: TaskAcceptedResponse },
    events: AguiEvent,
    refusals,
  }),
  runAgui: operation({
    ...stream,
    id: 'runAgui',
    path: '/api/v1/agent/agui',
    tag: 'AG-UI',
    summary: 'Takes what an AG-UI client sends and answers with its events',
    description:
      'The body holds the whole thread; what of it is new becomes a turn, an answer to an interrupt, results of tools, or nothing.',
  }),
  runAgentAgui: operation({
    ...stream,
    id: 'runAgentAgui',
    path: '/api/v1/agents/{agentId}/agui',
    tag: 'AG-UI',
    summary: 'The same for one agent: where an HttpAgent is pointed at',
  }),
  getCapabilities: operation({
    id: 'getCapabilities',
    method: 'GET',
    path: '/api/v1/agent/capabilities',
    scope: 'runs',
    tag: 'AG-UI',
    summary: 'What an AG-UI client may count on',
    query: z.object({ agentId: z.string().max(limits.agent_id_chars).optional().describe('The default one if none.') }),
    answers: { 200: AgentCapabilities },
    refusals: [404, 422],
  }),
  copilotInfo: operation({
    id: 'copilotInfo',
    method: 'GET',
    path: '/api/v1/copilotkit/info',
    scope: 'runs',
    tag: 'CopilotKit',
    summary: 'The agents, as a CopilotKit frontend asks for them',
    answers: { 200: CopilotKitInfo },
    refusals: [],
  }),
  copilotRun: operation({
    ...stream,
    id: 'copilotRun',
    path: '/api/v1/copilotkit/agent/{agentId}/run',
    tag: 'CopilotKit',
    summary: 'Runs an agent; `default` is the one that the thread has',
  }),
  copilotConnect: operation({
    ...stream,
    id: 'copilotConnect',
    path: '/api/v1/copilotkit/agent/{agentId}/connect',
    tag: 'CopilotKit',
    summary: 'Gives a thread back, and what goes on in it',
  }),
  copilotStop: operation({
    id: 'copilotStop',
    method: 'POST',
    path: '/api/v1/copilotkit/agent/{agentId}/stop/{threadId}',
    scope: 'runs',
    tag: 'CopilotKit',
    summary: 'Stops what goes on in a thread',
    answers: { 200: CopilotKitStopped },
    refusals: [404],
  }),
};
