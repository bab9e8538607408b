import { MessageAccepted, SessionItem, SessionSnapshot } from '@rostra/protocol/run-api/session-api';
import { limits } from '@rostra/protocol/wire/limits';
import { v4 } from 'uuid';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ADA, BOB, ConversationWorld, SESSIONS } from './conversation-world.ts';
import { KEY } from './test-host.ts';

let world: ConversationWorld;
beforeEach(async () => {
  world = await ConversationWorld.start();
});
afterEach(() => world.stop());

const noSession = { code: 'not_found', message: 'there is no such session', retryable: false, details: {} };

async function listed(key = ADA, query = ''): Promise<{ ids: unknown[]; nextCursor: string | null }> {
  const { items, nextCursor } = (await world.read(`${SESSIONS}${query}`, key)) as {
    items: unknown[];
    nextCursor: string | null;
  };
  return { ids: items.map((item) => SessionItem.strict().parse(item).id), nextCursor };
}

async function snapshot(id: string, query = ''): Promise<SessionSnapshot> {
  return SessionSnapshot.strict().parse(await world.read(`${SESSIONS}/${id}${query}`));
}

describe('POST /api/v1/sessions', () => {
  it('creates and opens a session with the default roster, and names where it is', async () => {
    const answer = await world.send('POST', SESSIONS, {});
    expect(answer.status).toBe(201);
    const made = SessionSnapshot.strict().parse(answer.json());
    expect(made).toMatchObject({ state: 'OPEN', activeAgentId: 'guide', ownerId: 'key:ada', title: null });
    expect(made.agents.map(({ agentId, name }) => [agentId, name])).toEqual([
      ['guide', 'The guide'],
      ['scout', null],
    ]);
    expect(answer.headers.location).toBe(`${SESSIONS}/${made.id}`);
  });

  it('takes the id, the agents, the active one and a title of the caller', async () => {
    const id = v4().toUpperCase();
    const answer = await world.send('POST', SESSIONS, {
      id,
      agents: ['scout', 'guide'],
      activeAgentId: 'guide',
      title: ' Trips ',
    });
    expect(answer.json()).toMatchObject({ id: id.toLowerCase(), activeAgentId: 'guide', title: 'Trips' });
    expect(await listed()).toMatchObject({ ids: [id.toLowerCase()] });
  });

  it('of two requests for one id at once only one creates it, with the title of that one', async () => {
    const id = v4();
    const asked = ['one', 'two', 'three'].map((title) => world.send('POST', SESSIONS, { id, title }));
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const made = answers.find(({ status }) => status === 201);
    expect((await snapshot(id)).title).toBe(made?.json().title);
  });

  it('refuses an id that is taken: 409 to its owner, 404 to anybody else', async () => {
    const id = await world.open();
    const again = await world.send('POST', SESSIONS, { id });
    expect([again.status, again.json().message]).toEqual([409, 'this session exists already']);
    const foreign = await world.send('POST', SESSIONS, { id }, BOB);
    expect(foreign.status).toBe(404);
    expect(foreign.json()).toEqual(noSession);
  });

  it.each([
    [{ id: '../x' }, 422, 'id'],
    [{ agents: [] }, 422, 'agents'],
    [{ agents: ['nobody'] }, 404, undefined],
    [{ activeAgentId: 'nobody' }, 404, undefined],
    [{ agents: ['scout'], activeAgentId: 'guide' }, 422, 'activeAgentId'],
    [{ title: '' }, 422, 'title'],
    [{ title: 'x'.repeat(limits.title_chars + 1) }, 422, 'title'],
    [{ owner: 'bob' }, 422, 'owner'],
  ])('refuses %j with %i', async (body, status, path) => {
    const answer = await world.send('POST', SESSIONS, body);
    expect(answer.status, answer.text).toBe(status);
    expect(answer.json().details.path).toBe(path);
    if (status === 404) expect(answer.json().details.agents).toEqual(['guide', 'scout']);
    expect((await listed()).ids).toEqual([]);
  });
});

