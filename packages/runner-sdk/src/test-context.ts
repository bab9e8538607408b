import { availableApiOf } from '@rostra/protocol/api/available-apis';
import { AgentRunContext } from '@rostra/protocol/runner/run-context';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { HOST_NAME } from '@rostra/protocol/wire/method';

/** What of a context a test cares about; the rest is as a host sends it for one message. */
export interface TestInput {
  readonly text?: string;
  readonly config?: JsonObject;
  readonly run_id?: string;
  readonly runner_id?: string;
  /** Seconds since 1970. */
  readonly deadline_at?: number;
  readonly locale?: string;
  /** What an earlier attempt said: the run is then the second one of a resumable runner. */
  readonly said?: string;
  /** Whatever else the context shall have. */
  readonly context?: Partial<AgentRunContext>;
}

/** A context as a host sends it for one message; `methods` are the calls that the run may make. */
export function testContext(asked: TestInput, methods: readonly string[] = []): AgentRunContext {
  const flags: Readonly<Record<string, string>> = availableApiOf;
  const open = methods.flatMap((method) => flags[method] ?? []);
  const { run_id = 'run-1', text = null, config = {}, deadline_at = null, locale = null, said } = asked;
  const base = AgentRunContext.parse({
    run_id,
    trigger: { type: 'message.received', source: 'api' },
    event: { event_id: `event:${run_id}`, event_type: 'message.received', source: 'api' },
    input: { text },
    delivery: { surface: 'api', supports_streaming: true },
    resources: {},
    context: {
      inline_policy: { mode: 'current_event' },
      available_apis: Object.fromEntries(open.map((flag) => [flag, true])),
    },
    state: {},
    runtime: { host: HOST_NAME, trace_id: `trace:${run_id}`, deadline_at, locale },
    config,
    metadata: said === undefined ? {} : { resume: { attempt: 2, said } },
  });
  return { ...base, ...asked.context };
}
