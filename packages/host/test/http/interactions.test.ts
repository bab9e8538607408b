import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Inbox } from '../../src/interactions/inbox.ts';
import type { Principal } from '../../src/session/session-gateway.ts';
import { SessionWorld } from '../proxy/session-world.ts';
import { type Answer, TestHost } from './test-host.ts';

const INBOX = '/api/v1/interactions';
const form = {
  kind: 'form',
  title: 'Where to?',
  fields: [
    { id: 'city', label: 'City', type: 'string', required: true },
    { id: 'days', label: 'Days', type: 'integer', min: 1, max: 30 },
  ],
};
const asked = (payload: object) => ({
  results: [['action.requested', { action: 'interaction.requested', payload }]],
});

/** A real server over real sessions, with a runner that asks. */
class InboxHost {
  readonly http: TestHost;
  readonly world = new SessionWorld();

  constructor(http: TestHost) {
    this.http = http;
    const { store, gateway, clock } = this.world;
    const inbox = new Inbox({ store, gateway, now: () => clock.now() });
    // The owner's key is that of the user whose sessions these are; any other is somebody else's.
    const known = ({ user_id }: Principal) => ({ workspace_id: 'w', user_id: user_id === 'owner' ? 'u' : user_id });
    http.inbox = {
      page: (principal, query) => inbox.page(known(principal), query),
      get: (principal, id) => inbox.get(known(principal), id),
      answer: (principal, id, answer) => inbox.answer(known(principal), id, answer),
    };
  }

  async ask(payload: object = form): Promise<string> {
    await this.world.run(await this.world.say([asked(payload), { end: true }]));
    const answer = await this.http.ask('GET', `${INBOX}?status=pending`);
    const items = answer.json().items as { id: string }[];
    return items[0]?.id ?? '';
  }

  answer(id: string, body: object | string, key?: string): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { 'content-type': 'application/json' };
    return this.http.ask('POST', `${INBOX}/${id}/answer`, { headers, body: text, ...(key !== undefined && { key }) });
  }
}

describe('the inbox over HTTP', () => {
  let host: InboxHost;
  const OTHER = 'rostra_somebody-else-0123456789';
  beforeEach(async () => {
    host = new InboxHost(await TestHost.start({}, {}, [{ name: 'ci', key: OTHER, scopes: ['interactions'] }]));
  });
  afterEach(() => host.http.stop());
  const good = { actionId: 'submit', values: { city: 'Basel', days: 2 } };

  it('lists what is pending, with what an answer may say', async () => {
    const id = await host.ask();
    const page = await host.http.ask('GET', `${INBOX}?status=pending&sessionId=s`);
    expect(page.status).toBe(200);
    expect(page.json()).toMatchObject({
      items: [{ id, purpose: 'question', kind: 'form', sessionId: 's', agentId: 'guide', title: 'Where to?' }],
      nextCursor: null,
    });
    expect((await host.http.ask('GET', `${INBOX}/${id}`)).json()).toMatchObject({ id, status: 'pending' });
  });

  it('gives pages', async () => {
    await host.ask();
    const newest = await host.ask();
    const first = (await host.http.ask('GET', `${INBOX}?limit=1`)).json();
    expect(first).toMatchObject({ items: [{ id: newest }], nextCursor: newest });
    const second = (await host.http.ask('GET', `${INBOX}?limit=1&cursor=${newest}`)).json();
    expect(second).toMatchObject({ items: [{ title: 'Where to?' }], nextCursor: null });
  });

  it('takes an answer once, and says 409 to the second (check 75)', async () => {
    const id = await host.ask();
    const first = await host.answer(id, good);
    expect([first.status, first.json()]).toMatchObject([200, { id, status: 'answered', answer: good }]);
    const second = await host.answer(id, good);
    expect(second.status).toBe(409);
    expect(second.json()).toMatchObject({
      code: 'invalid_argument',
      message: 'This question was answered already.',
      details: { reason: 'INTERACTION_NOT_OPEN' },
    });
  });

  it('of many answers at once exactly one wins, the others get 409 (check 75)', async () => {
    const id = await host.ask();
    const answers = await Promise.all(Array.from({ length: 8 }, () => host.answer(id, good)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
  });

  it('is closed to anybody else, and they cannot use it up (check 74)', async () => {
    const id = await host.ask();
    expect((await host.answer(id, good, OTHER)).status).toBe(404);
    expect((await host.http.ask('GET', `${INBOX}/${id}`, { key: OTHER })).status).toBe(404);
    expect((await host.http.ask('GET', INBOX, { key: OTHER })).json()).toEqual({ items: [], nextCursor: null });
    expect((await host.answer('nothing', good)).text).toEqual((await host.answer(id, good, OTHER)).text);
    expect((await host.answer(id, good)).status).toBe(200);
  });

  it('an answer after the expiry by the host’s clock is refused, whatever the client says (check 76)', async () => {
    const id = await host.ask({ ...form, expires_in: 1000 });
    host.world.clock.advance(1000);
    const late = await host.answer(id, good);
    expect([late.status, late.json().message]).toEqual([409, 'This question has expired.']);
  });

  it.each([
    ['an unknown action', { ...good, actionId: 'approve' }],
    ['an unknown field', { ...good, values: { city: 'Basel', __proto__x: 1 } }],
    ['a wrong type', { ...good, values: { city: 1 } }],
    ['a value out of range', { ...good, values: { city: 'Basel', days: -1 } }],
    ['a required value that is missing', { ...good, values: { days: 2 } }],
    ['no action', { values: {} }],
    ['more than an answer', { ...good, answered_by: 'somebody' }],
  ])('%s is 422, and the question stays open (check 77)', async (_what, body) => {
    const id = await host.ask();
    expect((await host.answer(id, body)).status).toBe(422);
    expect((await host.http.ask('GET', `${INBOX}/${id}`)).json()).toMatchObject({ status: 'pending' });
  });

  it('refuses a page that cannot be, and other methods', async () => {
    for (const query of ['status=open', 'limit=0', 'limit=x', `cursor=${'x'.repeat(600)}`]) {
      expect((await host.http.ask('GET', `${INBOX}?${query}`)).status).toBe(422);
    }
    expect((await host.http.ask('DELETE', `${INBOX}/x`)).status).toBe(405);
    expect((await host.http.ask('GET', INBOX, { key: null })).status).toBe(401);
  });
});
