import type { InteractionRow } from '@rostra/kernel/projection/interaction-rows';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { expect, it } from 'vitest';
import { Inbox } from '../../src/interactions/inbox.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';

it('a question of a session that was deleted is not there, for anybody, before its row is removed', async () => {
  const row = { workspace_id: 'w', session_id: 's', purpose: 'question' } as InteractionRow;
  const { interactions } = new MemoryStore();
  Object.defineProperty(interactions, 'get', { value: async () => row });
  const gone = new ApiError('invalid_argument', 'gone', { details: { reason: 'SESSION_GONE' } });
  const store = { interactions, readHead: () => Promise.reject(gone) };
  const inbox = new Inbox({ store, gateway: { answer: async () => true }, now: () => 0 });
  for (const user_id of ['ann', 'bob']) {
    const asked = inbox.get({ workspace_id: 'w', user_id }, 'q');
    await expect(asked).rejects.toMatchObject({ code: 'not_found', message: 'there is no such question' });
  }
});
