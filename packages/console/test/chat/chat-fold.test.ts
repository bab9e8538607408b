import type { PayloadOf, SessionEvent, SessionMessage, SubtypeOf } from '@rostra/protocol/session/message';
import { describe, expect, it } from 'vitest';
import { foldMessage } from '../../src/chat/chat-fold.ts';
import { type ChatState, emptyChat, openToolCalls, runningTurn } from '../../src/chat/chat-state.ts';

let count = 0;

function message<E extends SessionEvent, S extends SubtypeOf<E>>(
  event: E,
  subtype: S,
  payload: PayloadOf<E, S>,
  more: Partial<SessionMessage> = {},
): SessionMessage {
  count += 1;
  const envelope = {
    id: `m${count}`,
    session_id: 's',
    sender: { kind: 'session', id: 's' },
    target: 'FRONTEND',
    visibility: 'both',
    turn_id: 't1',
    ts: count,
    epoch: 1,
    ...more,
  };
  // The compiler cannot see that event, subtype and payload belong together once they are in one object.
  return { ...envelope, event, subtype, payload } as SessionMessage;
}

function fold(messages: readonly SessionMessage[], from: ChatState = emptyChat): ChatState {
  return messages.reduce(foldMessage, from);
}

const input = message('USER_INPUT', 'INPUT', {
  input: { text: 'hello', contents: [{ type: 'text', text: 'hello' }], attachments: [], message_chain: null },
  data: {},
});
const accepted = message('EVENT', 'TURN_ACCEPTED', {
  agent_id: 'guide',
  state: 'dispatched',
  parent_turn_id: null,
  client_run_id: 'r1',
});
const started = message('AGENT_OUTPUT', 'message.started', { message_id: 'a1', agent_id: 'guide', channel: 'text' });
const completed = message('EVENT', 'TURN_COMPLETED', { agent_id: 'guide', run_id: 'run' });

function chunk(n: number, text: string, more: string[] = []): SessionMessage {
  return message('AGENT_OUTPUT', 'chunk', { message_id: 'a1', n, text, ...(more.length > 0 && { more }) });
}

