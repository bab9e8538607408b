import { HistorySnapshotResponse, SearchResponse, TranscriptEntryPage } from '@rostra/protocol/run-api/history';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { v4 } from 'uuid';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADA, BOB, ConversationWorld, HISTORY, SESSIONS } from './conversation-world.ts';
import { KEY } from './test-host.ts';

const DAY = 24 * 60 * 60_000;
const nothing = { scope: 'history_day', threadId: null, day: null, hasMore: false, messages: [] };

let world: ConversationWorld;
beforeEach(async () => {
  world = await ConversationWorld.start();
});
afterEach(() => world.stop());

async function history(query = '', key = ADA, headers: Record<string, string> = {}): Promise<HistorySnapshotResponse> {
  return HistorySnapshotResponse.strict().parse(await world.read(`${HISTORY}${query}`, key, headers));
}

function card(interruptId: string): JsonObject {
  const button = (label: string, action: JsonObject) => ({ type: 'button', label, action });
  return {
    version: '2.0',
    locale: 'en',
    status: 'info',
    theme: 'default',
    root: {
      type: 'stack',
      appearance: 'card',
      children: [
        button('say', { type: 'send_message', text: 'again' }),
        button('open', { type: 'open_url', url: 'https://example.org/' }),
        button('answer', { type: 'resume', interruptId, status: 'resolved' }),
      ],
    },
  };
}

