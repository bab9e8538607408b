import { AgentRunContext } from '@rostra/protocol/runner/run-context';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { HOST_NAME } from '@rostra/protocol/wire/method';

/** A context as this host sends it for one message, with nothing granted. */
export function probeContext(run_id: string, text: string, data: JsonObject = {}): AgentRunContext {
  return AgentRunContext.parse({
    run_id,
    trigger: { type: 'message.received', source: 'api' },
    event: { event_id: `event:${run_id}`, event_type: 'message.received', source: 'api', data },
    conversation: { conversation_id: 'check', workspace_id: 'check' },
    actor: { actor_type: 'user', actor_id: 'check' },
    subject: { subject_type: 'message' },
    input: { text },
    delivery: { surface: 'api', supports_streaming: true },
    resources: {},
    context: { inline_policy: { mode: 'current_event' }, available_apis: {} },
    state: {},
    runtime: { host: HOST_NAME, trace_id: `trace:${run_id}` },
  });
}
