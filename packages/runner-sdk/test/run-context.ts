import type { AgentRunContext } from '@rostra/protocol/runner/run-context';
import { testContext } from '../src/test-context.ts';

/** A context as a host sends it for one text message, with nothing granted. */
export function runContext(run_id: string, text = 'hello'): AgentRunContext {
  return testContext({ run_id, text });
}