describe('GET /api/v1/sessions', () => {
  it('lists the caller’s own, the last used first, with how it began and what was said last', async () => {
    const first = await world.open();
    const second = await world.open();
    expect((await listed()).ids).toEqual([second, first]);
    world.host.clock.advance(1_000);
    await world.talk(first, `What is\n${'long '.repeat(30)}?`, 'A word.');
    expect((await listed()).ids).toEqual([first, second]);
    const { items } = (await world.read(SESSIONS)) as { items: SessionItem[] };
    expect(items[0]).toMatchObject({
      title: expect.stringMatching(/^What is long long/),
      isRenamed: false,
      activeAgentId: 'guide',
      lastMessage: { role: 'assistant', text: 'A word.' },
      runs: 1,
      liveRuns: 0,
      openInteractions: 0,
    });
    expect([...(items[0]?.title ?? '')]).toHaveLength(limits.title_cut_chars);
  });

  it('shows nobody the sessions of others; an administrator those of the workspace', async () => {
    const ofAda = await world.open(ADA);
    const ofBob = await world.open(BOB);
    expect((await listed(ADA)).ids).toEqual([ofAda]);
    expect((await listed(BOB)).ids).toEqual([ofBob]);
    expect((await listed(KEY)).ids).toEqual([ofBob, ofAda]);
  });

  it('pages by cursors that only the host makes, and only for the one who got them', async () => {
    const all: string[] = [];
    for (let n = 0; n < 5; n += 1) all.unshift(await world.open());
    const first = await listed(ADA, '?limit=2');
    const second = await listed(ADA, `?limit=2&cursor=${first.nextCursor}`);
    const third = await listed(ADA, `?limit=2&cursor=${second.nextCursor}`);
    expect([...first.ids, ...second.ids, ...third.ids]).toEqual(all);
    expect(third.nextCursor).toBeNull();
    for (const [cursor, key] of [
      [first.nextCursor, BOB],
      [`x${first.nextCursor}`, ADA],
      ['5.1', ADA],
    ]) {
      const answer = await world.get(`${SESSIONS}?cursor=${cursor}`, key ?? ADA);
      expect([answer.status, answer.json().message]).toEqual([422, 'This cursor is not one of this list.']);
    }
  });
});

describe('GET /api/v1/sessions/{sessionId}', () => {
  it('shows roster, live turns and questions as they are, and from where to follow', async () => {
    const id = await world.open();
    const first = await world.say(id, 'one');
    const second = await world.say(id, 'two');
    const agent = await world.agent(first);
    await agent.control('HANDOVER_REQUEST', { target_agent_id: 'scout', reason: 'knows', summary: '' }, true);
    const now = await snapshot(id);
    expect(now).toMatchObject({ state: 'OPEN', activeAgentId: 'guide', keptState: null });
    expect(now.inflight).toMatchObject([
      { taskId: first, agentId: 'guide', status: 'running', runId: `${first}.1`, waitingFor: [] },
      { taskId: second, status: 'queued', runId: null, waitingFor: ['QUEUE'] },
    ]);
    const [asked] = now.interactions;
    expect(asked).toMatchObject({ purpose: 'handover', agentId: 'guide', targetAgentId: 'scout', taskId: first });
    const head = await world.host.store.readHead(id);
    expect(now.lastSeq).toBe(head?.last_seq);
    expect(Number(now.lastEventId?.split('.')[0])).toBeLessThanOrEqual(now.lastSeq);
  });

  it('?asOf= shows any moment: roster, turns and what agents kept', async () => {
    const id = await world.open();
    const opened = (await snapshot(id)).lastSeq;
    const task = await world.say(id, 'one');
    const agent = await world.agent(task);
    await agent.output('state.updated', { scope: 'conversation', key: 'mood', value: 'good' });
    const during = (await snapshot(id)).lastSeq;
    await agent.output('state.updated', { scope: 'conversation', key: 'mood', value: 'bad' });
    await agent.end();
    expect(await snapshot(id, `?asOf=${opened}`)).toMatchObject({ inflight: [], lastSeq: opened, lastEventId: null });
    const past = await snapshot(id, `?asOf=${during}`);
    expect(past.inflight).toMatchObject([{ taskId: task, status: 'running' }]);
    expect(past.keptState).toEqual({ guide: { conversation: { mood: 'good' } } });
    expect(await snapshot(id, '?asOf=0')).toMatchObject({ state: 'CLOSED', agents: [] });
    const beyond = await world.get(`${SESSIONS}/${id}?asOf=100000`);
    expect([beyond.status, beyond.json().code]).toEqual([422, 'invalid_argument']);
    expect((await world.get(`${SESSIONS}/${id}?asOf=-1`)).status).toBe(422);
  });

  it.each(['GET', 'PATCH', 'DELETE'])('%s of another one’s session looks like one that never was', async (method) => {
    const ofBob = await world.open(BOB);
    const body = method === 'PATCH' ? { title: 'mine now' } : undefined;
    const ask = (id: string) =>
      body === undefined
        ? world.host.ask(method, `${SESSIONS}/${id}`, { key: ADA })
        : world.send(method, `${SESSIONS}/${id}`, body);
    const [foreign, unknown] = [await ask(ofBob), await ask(v4())];
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(foreign.text).toBe(unknown.text);
    expect(foreign.json()).toEqual(noSession);
    expect(await world.read(`${SESSIONS}/${ofBob}`, BOB)).toMatchObject({ title: null });
  });
});

