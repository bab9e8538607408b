import { type KnownThread, projectAgui } from '@rostra/kernel/agui/projection';
import { AguiInput } from '@rostra/protocol/run-api/agui-input';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { limits } from '@rostra/protocol/wire/limits';
import { beforeEach, describe, expect, it } from 'vitest';
import { transcriptDrift } from '../../src/projection/transcript-rebuild.ts';
import { readThread } from '../../src/session/thread-reader.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { SESSION, TestHost } from './test-host.ts';

const principal = { workspace_id: 'w', user_id: 'u' };
let store: MemoryStore;
let host: TestHost;
/** How often the store was asked. */
let asked: number;

beforeEach(() => {
  store = new MemoryStore();
  host = new TestHost(store);
  asked = 0;
});

function submit(n: number, more: object = {}) {
  const submitted = host.gateway.submitRun({
    session_id: SESSION,
    principal,
    message_id: `run:${n}`,
    turn_id: `turn-${n}`,
    payload: {
      input: { text: `say ${n}`, contents: [], attachments: [], message_chain: null },
      client_run_id: String(n),
      client_message_id: `u${n}`,
      payload_hash: String(n),
      data: {},
      ...more,
    },
    open: {},
  });
  return settled(submitted);
}

async function settled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  for (let i = 0; i < 10; i += 1) {
    host.clock.settle();
    await Promise.resolve();
  }
  return promise;
}

/** One whole turn: its input and its answer. */
async function turn(n: number, more: object = {}): Promise<void> {
  await submit(n, more);
  host.ack();
  host.output('message', { message_id: `m${n}`, role: 'assistant', content: `answer ${n}` }, 0);
  host.output('final', {}, 1);
}

async function thread(...ids: string[]): Promise<KnownThread> {
  const messages = ids.map((id) => ({ id, role: id.startsWith('u') ? 'user' : 'assistant', content: id }));
  const body = AguiInput.parse({ threadId: SESSION, runId: 'r', messages });
  const { transcript } = store;
  const counted = {
    said: (session_id: string, names: readonly string[]) => {
      asked += 1;
      return transcript.said(session_id, names);
    },
    has: (session_id: string, where: object) => {
      asked += 1;
      return transcript.has(session_id, where);
    },
  };
  const driver = await settled(host.gateway.reach(SESSION, principal));
  return readThread(counted, driver, body, []);
}

describe('what a run came to before', () => {
  it('is told when it is committed, not before', async () => {
    await turn(1);
    const driver = await settled(host.gateway.reach(SESSION, principal));
    if (driver === null) throw new Error('no session');
    const submitting = submit(2);
    let found: unknown = null;
    while (driver.known.get('run:2') === undefined) await Promise.resolve();
    const finding = host.gateway.findKnown(driver, 'run:2').then((known) => {
      found = known;
      return store.findTurn('turn-2');
    });
    await submitting;
    expect(await settled(finding)).toMatchObject({ turn_id: 'turn-2' });
    expect(found).toMatchObject({ turn_id: 'turn-2' });
    expect(await settled(host.gateway.findKnown(driver, 'run:3'))).toBeNull();
  });
});

describe('a NUL, which a transcript cannot keep', () => {
  it('in the name and the words of a message does not make it another one', async () => {
    const [id, text] = ['u\0', 'say\0it'];
    const input = { text, contents: [], attachments: [], message_chain: null };
    await turn(1, { input, client_message_id: id });
    const messages = [{ id, role: 'user', content: text }];
    const body = AguiInput.parse({ threadId: SESSION, runId: 'r', messages });
    const driver = await settled(host.gateway.reach(SESSION, principal));
    const known = await readThread(store.transcript, driver, body, []);
    expect(projectAgui(body, known)).toMatchObject({ kind: 'regenerate' });
  });
});

describe('the same run again', () => {
  it('does not stop the turn that it began, though its message is known by now', async () => {
    await turn(1);
    await submit(2);
    host.ack();
    const seq = (await thread('u2')).find('user', 'u2')?.seq ?? 0;
    // Both were read while nobody knew the message; the second found it in the thread.
    const again = await submit(2, { branch: { from_seq: seq } });
    expect(again.turn_id).toBe('turn-2');
    expect(host.toAgents.filter(({ subtype }) => subtype === 'CANCEL')).toEqual([]);
  });

  it('that came while the store was asked for it is found', async () => {
    await turn(1);
    store.readNames = (_, done) => done(null, null);
    host = new TestHost(store);
    const driver = await settled(host.gateway.reach(SESSION, principal));
    if (driver === null) throw new Error('no session');
    const { findMessage } = store;
    const late: (() => void)[] = [];
    store.findMessage = (session_id, id, done) => {
      findMessage.call(store, session_id, id, (error, found) => late.push(() => done(error, found)));
    };
    const finding = host.gateway.findKnown(driver, 'run:2');
    store.findMessage = findMessage;
    await submit(2);
    for (const tell of late) tell();
    expect(await settled(finding)).toMatchObject({ turn_id: 'turn-2' });
  });
});