describe('GET /api/v1/agent/history', () => {
  it('gives the newest day of the thread, and earlier ones by an exclusive before', async () => {
    const id = await world.open();
    // The clock of the test stands at 22:13:20 UTC on 2023-11-14.
    await world.talk(id, 'one', 'first');
    world.host.clock.advance(3 * DAY);
    await world.talk(id, 'two', 'second');
    const newest = await history(`?threadId=${id}`);
    expect(newest).toMatchObject({ scope: 'history_day', threadId: id, day: '2023-11-17', hasMore: true });
    expect(newest.messages.map(({ seq, role, content }) => [seq, role, content])).toEqual([
      [3, 'user', 'two'],
      [4, 'assistant', 'second'],
    ]);
    expect(newest.messages[0]).toMatchObject({ url: null, timestamp: '2023-11-17T22:13:20.000Z' });
    expect(newest.messages[1]).toMatchObject({ uiSchema: null });
    for (const before of ['2023-11-17', '2023-11-15']) {
      const older = await history(`?threadId=${id}&before=${before}`);
      expect(older).toMatchObject({ day: '2023-11-14', hasMore: false });
      expect(older.messages.map(({ seq, content }) => [seq, content])).toEqual([
        [1, 'one'],
        [2, 'first'],
      ]);
    }
    expect(await history(`?threadId=${id}&before=2023-11-14`)).toEqual({ ...nothing, threadId: id });
  });

  it('a day is one in the caller’s time zone', async () => {
    const id = await world.open();
    await world.talk(id, 'late', 'yes');
    const query = `?threadId=${id.toUpperCase()}`;
    expect((await history(query, ADA, { 'x-timezone': 'Asia/Tokyo' })).day).toBe('2023-11-15');
    expect((await history(query, ADA, { 'x-timezone': 'America/New_York' })).day).toBe('2023-11-14');
    for (const zone of ['Mars/Olympus', 'x'.repeat(500)]) {
      const answer = await world.get(`${HISTORY}${query}`, ADA, { 'x-timezone': zone });
      expect([answer.status, answer.json().message]).toEqual([422, 'There is no time zone of that name.']);
    }
    for (const day of ['14.11.2023', '2023-13-01', '2023-02-31', '2023-02-29']) {
      const wrong = await world.get(`${HISTORY}?threadId=${id}&before=${day}`);
      expect([wrong.status, wrong.json().message]).toEqual([422, 'That is no day of the calendar.']);
    }
    expect((await world.get(`${HISTORY}?threadId=${id}&before=2024-02-29`)).status).toBe(200);
  });

  it('without a thread it is the caller’s own latest, never another’s (case 6)', async () => {
    expect(await history('', BOB)).toEqual(nothing);
    const first = await world.open();
    await world.talk(first, 'mine', 'yes');
    world.host.clock.advance(1_000);
    const ofBob = await world.open(BOB);
    await world.talk(ofBob, 'a secret', 'kept', BOB);
    expect(await history()).toMatchObject({ threadId: first });
    expect(await history('', BOB)).toMatchObject({ threadId: ofBob });
    // Not even for whoever may see them all.
    expect(await history('', KEY)).toEqual(nothing);
    world.host.clock.advance(1_000);
    const second = await world.open();
    expect(await history()).toEqual({ ...nothing, threadId: second });
  });

  it('another one’s thread is answered like one that never was (case 5)', async () => {
    const ofBob = await world.open(BOB);
    await world.talk(ofBob, 'a secret', 'kept', BOB);
    const [foreign, unknown] = [
      await world.get(`${HISTORY}?threadId=${ofBob}`),
      await world.get(`${HISTORY}?threadId=${v4()}`),
    ];
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(foreign.text).toBe(unknown.text);
    expect((await world.get(`${HISTORY}?threadId=..%2f..`)).status).toBe(404);
  });

  it('a message of a user has a fresh url of its first attachment', async () => {
    const id = await world.open();
    const file = (artifact_id: string) => ({
      artifact_id,
      name: 'a.png',
      mime_type: 'image/png',
      size_bytes: 3,
      sha256: 'x',
    });
    await world.sayWith(id, 'look', [file('picture-1'), file('picture-2')]);
    const urls: string[] = [];
    for (let n = 0; n < 2; n += 1) {
      const [message] = (await history(`?threadId=${id}`)).messages;
      urls.push(message?.role === 'user' ? (message.url ?? '') : '');
      world.host.clock.advance(60_000);
    }
    expect(urls[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/agent\/attachments\/picture-1\?expires=\d+&/);
    expect(urls[1]).not.toBe(urls[0]);
  });

  it('cards are inert, but for links and questions that still wait', async () => {
    const id = await world.open();
    const agent = await world.agent(await world.say(id, 'show'));
    const ask = { interaction_id: 'q-1', purpose: 'question' as const, kind: 'confirmation', request: {} };
    await agent.control('INTERACTION_REQUESTED', ask, true);
    await agent.say('a card', { ui_schema: card('q-1') });
    await agent.say('an old card', { ui_schema: card('q-0') });
    await agent.say('hints of an older host', { ui_schema: { kind: 'card' } });
    await agent.output('tool.call.started', { tool_call_id: 'c1', tool_name: 'look', parameters: {} });
    await agent.output('tool.call.completed', {
      tool_call_id: 'c1',
      tool_name: 'look',
      result: 'seen',
      ui_schema: card('q-0'),
    });
    const { messages } = await history(`?threadId=${id}`);
    const disabled = messages.slice(1).map((message) => {
      const ui = message.role === 'user' ? null : message.uiSchema;
      if (ui === null || ui.root.type !== 'stack') return null;
      return ui.root.children.map((node) => node.type === 'button' && node.disabled === true);
    });
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant', 'assistant', 'tool']);
    const { items } = TranscriptEntryPage.parse(await world.read(`${SESSIONS}/${id}/transcript`));
    expect(items.map(({ toolName }) => toolName)).toEqual([null, null, null, null, 'look']);
    expect(disabled).toEqual([[true, false, false], [true, false, true], null, [true, false, true]]);
  });

  it('shows what was changed as it is now, leaves out what was taken back, and keeps the numbers', async () => {
    const id = await world.open();
    const task = await world.say(id, 'tell');
    const agent = await world.agent(task);
    const wrong = await agent.say('two and two is five');
    const bad = await agent.say('never mind');
    await agent.say('that is all');
    await agent.end();
    world.host.clock.advance(DAY);
    const later = await world.agent(await world.say(id, 'sure?'));
    await later.output('message.edited', { message_id: wrong, content: 'two and two is four' });
    await later.output('message.edited', { message_id: wrong, content: '2 + 2 = 4' });
    await later.output('message.deleted', { message_id: bad });
    await later.end();
    const { day, messages } = await history(`?threadId=${id}&before=2023-11-15`);
    expect(day).toBe('2023-11-14');
    expect(messages.map(({ seq, content }) => [seq, content])).toEqual([
      [1, 'tell'],
      [2, '2 + 2 = 4'],
      [4, 'that is all'],
    ]);
    expect((await history(`?threadId=${id}`)).messages).toMatchObject([{ seq: 5, content: 'sure?' }]);
    const page = TranscriptEntryPage.strict().parse(await world.read(`${SESSIONS}/${id}/transcript`));
    expect(page.items.map(({ content, isEdited }) => [content, isEdited])).toEqual([
      ['tell', false],
      ['2 + 2 = 4', true],
      ['that is all', false],
      ['sure?', false],
    ]);
    const found = async (q: string) => SearchResponse.parse(await world.read(`/api/v1/search?q=${q}`)).items.length;
    expect([await found('five'), await found('never'), await found('4')]).toEqual([0, 0, 1]);
  });

  it('what a later turn takes back is left out, and its numbers are given again', async () => {
    const id = await world.open();
    await world.talk(id, 'one', 'first');
    await world.talk(id, 'two', 'second');
    const { rows } = await world.host.store.transcript.page(id);
    await world.sayWith(id, 'two, again', [], 'branch', { from_seq: rows[2]?.seq ?? 0 });
    const { messages } = await history(`?threadId=${id}`);
    expect(messages.map(({ seq, content }) => [seq, content])).toEqual([
      [1, 'one'],
      [2, 'first'],
      [3, 'two, again'],
    ]);
    const { items } = (await world.read(SESSIONS)) as { items: { lastMessage: { text: string } }[] };
    expect(items[0]?.lastMessage.text).toBe('two, again');
  });

  it('what a cancel cut off is there, as far as it was said', async () => {
    const id = await world.open();
    const task = await world.say(id, 'count');
    const agent = await world.agent(task);
    await agent.chunk(agent.messageId, 0, 'one, two, ');
    await world.message(id, { id: 'stop', event: 'CONTROL', subtype: 'CANCEL' });
    await agent.control('CANCEL_ACK', {});
    expect((await history(`?threadId=${id}`)).messages).toMatchObject([
      { content: 'count' },
      { content: 'one, two, ' },
    ]);
    const { items } = TranscriptEntryPage.parse(await world.read(`${SESSIONS}/${id}/transcript`));
    expect(items.map(({ status }) => status)).toEqual(['complete', 'cancelled']);
  });
});

describe('GET …/transcript', () => {
  it('pages both ways by cursors that only the host makes, and only for this session', async () => {
    const id = await world.open();
    for (let n = 1; n <= 5; n += 1) await world.talk(id, `q${n}`, `a${n}`);
    const all = [1, 2, 3, 4, 5].flatMap((n) => [`q${n}`, `a${n}`]);
    const page = async (query: string) =>
      TranscriptEntryPage.strict().parse(await world.read(`${SESSIONS}/${id}/transcript?limit=4${query}`));
    const newest = await page('');
    expect(newest.items.map(({ content }) => content)).toEqual(all.slice(6));
    const middle = await page(`&before=${newest.before}`);
    const oldest = await page(`&before=${middle.before}`);
    expect([...oldest.items, ...middle.items].map(({ content }) => content)).toEqual(all.slice(0, 6));
    expect([oldest.before, oldest.hasMore, newest.hasMore]).toEqual([null, false, true]);
    const forward = await page(`&after=${oldest.after}`);
    expect(forward.items.map(({ content }) => content)).toEqual(all.slice(2, 6));
    const end = await page(`&after=${newest.after}`);
    expect(end).toMatchObject({ items: [], hasMore: false, after: newest.after });
    await world.talk(id, 'q6', 'a6');
    expect((await page(`&after=${newest.after}`)).items.map(({ content }) => content)).toEqual(['q6', 'a6']);

    const other = await world.open();
    for (const [session, query] of [
      [other, `before=${newest.before}`],
      [id, `after=x${newest.after}`],
      [id, `before=${newest.before}&after=${newest.after}`],
      [id, 'limit=0'],
    ]) {
      expect((await world.get(`${SESSIONS}/${session}/transcript?${query}`)).status).toBe(422);
    }
    expect((await world.get(`${SESSIONS}/${id}/transcript`, BOB)).status).toBe(404);
  });
});

describe('GET /api/v1/search', () => {
  it('finds words in the caller’s own sessions, with what they stand in', async () => {
    const id = await world.open(ADA, { title: 'Weather' });
    await world.talk(id, `${'well '.repeat(100)}will the umbrella help?`, 'An umbrella always helps.');
    const other = await world.open();
    await world.talk(other, 'where is my umbrella', 'In the hall.');
    const ofBob = await world.open(BOB);
    await world.talk(ofBob, 'umbrella of bob', 'ok', BOB);
    const found = async (query: string, key = ADA) =>
      SearchResponse.strict().parse(await world.read(`/api/v1/search?${query}`, key)).items;
    const all = await found('q=Umbrella');
    expect(all.map(({ sessionId }) => sessionId).sort()).toEqual([id, id, other].sort());
    const mine = await found(`q=umbrella&sessionId=${id}`);
    expect(mine.map(({ role, title }) => [role, title]).sort()).toEqual([
      ['assistant', 'Weather'],
      ['user', 'Weather'],
    ]);
    const cut = mine.find(({ role }) => role === 'user')?.snippet ?? '';
    expect(cut).toMatch(/^….*will the umbrella help\?$/);
    expect(await found('q=umbrella&limit=1')).toHaveLength(1);
    expect((await found('q=umbrella', BOB)).map(({ snippet }) => snippet)).toEqual(['umbrella of bob']);
    // Whoever runs the workspace searches what is theirs, too.
    expect(await found('q=umbrella', KEY)).toEqual([]);
    expect((await world.get(`/api/v1/search?q=umbrella&sessionId=${ofBob}`)).status).toBe(404);
    for (const query of ['', 'q=', `q=${'x'.repeat(1_100)}`]) {
      expect((await world.get(`/api/v1/search?${query}`)).status).toBe(422);
    }
  });
});
