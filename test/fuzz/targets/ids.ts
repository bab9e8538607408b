import { type Chance, wellFormed } from '../chance.ts';
import type { FuzzCase, Ground, Target } from '../target.ts';

function id(chance: Chance, { taskId, threadId, interactionId }: Ground): string {
  const real = chance.of([taskId, threadId, interactionId]);
  const text = chance.is(30) ? real : chance.flawed(chance.is(50) ? chance.word() : real);
  const written = typeof text === 'string' ? text : String(JSON.stringify(text));
  // As it is, where a request line can carry it: the server sees what no url library would send.
  return chance.is(60) ? encodeURIComponent(wellFormed(written)) : written.replace(/[^\x21-\x7e]|[#?]/g, '');
}

const shapes: readonly (readonly [method: string, path: (id: string) => string])[] = [
  ['GET', (at) => `/api/v1/agent/runs/${at}`],
  ['GET', (at) => `/api/v1/agent/runs/${at}/context`],
  ['GET', (at) => `/api/v1/agent/runs/${at}/wait?timeout=0`],
  ['POST', (at) => `/api/v1/agent/runs/${at}/cancel`],
  ['POST', (at) => `/api/v1/agent/runs/${at}/tool-results`],
  ['GET', (at) => `/api/v1/agent/history?threadId=${at}`],
  ['GET', (at) => `/api/v1/agent/history?before=${at}`],
  ['GET', (at) => `/api/v1/sessions/${at}`],
  ['GET', (at) => `/api/v1/sessions/${at}?asOf=${at}`],
  ['POST', (at) => `/api/v1/sessions/${at}/messages`],
  ['GET', (at) => `/api/v1/interactions/${at}`],
  ['POST', (at) => `/api/v1/interactions/${at}/answer`],
  ['GET', (at) => `/api/v1/agents/${at}`],
  ['DELETE', (at) => `/api/v1/keys/${at}`],
  ['GET', (at) => `/api/v1/search?q=${at}`],
  ['GET', (at) => `/api/v1/agent/runs?threadId=${at}&runId=${at}`],
  ['GET', (at) => `/${at}`],
];

export const ids: Target = {
  name: 'ids',
  make(chance, ground): FuzzCase {
    const [method, path] = chance.of(shapes);
    const body = method === 'POST' ? chance.text(chance.json()) : null;
    const headers = {
      authorization: `Bearer ${ground.key}`,
      ...(body !== null && { 'content-type': 'application/json' }),
      ...(chance.is(10) && {
        'x-timezone': chance.of(['Mars/Phobos', 'UTC', 'Asia/Shanghai', '../x', 'a'.repeat(500)]),
      }),
    };
    return { method, path: path(id(chance, ground)), headers, body };
  },
};
