import { BindingConfig } from '@rostra/protocol/config/entry-config';
import { EventSubmission } from '@rostra/protocol/run-api/event-submission';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, test } from 'vitest';
import { EventGateway } from '../../src/entries/event-gateway.ts';
import { statusOf } from '../../src/http/errors.ts';
import { SESSION } from '../session/test-host.ts';
import { EntryWorld, event, message, owner, somebody } from './entry-world.ts';

const chat = BindingConfig.parse({ id: 'chat', agent: 'guide', events: ['*'] });
const status = (work: Promise<unknown>) =>
  work.then(
    () => 202,
    (error) => statusOf(error),
  );

describe('an event', () => {
  test('that is a message is an ordinary input of the actor that it names, spoken by the key’s owner', async () => {
    const world = new EntryWorld([chat]);
    const actor = { actor_type: 'user', actor_id: 'u8', actor_name: 'Ada' };
    const accepted = await world.send(
      message('hello', {}, { actor, conversation: { conversation_id: 'c', bot_id: 'b' } }),
    );
    const [input] = world.inputs();
    expect(input).toMatchObject({
      turn_id: accepted.task_id,
      session_id: accepted.session_id,
      requested_by: 'key:bridge',
      payload: {
        input: { text: 'hello' },
        event: { event_id: 'e1', actor, conversation: { bot_id: 'b', launcher_id: 'c' }, binding_id: 'chat' },
      },
    });
    expect(accepted).toMatchObject({ event_id: 'e1', agent_id: 'guide' });
  });

  test('that is no message never becomes words, whatever stands in its input (check 54)', async () => {
    const world = new EntryWorld([chat]);
    const subject = { subject_type: 'group', subject_id: 'g', data: { title: 'Club' } };
    await world.send(event({}, { subject, input: { text: 'rm -rf', contents: [{ type: 'text', text: 'rm' }] } }));
    expect(world.inputs()[0]?.payload).toMatchObject({
      input: { text: null, contents: [], message_chain: null },
      event: { event_type: 'member.joined', subject },
    });
  });

  test('that nobody said is spoken by the system, a participant without the rights of any person (case 75)', async () => {
    const world = new EntryWorld([BindingConfig.parse({ ...chat, session: SESSION })]);
    await world.send(event());
    expect(world.inputs()[0]).toMatchObject({ requested_by: 'system' });
    const sent = world.host.log.find((record) => record.event === 'USER_INPUT' && record.mark === 'in');
    expect(sent?.sender).toEqual({ kind: 'user', id: 'system', role: 'participant' });
  });

  test('cannot claim to be of somebody whom the host knows', async () => {
    const world = new EntryWorld([chat]);
    for (const actor_id of ['owner', 'system', 'pipeline', 'key:other', 'jwt:alice']) {
      expect(await status(world.send(message('x', {}, { actor: { actor_type: 'user', actor_id } })))).toBe(422);
    }
    expect(await status(world.send(message('x', {}, { actor: { actor_type: 'user', actor_id: 'key:bridge' } })))).toBe(
      202,
    );
  });

  test('brings text only, and a message brings some', async () => {
    const world = new EntryWorld([chat]);
    const input = { text: 'x', contents: [{ type: 'image', url: 'http://169.254.169.254/' }] };
    expect(await status(world.send({ ...message('x'), input }))).toBe(422);
    expect(await status(world.send({ ...message('x'), input: {} }))).toBe(422);
    expect(world.inputs()).toEqual([]);
  });

  test('of an agent that is not there is 404', async () => {
    const world = new EntryWorld([BindingConfig.parse({ ...chat, agent: 'ghost' })]);
    expect(await status(world.send(event()))).toBe(404);
  });
});

describe('the same event_id', () => {
  test('with the same content gets the same answer, also over a restart and when bindings have changed', async () => {
    const world = new EntryWorld([chat]);
    const first = await world.send(event({ data: { a: 1, b: 2 } }));
    expect(await world.send(event({ data: { b: 2, a: 1 } }))).toEqual(first);
    const later = new EntryWorld([], world.store);
    expect(await later.send(event({ data: { a: 1, b: 2 } }))).toEqual(first);
    expect(world.inputs()).toHaveLength(1);
    expect(later.inputs()).toEqual([]);
  });

  test('with other content is 409, also in another conversation', async () => {
    const world = new EntryWorld([chat]);
    await world.send(event());
    expect(await status(world.send(event({ data: { a: 1 } })))).toBe(409);
    expect(await status(world.send(event({}, { conversation: { conversation_id: 'other' } })))).toBe(409);
    expect(world.inputs()).toHaveLength(1);
  });

  test('twice at once is one turn, and an event that was refused can be sent again', async () => {
    const world = new EntryWorld([]);
    expect(await status(world.send(event()))).toBe(404);
    world.bindings = [chat];
    const [one, two] = await Promise.all([world.send(event()), world.send(event())]);
    expect(one).toEqual(two);
    expect(world.inputs()).toHaveLength(1);
  });

  test('of somebody else is another event', async () => {
    const world = new EntryWorld([chat]);
    const mine = await world.send(event());
    const theirs = await world.send(event(), owner);
    expect(theirs.task_id).not.toBe(mine.task_id);
    expect(theirs.session_id).not.toBe(mine.session_id);
  });
});