describe('a conversation', () => {
  it('shows an input when its turn was accepted, and not before', () => {
    expect(fold([input]).items).toEqual([]);
    expect(fold([input, accepted]).items).toMatchObject([{ kind: 'user', text: 'hello', turnId: 't1' }]);
  });

  it('names what was sent with an input, so that it can be loaded', () => {
    const artifact = { artifact_id: 'f1', name: 'a.png', mime_type: 'image/png', size_bytes: 1, sha256: null };
    const contents = [{ type: 'image' as const, artifact }];
    const sent = message('USER_INPUT', 'INPUT', {
      input: { text: '', contents, attachments: [], message_chain: null },
      data: {},
    });
    expect(fold([sent, accepted]).items).toMatchObject([{ attached: [{ name: 'a.png', url: 'attachment:f1' }] }]);
  });

  it('puts the pieces of a message together in their order', () => {
    const chat = fold([input, accepted, started, chunk(0, 'a', ['b', 'c']), chunk(1, 'd')]);
    expect(chat.items.at(-1)).toMatchObject({ kind: 'agent', agentId: 'guide', text: 'abcd', isOpen: true });
  });

  it('shows the whole message in place of its pieces, once', () => {
    const whole = message('AGENT_OUTPUT', 'message', { message_id: 'a1', role: 'assistant', content: 'abc' });
    const chat = fold([input, accepted, started, chunk(0, 'ab'), whole, completed]);
    expect(chat.items).toHaveLength(2);
    expect(chat.items.at(-1)).toMatchObject({ text: 'abc', isOpen: false, fate: 'complete' });
  });

  it('names the agent of the turn for a message that was not announced', () => {
    const whole = message('AGENT_OUTPUT', 'message', { message_id: 'a9', role: 'assistant', content: 'hi' });
    const scout = message('EVENT', 'TURN_ACCEPTED', {
      agent_id: 'scout',
      state: 'dispatched',
      parent_turn_id: null,
      client_run_id: null,
    });
    expect(fold([scout, whole], { ...emptyChat, activeAgentId: 'guide' }).items).toMatchObject([{ agentId: 'scout' }]);
  });

  it('closes what is open when the turn is cancelled, and says so', () => {
    const canceled = message('EVENT', 'CANCELED', { agent_id: 'guide', run_id: 'run', forced: false, reason: '' });
    const chat = fold([input, accepted, started, chunk(0, 'half'), canceled]);
    expect(chat.items).toMatchObject([
      { kind: 'user' },
      { kind: 'agent', text: 'half', isOpen: false, fate: 'cancelled' },
      { kind: 'notice', text: 'Stopped' },
    ]);
    expect(chat.turns).toEqual([]);
  });

  it('says that a message was cut off which the session ended with its turn, and of no other', () => {
    const canceled = message('EVENT', 'CANCELED', { agent_id: 'guide', run_id: 'run', forced: false, reason: '' });
    const ended = message('AGENT_OUTPUT', 'message.ended', { message_id: 'a1', agent_id: 'guide' });
    const whole = message('AGENT_OUTPUT', 'message', { message_id: 'a1', role: 'assistant', content: 'half' });
    const call = message('AGENT_OUTPUT', 'tool.call.started', { tool_call_id: 'c1', tool_name: 'clock' });
    const fateAfter = (...rest: SessionMessage[]) =>
      fold([input, accepted, started, chunk(0, 'half'), ended, ...rest]).items.flatMap((item) =>
        item.kind === 'agent' ? [item.fate] : [],
      );
    expect(fateAfter(canceled)).toEqual(['cancelled']);
    expect(fateAfter(completed)).toEqual(['complete']);
    expect(fateAfter(whole, canceled)).toEqual(['complete']);
    expect(fateAfter(call, canceled)).toEqual(['complete']);
  });

  it('tells why a turn failed', () => {
    const failed = message('EVENT', 'TURN_FAILED', {
      agent_id: 'guide',
      run_id: 'run',
      code: 'runner.exited',
      message: 'The runner stopped.',
      retryable: true,
    });
    const notice = fold([input, accepted, failed]).items.at(-1);
    expect(notice).toMatchObject({ kind: 'notice', tone: 'error', text: 'The runner stopped.' });
  });

  it('knows the turn that runs, that one waits, and that one is being stopped', () => {
    const queued = message(
      'EVENT',
      'TURN_ACCEPTED',
      { agent_id: 'guide', state: 'queued', parent_turn_id: null, client_run_id: null },
      { turn_id: 't2' },
    );
    expect(runningTurn(fold([accepted, queued]))).toMatchObject({ id: 't1', state: 'running' });
    const sent = message('EVENT', 'CANCEL_SENT', { agent_id: 'guide' });
    expect(runningTurn(fold([accepted, queued, sent]))).toMatchObject({ id: 't1', state: 'stopping' });
    expect(runningTurn(fold([accepted, queued, completed]))).toMatchObject({ id: 't2', state: 'queued' });
  });

  it('keeps a handover open until it is decided', () => {
    const prompt = message(
      'CONTROL',
      'HANDOVER_UI_PROMPT',
      { from_agent_id: 'guide', target_agent_id: 'scout', reason: 'further', summary: '', output: '', until: 9 },
      { tx_id: 'x1' },
    );
    const chat = fold([prompt]);
    expect(chat.items).toMatchObject([{ kind: 'handover', id: 'x1', to: 'scout', outcome: null }]);
    const resolved = message(
      'CONTROL',
      'HANDOVER_RESOLVED',
      { outcome: 'confirmed', from_agent_id: 'guide', target_agent_id: 'scout', answered_by: 'owner' },
      { tx_id: 'x1' },
    );
    expect(fold([resolved], chat).items).toMatchObject([{ outcome: 'confirmed' }]);
  });

  it('shows nobody at work on a message while a question waits for its answer', () => {
    const opened = message('EVENT', 'INTERACTION_OPENED', {
      interaction_id: 'q1',
      purpose: 'question',
      kind: 'confirm',
      agent_id: 'guide',
      run_id: 'run',
      until: 9,
      request: {},
    });
    const chat = fold([accepted, started, chunk(0, 'Shall I'), opened]);
    expect(chat.items).toMatchObject([{ kind: 'agent', isOpen: false }, { kind: 'question' }]);
  });

  it('shows what is said after something else of the turn below that, and the whole message as its parts', () => {
    const tool = message('AGENT_OUTPUT', 'tool.call.started', { tool_call_id: 'c1', tool_name: 'look' });
    const chat = fold([accepted, started, chunk(0, 'I look. '), tool, chunk(1, 'I see'), chunk(2, ' it.')]);
    const parts = [
      { kind: 'agent', text: 'I look. ', isOpen: false },
      { kind: 'tool' },
      { kind: 'agent', text: 'I see it.', agentId: 'guide' },
    ];
    expect(chat.items).toMatchObject(parts);
    const whole = (content: string) =>
      message('AGENT_OUTPUT', 'message', { message_id: 'a1', role: 'assistant', content });
    expect(fold([whole('I look. I see it.')], chat).items).toMatchObject(parts);
    expect(fold([tool, whole('I look. I see it. So.')], chat).items).toMatchObject([
      ...parts.slice(0, 2),
      { text: 'I see it. So.', isOpen: false },
    ]);
    expect(fold([whole('Another story.')], chat).items).toMatchObject([{ kind: 'tool' }, { text: 'Another story.' }]);
    expect(fold([message('AGENT_OUTPUT', 'message.deleted', { message_id: 'a1' })], chat).items).toMatchObject([
      { kind: 'tool' },
    ]);
  });

  it('tells of no agent at work above a question that was answered', () => {
    const opened = message('EVENT', 'INTERACTION_OPENED', {
      interaction_id: 'q1',
      purpose: 'question',
      kind: 'confirm',
      agent_id: 'guide',
      run_id: 'run',
      until: 9,
      request: {},
    });
    const chat = fold([accepted, started, chunk(0, 'Shall I?'), opened, started, chunk(1, 'On we go.'), completed]);
    expect(chat.items).toMatchObject([
      { text: 'Shall I?', fate: 'complete' },
      { kind: 'question' },
      { text: 'On we go.', isOpen: false },
    ]);
    expect(new Set(chat.items.map(({ id }) => id)).size).toBe(3);
    const again = fold([accepted, started, chunk(0, 'Shall I?'), opened, started]);
    expect(again.items).toMatchObject([{ kind: 'agent', isOpen: false }, { kind: 'question' }]);
  });

  it('finds the calls of client tools that nobody has answered', () => {
    const opened = message('EVENT', 'INTERACTION_OPENED', {
      interaction_id: 'q1',
      purpose: 'client_tool',
      kind: 'client_tool',
      agent_id: 'guide',
      run_id: 'run',
      until: 9,
      request: { calls: [] },
    });
    const chat = fold([accepted, opened]);
    expect(openToolCalls(chat)).toHaveLength(1);
    const resolved = message('EVENT', 'INTERACTION_RESOLVED', {
      interaction_id: 'q1',
      outcome: 'answered',
      answer: null,
      answered_by: 'owner',
    });
    expect(openToolCalls(fold([resolved], chat))).toEqual([]);
  });

  it('tells again who joined, though it is known by now who is there', () => {
    const agent = { agent_id: 'scout', policy: { queue: 'enqueue', interruptible: true, steering: false } };
    const added = (existing: boolean) => message('EVENT', 'AGENT_ADDED', { agent, existing } as never);
    const there = { ...emptyChat, agents: ['guide', 'scout'] };
    expect(fold([added(false)], there)).toMatchObject({
      agents: ['guide', 'scout'],
      items: [{ text: 'scout joined' }],
    });
    expect(fold([added(true)], there).items).toEqual([]);
  });

  it('puts a message that was said anew in the place of what stood there', () => {
    const said = (turn_id: string, seq: number, from_seq?: number) => [
      message(
        'USER_INPUT',
        'INPUT',
        {
          input: { text: `said ${turn_id}`, contents: [], attachments: [], message_chain: null },
          data: {},
          ...(from_seq !== undefined && { branch: { from_seq } }),
        },
        { turn_id, seq },
      ),
      message(
        'EVENT',
        'TURN_ACCEPTED',
        { agent_id: 'guide', state: 'dispatched', parent_turn_id: null, client_run_id: null },
        { turn_id },
      ),
    ];
    const chat = fold([...said('t1', 4), started, completed, ...said('t2', 9), ...said('t3', 12, 9)]);
    expect(chat.items).toMatchObject([{ text: 'said t1' }, { kind: 'agent' }, { text: 'said t3' }]);
  });

  it('moves a question that waits to where it was asked', () => {
    const opened = message('EVENT', 'INTERACTION_OPENED', {
      interaction_id: 'q1',
      purpose: 'question',
      kind: 'confirm',
      agent_id: 'guide',
      run_id: 'run',
      until: 9,
      request: {},
    });
    const known = fold([opened]);
    expect(fold([input, accepted, opened], known).items).toMatchObject([{ kind: 'user' }, { kind: 'question' }]);
  });

  it('follows the roster and who is active', () => {
    const switched = message('CONTROL', 'SWITCH_AGENT', { from: 'guide', to: 'scout', reason: 'request' });
    const removed = message('EVENT', 'AGENT_REMOVED', { agent_id: 'guide' });
    const chat = fold([switched, removed], { ...emptyChat, agents: ['guide', 'scout'], activeAgentId: 'guide' });
    expect(chat).toMatchObject({ agents: ['scout'], activeAgentId: 'scout' });
    expect(chat.items).toMatchObject([{ text: 'scout takes over from guide' }, { text: 'guide left' }]);
  });
});
