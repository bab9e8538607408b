import type { AgentRunContext } from '@rostra/runner-sdk';
import { testContext } from '@rostra/runner-sdk/test-context';

interface Asked {
  readonly config?: AgentRunContext['config'];
  readonly locale?: string;
  readonly apis?: Partial<AgentRunContext['context']['available_apis']>;
  /** What an earlier attempt said. */
  readonly said?: string;
}

/** A context as a host sends it for one text message, with nothing granted unless told. */
export function runContext(text: string | null, { apis = {}, ...asked }: Asked = {}): AgentRunContext {
  const made = testContext({ ...(text === null ? {} : { text }), ...asked });
  const { available_apis } = made.context;
  return { ...made, context: { ...made.context, available_apis: { ...available_apis, ...apis } } };
}