describe('PATCH', () => {
  it('renames, and gives the beginning back when the title is taken away', async () => {
    const id = await world.open();
    await world.talk(id, 'hello there', 'hi');
    const renamed = await world.send('PATCH', `${SESSIONS}/${id}`, { title: 'Greetings' });
    expect(SessionItem.strict().parse(renamed.json())).toMatchObject({ title: 'Greetings', isRenamed: true });
    const bare = await world.send('PATCH', `${SESSIONS}/${id}`, { title: null });
    expect(bare.json()).toMatchObject({ title: 'hello there', isRenamed: false });
    expect((await world.send('PATCH', `${SESSIONS}/${id}`, {})).status).toBe(422);
  });
});

describe('DELETE', () => {
  it('takes everything, ends the run that is at it, and leaves the last hash', async () => {
    const id = await world.open();
    await world.talk(id, 'remember the umbrella', 'I do.');
    const task = await world.say(id, 'and now?');
    await world.agent(task);
    const answer = await world.host.ask('DELETE', `${SESSIONS}/${id}`, { key: ADA });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(world.toAgents).toContainEqual(expect.objectContaining({ subtype: 'REQUEST_TERMINATE_RUN', turn_id: task }));
    expect(world.closed).toEqual([id]);
    expect(world.purges).toBe(1);
    for (const path of ['', '/transcript']) {
      const gone = await world.get(`${SESSIONS}/${id}${path}`);
      expect([gone.status, gone.json()]).toEqual([404, noSession]);
    }
    expect((await world.get(`/api/v1/agent/runs/${task}`)).status).toBe(404);
    expect((await world.get(`/api/v1/agent/history?threadId=${id}`)).status).toBe(404);
    expect(await world.read('/api/v1/search?q=umbrella')).toEqual({ items: [] });
    expect((await listed()).ids).toEqual([]);
    expect(await world.host.store.sessions.tombstone(id)).toMatchObject({
      why: 'user:key:ada',
      owner_id: 'key:ada',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect((await world.host.ask('DELETE', `${SESSIONS}/${id}`, { key: ADA })).status).toBe(404);
    expect(world.host.reported).toEqual([]);
  });

  it('whoever owned it is told so when they write to it; to others it is one that never was', async () => {
    const id = await world.open();
    await world.host.ask('DELETE', `${SESSIONS}/${id}`, { key: ADA });
    const cancel = { id: 'c', event: 'CONTROL', subtype: 'CANCEL' };
    const writes = [
      (key: string) => world.message(id, cancel, key),
      (key: string) => world.send('POST', SESSIONS, { id }, key),
      (key: string) => world.send('PATCH', `${SESSIONS}/${id}`, { title: 'x' }, key),
    ];
    for (const write of writes) {
      const told = await write(ADA);
      expect([told.status, told.json()]).toEqual([
        409,
        {
          code: 'invalid_argument',
          message: 'this session was deleted',
          retryable: false,
          details: { reason: 'SESSION_GONE', hint: 'Start a new session under another id.' },
        },
      ]);
      const stranger = await write(BOB);
      expect([stranger.status, stranger.json()]).toEqual([404, noSession]);
    }
    await expect(world.sayWith(id, 'hello?', [])).rejects.toMatchObject({ message: 'this session was deleted' });
  });
});

describe('POST …/messages', () => {
  const input = (id: string, text = 'hello') => ({
    id,
    event: 'USER_INPUT',
    subtype: 'INPUT',
    payload: { input: { text } },
  });

  it('answers what the session decided, and the same message again the same way', async () => {
    const id = await world.open();
    const answer = await world.message(id, input('m1'));
    expect(answer.status).toBe(202);
    const accepted = MessageAccepted.strict().parse(answer.json());
    expect(accepted).toMatchObject({ id: 'm1', sessionId: id, outcome: 'accepted' });
    expect(await world.asked(accepted.taskId ?? '')).toMatchObject({ payload: { input: { text: 'hello' } } });
    const again = await world.message(id, input('m1'));
    expect(again.json()).toEqual({ ...accepted, outcome: 'known' });
    const other = await world.message(id, input('m1', 'something else'));
    expect([other.status, other.json().message]).toEqual([409, 'this id was used for another message']);
  });

  it('cancels by the turn, switches, invites, removes, closes and opens again', async () => {
    const id = await world.open(ADA, { agents: ['guide'] });
    const task = await world.say(id, 'work');
    await world.agent(task);
    const control = async (subtype: string, payload = {}, more = {}) => {
      const answer = await world.message(id, { id: v4(), event: 'CONTROL', subtype, payload, ...more });
      expect(answer.status, answer.text).toBe(202);
      return MessageAccepted.parse(answer.json());
    };
    expect(await control('INVITE_AGENT', { agent_id: 'scout' })).toMatchObject({ txId: expect.any(String) });
    await vi.waitFor(async () => expect((await snapshot(id)).agents).toHaveLength(2));
    expect(await control('CANCEL', {}, { turn_id: task })).toMatchObject({ outcome: 'accepted', taskId: task });
    expect(await control('CANCEL', {}, { turn_id: v4() })).toMatchObject({ outcome: 'ignored', taskId: null });
    world.host.clock.advance(10_000);
    await vi.waitFor(async () => expect((await snapshot(id)).inflight).toEqual([]));
    await control('SWITCH_AGENT', { agent_id: 'scout' });
    expect((await snapshot(id)).activeAgentId).toBe('scout');
    await control('REMOVE_AGENT', { agent_id: 'guide' });
    await vi.waitFor(async () => expect((await snapshot(id)).agents.map(({ agentId }) => agentId)).toEqual(['scout']));
    await control('SESSION_CLOSE');
    await vi.waitFor(async () => expect((await snapshot(id)).state).toBe('CLOSED'));
    const refused = await world.message(id, input('late'));
    expect([refused.status, refused.json().code]).toEqual([409, 'invalid_argument']);
    await control('SESSION_OPEN');
    await vi.waitFor(async () => expect((await snapshot(id)).state).toBe('OPEN'));
  });

  it('a handover is answered once, by its id (case 33)', async () => {
    const id = await world.open();
    const agent = await world.agent(await world.say(id, 'one'));
    await agent.control('HANDOVER_REQUEST', { target_agent_id: 'scout', reason: '', summary: '' }, true);
    const [asked] = (await snapshot(id)).interactions;
    const answering = (subtype: string, tx_id: string, key = ADA) =>
      world.message(id, { id: v4(), event: 'CONTROL', subtype, tx_id }, key);
    const forged = await answering('HANDOVER_CONFIRM', `${id}/guessed`);
    expect([forged.status, forged.json().code]).toEqual([404, 'not_found']);
    const stranger = await answering('HANDOVER_CONFIRM', asked?.id ?? '', BOB);
    expect([stranger.status, stranger.json()]).toEqual([404, noSession]);
    expect((await snapshot(id)).interactions).toHaveLength(1);
    expect((await answering('HANDOVER_REJECT', asked?.id ?? '')).status).toBe(202);
    expect((await snapshot(id)).interactions).toEqual([]);
    expect((await answering('HANDOVER_CONFIRM', asked?.id ?? '')).status).toBe(404);
    expect((await snapshot(id)).activeAgentId).toBe('guide');
  });

  it('of a session of somebody else nothing can be cancelled, confirmed or removed (case 32)', async () => {
    const id = await world.open(ADA);
    const task = await world.say(id, 'work');
    await world.agent(task);
    const before = (await snapshot(id)).lastSeq;
    for (const message of [
      { event: 'CONTROL', subtype: 'CANCEL', turn_id: task },
      { event: 'CONTROL', subtype: 'HANDOVER_CONFIRM', tx_id: 'x' },
      { event: 'CONTROL', subtype: 'REMOVE_AGENT', payload: { agent_id: 'guide' } },
      { event: 'USER_INPUT', subtype: 'INPUT', payload: { input: { text: 'me too' } } },
    ]) {
      const foreign = await world.message(id, { id: v4(), ...message }, BOB);
      const unknown = await world.message(v4(), { id: v4(), ...message }, BOB);
      expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
    }
    expect((await snapshot(id)).lastSeq).toBe(before);
  });

  it.each([
    [{ sender: 'session_manager' }, 'a message of a frontend has no sender'],
    [{ sender: { kind: 'session_manager', id: 'x' } }, 'a message of a frontend has no sender'],
    [{ requested_by: 'bob' }, 'a message of a frontend has no requested_by'],
    [{ seq: 1 }, 'a message of a frontend has no seq'],
    [
      { event: 'CONTROL', subtype: 'ADD_AGENT_DONE', payload: { agent_id: 'x' } },
      'frontends may not send this message',
    ],
    [{ event: 'CONTROL', subtype: 'INTERACTION_ANSWERED' }, 'frontends may not send this message'],
    [{ event: 'EVENT', subtype: 'TURN_COMPLETED' }, 'frontends may not send this message'],
    [{ event: 'TIMER', subtype: 'TURN' }, 'frontends may not send this message'],
    [{ event: 'constructor', subtype: 'constructor' }, 'frontends may not send this message'],
  ])('refuses %j, and notes who tried (case 34)', async (more, message) => {
    const id = await world.open();
    const before = (await snapshot(id)).lastSeq;
    world.host.audit.length = 0;
    const answer = await world.message(id, { ...input('m1'), ...more });
    expect([answer.status, answer.json().code, answer.json().message]).toEqual([422, 'invalid_argument', message]);
    expect(world.host.audit).toMatchObject([
      { actor: 'user:key:ada', details: { reason: 'spoofed_sender', status: 422 } },
    ]);
    expect((await snapshot(id)).lastSeq).toBe(before);
  });

  it.each([
    [{ payload: {} }, 'payload.input'],
    [{ payload: { input: { text: '' } } }, 'payload.input.text'],
    [{ payload: { input: { text: 'x', attachments: [{ artifact_id: 'of-bob' }] } } }, 'payload.input'],
    [{ payload: { input: { text: 'x' }, resume: { attempt: 2 } } }, 'payload'],
    [{ turn_id: 'mine' }, 'turn_id'],
    [{ id: '' }, 'id'],
    [{ id: 'x'.repeat(200) }, 'id'],
    [{ event: 'CONTROL', subtype: 'HANDOVER_CONFIRM', payload: {} }, 'tx_id'],
    [{ event: 'CONTROL', subtype: 'SWITCH_AGENT', payload: { from: 'a', to: 'b' } }, 'payload.agent_id'],
  ])('refuses %j by its path', async (more, path) => {
    const id = await world.open();
    const answer = await world.message(id, { ...input('m1'), ...more });
    expect([answer.status, answer.json().details.path], answer.text).toEqual([422, path]);
  });

  it('takes as many characters as a run does', async () => {
    const id = await world.open();
    expect((await world.message(id, input('a', '😀'.repeat(10_000)))).status).toBe(202);
    const more = await world.message(id, input('b', '😀'.repeat(10_001)));
    expect([more.status, more.json().message]).toEqual([422, 'RunAgentInput user message text exceeds limit']);
  });
});