describe('what is known of a thread', () => {
  it('costs no look into the store for a new message, however much was said; an old one is looked up', async () => {
    const turns = limits.known_said * 2;
    for (let n = 1; n <= turns; n += 1) await turn(n);
    const known = await thread('u-new');
    expect(known.isNew).toBe(false);
    expect(known.find('user', 'u-new')).toBeNull();
    expect(asked).toBe(0);
    expect((await thread('u1')).find('user', 'u1')).toMatchObject({ text: 'say 1' });
    expect(asked).toBe(1);
  });

  it('is nothing where there is none, and the store is not asked', async () => {
    expect(await thread('u1')).toMatchObject({ isNew: true, open: [] });
    expect(asked).toBe(0);
  });

  it('is in memory while the session is: a run asks no store', async () => {
    await turn(1);
    await turn(2);
    const known = await thread('u1', 'm1', 'u2', 'm2', 'u3');
    expect(known.find('user', 'u1')).toMatchObject({ text: 'say 1', media: [] });
    expect(known.find('assistant', 'm2')).not.toBeNull();
    expect(known.find('user', 'm2')).toBeNull();
    expect(known.find('user', 'u3')).toBeNull();
    expect(asked).toBe(0);
  });

  it('is read once after a restart, and in memory from the next turn on', async () => {
    await turn(1);
    host = new TestHost(store);
    const known = await thread('u1', 'm1', 'u2');
    expect(known.find('assistant', 'm1')).not.toBeNull();
    expect(known.find('user', 'u2')).toBeNull();
    expect(asked).toBe(1);
    await turn(2);
    await thread('u1', 'm1', 'u2', 'm2', 'u3');
    expect(asked).toBe(1);
  });

  it('costs no look into the store for a new message after a restart; a message from before is looked up', async () => {
    await turn(1);
    host = new TestHost(store);
    const found: string[] = [];
    const { findMessage } = store;
    store.findMessage = (session_id, id, done) => {
      found.push(id);
      findMessage.call(store, session_id, id, done);
    };
    expect((await thread('u2')).isNew).toBe(false);
    await turn(2);
    expect([asked, found]).toEqual([0, []]);
    expect((await thread('u1')).find('user', 'u1')).toMatchObject({ text: 'say 1' });
    expect((await submit(1)).turn_id).toBe('turn-1');
    expect([asked, found]).toEqual([1, ['run:1']]);
  });

  it('reaches back behind a message that is edited, though memory holds nothing before it', async () => {
    await turn(1);
    host = new TestHost(store);
    await turn(2);
    const messages = [
      { id: 'u1', role: 'user', content: 'say 1' },
      { id: 'm1', role: 'assistant', content: 'answer 1' },
      { id: 'u2', role: 'user', content: 'say something else' },
    ];
    const body = AguiInput.parse({ threadId: SESSION, runId: 'r', messages });
    const driver = await settled(host.gateway.reach(SESSION, principal));
    const known = await readThread(store.transcript, driver, body, []);
    expect(projectAgui(body, known)).toMatchObject({ kind: 'edit', from_seq: known.find('user', 'u2')?.seq });
  });

  it('is not new after a restart, though the client knows nothing of it', async () => {
    await turn(1);
    host = new TestHost(store);
    expect((await thread('u7')).isNew).toBe(false);
  });

  it('goes on from memory in a thread that is longer than memory reaches back', async () => {
    const turns = limits.known_said;
    for (let n = 1; n <= turns; n += 1) await turn(n);
    const known = await thread(`u${turns}`, `m${turns}`, 'u-new');
    expect(known.find('assistant', `m${turns}`)).not.toBeNull();
    expect(asked).toBe(0);
    expect((await thread('u1')).find('user', 'u1')).not.toBeNull();
    expect(asked).toBe(1);
  });

  it('has no messages that were taken back, and a turn that is taken back is stopped', async () => {
    await turn(1);
    await turn(2);
    const seq = (await thread('u2')).find('user', 'u2')?.seq ?? 0;
    await submit(3, { branch: { from_seq: seq } });
    const known = await thread('m1');
    expect([known.find('user', 'u2'), known.find('assistant', 'm2')]).toEqual([null, null]);
    expect(known.find('user', 'u3')).not.toBeNull();
    await submit(4, { branch: { from_seq: seq } });
    const cancel = host.toAgents.findLast(({ event, subtype }) => event === 'CONTROL' && subtype === 'CANCEL');
    expect(cancel).toMatchObject({ turn_id: 'turn-3' });
    // All of it is in the log, from which the transcript can be made again.
    expect(await transcriptDrift({ log: store, transcript: store.transcript }, SESSION)).toBeNull();
    const { rows } = await store.transcript.page(SESSION);
    expect(rows.map(({ content }) => content)).toEqual(['say 1', 'answer 1', 'say 4']);
  });

  it('takes back the turn that a handover began, too', async () => {
    await submit(1);
    host.ack();
    const { turn_id, run_id, target_id, epoch } = host.lastInput();
    if (turn_id === undefined || run_id === undefined || target_id === undefined) throw new Error('no run');
    const from = { kind: 'agent' as const, id: target_id };
    const about = { id: 'ask', session_id: SESSION, sender: from, target: 'SYSTEM' as const, ts: 0, epoch };
    const payload = { target_agent_id: 'scout', reason: 'r', summary: '' };
    const request = MessageFactory.control('HANDOVER_REQUEST', payload, { ...about, turn_id, run_id, sequence: 0 });
    host.bus.publish('session', request);
    host.clock.settle();
    host.output('final', {}, 1);
    const driver = await settled(host.gateway.reach(SESSION, principal));
    const [interaction_id = ''] = Object.keys(driver?.context.transactions ?? {});
    const answer = { action_id: 'confirm', values: {} };
    const confirming = { session_id: SESSION, principal, interaction_id, purpose: 'handover' as const, answer };
    expect(await settled(host.gateway.answer(confirming))).toBe(true);
    const seq = (await thread('u1')).find('user', 'u1')?.seq ?? 0;
    await submit(2, { branch: { from_seq: seq } });
    const cancel = host.toAgents.findLast(({ event, subtype }) => event === 'CONTROL' && subtype === 'CANCEL');
    expect(cancel).toMatchObject({ turn_id: `${interaction_id}.turn`, target_id: 'scout' });
  });
});
