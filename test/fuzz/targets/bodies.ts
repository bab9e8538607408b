import type { Chance } from '../chance.ts';
import type { FuzzCase, Ground, Target } from '../target.ts';

function headers(chance: Chance, { key }: Ground): Record<string, string> {
  const type = chance.is(95) ? 'application/json' : chance.of(['text/plain', 'application/json; charset=latin1', '']);
  return { authorization: `Bearer ${key}`, 'content-type': type, ...(chance.is(5) && { 'content-encoding': 'gzip' }) };
}

function user(chance: Chance, { attachment, url }: Ground): object {
  const text = chance.is(80) ? 'hello' : chance.word();
  if (chance.is(60)) return { id: chance.id(), role: 'user', content: text };
  const image = { type: 'binary', mimeType: 'image/png', url: `${url}${attachment}` };
  return { id: chance.id(), role: 'user', content: [{ type: 'text', text }, image] };
}

function others(chance: Chance): object[] {
  const some = [
    {
      id: 'a',
      role: 'assistant',
      content: 'x',
      toolCalls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { id: 't', role: 'tool', content: 'x', toolCallId: 'c' },
    { id: 's', role: 'system', content: 'x' },
    { id: 'd', role: 'developer', content: 'x' },
    { id: 'r', role: 'reasoning', content: 'x' },
    { id: 'y', role: 'activity', activityType: 'x', content: {} },
  ];
  return some.filter(() => chance.is(25));
}

/** A thread that most runs share would only fill its queue: nearly every case has its own. */
function thread(chance: Chance, ground: Ground): string {
  return chance.is(3) ? ground.threadId : chance.uuid();
}

function input(chance: Chance, ground: Ground): object {
  return {
    threadId: thread(chance, ground),
    runId: chance.is(80) ? chance.id() : chance.word(),
    state: {},
    messages: [user(chance, ground), ...others(chance)],
    tools: chance.is(30) ? [{ name: 'f', description: 'x', parameters: { type: 'object' } }] : [],
    context: chance.is(20) ? [{ description: 'x', value: 'y' }] : [],
    forwardedProps: chance.is(20) ? { agentId: chance.of(['guide', 'scout', 'nobody']) } : {},
  };
}

/** Most bodies are refused; those that are not start a run of the demo, which answers and ends. */
export const strictBodies: Target = {
  name: 'strict bodies',
  make: (chance, ground): FuzzCase => ({
    method: 'POST',
    path: '/api/v1/agent/runs',
    headers: headers(chance, ground),
    body: chance.text(chance.flawed(input(chance, ground))),
  }),
};

export const aguiBodies: Target = {
  name: 'AG-UI bodies',
  make(chance, ground): FuzzCase {
    const history = chance.is(40) ? [...others(chance), user(chance, ground)] : [];
    const base = input(chance, ground);
    const resume = [
      { interruptId: ground.interactionId, status: chance.of(['resolved', 'cancelled']), payload: chance.json() },
    ];
    const body = {
      ...base,
      messages: [...history, user(chance, ground), ...others(chance)],
      ...(chance.is(20) && { resume }),
      ...(chance.is(30) && { protocolVersion: '1.0', parentRunId: 'x' }),
    };
    const path = chance.of(['/api/v1/agent/agui', '/api/v1/agents/guide/agui', '/api/v1/agent/runs']);
    return {
      method: 'POST',
      path,
      headers: { ...headers(chance, ground), accept: 'text/event-stream' },
      body: chance.text(chance.flawed(body)),
    };
  },
};
