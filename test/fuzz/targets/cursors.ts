import type { Chance } from '../chance.ts';
import type { FuzzCase, Target } from '../target.ts';

function cursor(chance: Chance, real: string): string {
  const parts = real.split('.');
  if (chance.is(20)) return chance.word();
  const changed = parts.map((part) =>
    chance.is(40) ? chance.of(['-1', '1e309', '0', '00', '9'.repeat(20), '', chance.word()]) : part,
  );
  if (chance.is(10)) changed.push('1');
  return changed.join('.');
}

/** A header takes no control characters: the client's own library would refuse to send them. */
function headerText(text: string): string {
  return Buffer.from(text)
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '?');
}

export const cursors: Target = {
  name: 'cursors',
  make(chance, ground): FuzzCase {
    const text = cursor(chance, ground.eventId);
    const query = new URLSearchParams();
    const headers: Record<string, string> = { authorization: `Bearer ${ground.key}` };
    const path = chance.of([
      `/api/v1/agent/runs/${ground.taskId}/events`,
      `/api/v1/agent/runs/${ground.taskId}/events`,
      `/api/v1/sessions/${ground.threadId}/transcript`,
      '/api/v1/sessions',
      '/api/v1/interactions',
      '/api/v1/audit',
    ]);
    if (path.endsWith('/events')) {
      if (chance.is(50)) headers['last-event-id'] = headerText(text);
      else query.set('after', text);
    } else {
      query.set(chance.of(['cursor', 'before', 'after']), chance.is(50) ? text : chance.word());
      if (chance.is(30)) query.set('limit', chance.word());
    }
    return { method: 'GET', path: `${path}?${query}`, headers, body: null };
  },
};
