import { AgentRunContext } from '@rostra/protocol/runner/run-context';

/** A context as a host sends it for one text message, with nothing granted. */
export function runContext(runId: string, text = 'hello'): AgentRunContext {
  return AgentRunContext.parse({
    run_id: runId,
    trigger: { type: 'message.received', source: 'api' },
    event: { event_id: `event:${runId}`, event_type: 'message.received', source: 'api' },
    input: { text },
    delivery: { surface: 'api', supports_streaming: true },
    resources: {},
    context: { inline_policy: { mode: 'current_event' }, available_apis: {} },
    state: {},
    runtime: { host: 'rostra', trace_id: 'trace' },
  });
}