describe('the session of an event', () => {
  const at = (id: string, conversation: object) => event({ event_id: id }, { conversation });

  test('is one for each source, bot, conversation and thread', async () => {
    const world = new EntryWorld([chat]);
    const where = { conversation_id: 'c', bot_id: 'b', thread_id: null };
    const first = await world.send(at('1', where));
    expect((await world.send(at('2', where))).session_id).toBe(first.session_id);
    for (const [n, change] of [{ bot_id: 'b2' }, { conversation_id: 'd' }, { thread_id: 't' }].entries()) {
      expect((await world.send(at(`x${n}`, { ...where, ...change }))).session_id).not.toBe(first.session_id);
    }
    // Two platforms may give their conversations the same names.
    const elsewhere = event({ event_id: '3', source: 'discord' }, { conversation: where });
    expect((await world.send(elsewhere)).session_id).not.toBe(first.session_id);
  });

  test('is one of its own, or a certain one, where the binding says so', async () => {
    const world = new EntryWorld([BindingConfig.parse({ ...chat, session: 'event' })]);
    const first = await world.send(event({ event_id: '1' }));
    expect((await world.send(event({ event_id: '2' }))).session_id).not.toBe(first.session_id);
    const id = '550E8400-e29b-41d4-a716-446655440000';
    world.bindings = [BindingConfig.parse({ ...chat, session: id })];
    expect((await world.send(event({ event_id: '3' }))).session_id).toBe(id.toLowerCase());
  });

  test('of somebody else cannot be entered by its id (case 7)', async () => {
    const id = '550e8400-e29b-41d4-a716-446655440000';
    const world = new EntryWorld([BindingConfig.parse({ ...chat, session: id })]);
    await world.send(event(), owner);
    expect(await status(world.send(event(), somebody))).toBe(404);
  });
});

describe('what is large', () => {
  test('becomes an artifact of the session that the event names by raw_ref', async () => {
    const world = new EntryWorld([chat]);
    const raw = { text: 'x'.repeat(200_000), name: 'Größe' };
    const { session_id } = await world.send(event({}, { raw, conversation: { thread_id: 't', bot_id: 'b' } }));
    const told = world.inputs()[0]?.payload.event;
    const bytes = Buffer.from(JSON.stringify(raw));
    expect(told?.raw_ref).toMatchObject({ size_bytes: bytes.length, mime_type: 'application/json' });
    const artifact_id = told?.raw_ref?.artifact_id ?? '';
    expect(await world.store.artifacts.get(artifact_id, 0)).toMatchObject({ session_id, workspace_id: 'local' });
    const read = await world.store.artifacts.read(artifact_id, { offset: 0, length: bytes.length }, 0);
    expect(Buffer.from(read ?? []).equals(bytes)).toBe(true);
  });

  test.each([
    [0, false],
    [1, true],
  ])('is data that is %i bytes over the limit: %s', async (over, isKept) => {
    const world = new EntryWorld([chat]);
    const text = 'x'.repeat(limits.event_data_bytes - JSON.stringify({ text: '' }).length + over);
    await world.send(event({ data: { text } }));
    const told = world.inputs()[0]?.payload.event;
    expect(told?.raw_ref !== null).toBe(isKept);
    expect(told?.data).toEqual(isKept ? {} : { text });
  });

  test('of an event that is refused is not kept, and sent again it is what was sent last', async () => {
    const world = new EntryWorld([BindingConfig.parse({ ...chat, session: SESSION })]);
    await world.send(event({ event_id: 'theirs' }), owner);
    expect(await status(world.send(event({}, { raw: { n: 1 } })))).toBe(404);
    const kept = await world.store.artifacts.page(SESSION, 0);
    expect(kept.rows).toEqual([]);
    const large = message('x'.repeat(limits.run_body_bytes), { event_id: 'large' }, { raw: { n: 1 } });
    world.bindings = [chat];
    expect(await status(world.send(large))).toBe(413);
    const { session_id } = await world.send(event({}, { raw: { n: 2 } }));
    const { rows } = await world.store.artifacts.page(session_id, 0);
    expect(rows).toHaveLength(1);
    const read = await world.store.artifacts.read(rows[0]?.artifact_id ?? '', { offset: 0, length: 100 }, 0);
    expect(Buffer.from(read ?? []).toString()).toBe('{"n":2}');
  });

  test('of an event that was cut short by a crash is not taken for that of another one', async () => {
    const world = new EntryWorld([chat]);
    const stuck = new EventGateway({
      sessions: { ...world.host.gateway, findEvent: async () => null, submitEvent: () => new Promise(() => undefined) },
      artifacts: world.store.artifacts,
      agents: world.agents,
      clock: world.host.clock,
      bindings: () => [chat],
      roster: () => [],
    });
    void stuck.accept(EventSubmission.parse(event({}, { raw: { n: 1 } })), somebody);
    await world.rest();
    await world.send(event({}, { raw: { n: 2 } }));
    const raw = world.inputs()[0]?.payload.event?.raw_ref?.artifact_id ?? '';
    const read = await world.store.artifacts.read(raw, { offset: 0, length: 100 }, 0);
    expect(Buffer.from(read ?? []).toString()).toBe('{"n":2}');
  });

  test('without a raw payload is refused before anything is told', async () => {
    const world = new EntryWorld([chat]);
    expect(await status(world.send(message('x'.repeat(limits.run_body_bytes))))).toBe(413);
    const both = event({ data: { text: 'x'.repeat(limits.event_data_bytes) } }, { raw: {} });
    expect(await status(world.send(both))).toBe(413);
    expect(world.inputs()).toEqual([]);
  });
});
