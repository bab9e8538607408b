import type { SessionMessage } from '@rostra/protocol/session/message';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ChatState, emptyChat } from '../../src/chat/chat-state.ts';
import { Telling } from '../../src/session/telling.ts';

function left(seq: number, agent_id: string): SessionMessage {
  return {
    id: `m${seq}`,
    session_id: 's',
    sender: { kind: 'session', id: 's' },
    target: 'FRONTEND',
    visibility: 'both',
    ts: seq,
    seq,
    epoch: 1,
    event: 'EVENT',
    subtype: 'AGENT_REMOVED',
    payload: { agent_id },
  };
}

describe('the past of a session', () => {
  const told: ChatState[] = [];
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    told.length = 0;
    vi.useRealTimers();
  });
  const begin = () => new Telling(emptyChat, 3, 150, (chat) => told.push(chat));

  it('is shown at once, with its last record', () => {
    const telling = begin();
    telling.take(left(2, 'guide'));
    expect(told).toEqual([]);
    telling.take(left(3, 'scout'));
    expect(told).toMatchObject([{ items: [{ text: 'guide left' }, { text: 'scout left' }] }]);
    expect(telling.isTold).toBe(true);
    vi.runAllTimers();
    expect(told).toHaveLength(1);
  });

  it('is shown when nothing more comes, since its last records may be none that are shown', () => {
    const telling = begin();
    telling.wait();
    vi.advanceTimersByTime(100);
    telling.take(left(2, 'guide'));
    vi.advanceTimersByTime(100);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(50);
    expect(told).toMatchObject([{ items: [{ text: 'guide left' }] }]);
  });

  it('is not shown to a page that was left', () => {
    const telling = begin();
    telling.take(left(1, 'guide'));
    telling.end();
    vi.runAllTimers();
    expect(told).toEqual([]);
  });
});
