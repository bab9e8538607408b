import type { LiveTurn } from '@rostra/protocol/run-api/session-api';
import { describe, expect, it } from 'vitest';
import { firstRetold, RETOLD } from '../../src/session/retelling.ts';

const row = (seq: number, taskId: string | null, role = 'assistant') => ({ seq, taskId, role });

function live(firstSeq: number): LiveTurn {
  return {
    taskId: 'live',
    agentId: 'guide',
    clientRunId: null,
    runId: null,
    attempt: 1,
    status: 'running',
    waitingFor: [],
    requestedBy: 'owner',
    firstSeq,
    createdAt: '',
  };
}

const lastSeq = RETOLD + 1000;

describe('what is told again', () => {
  it('is all of a session that is not long, also one that another page began', () => {
    expect(firstRetold({ lastSeq: RETOLD, inflight: [] }, [])).toBe(1);
  });

  it('begins in a long session with what a person said within the newest records', () => {
    const rows = [row(900, 't1', 'user'), row(1100, 't1'), row(1200, 't2', 'user'), row(1300, 't2')];
    expect(firstRetold({ lastSeq, inflight: [] }, rows)).toBe(1200);
  });

  it('begins with no words during which another turn was still under way', () => {
    const rows = [row(1100, 't1', 'user'), row(1150, 't2', 'user'), row(1200, 't1'), row(1250, 't2')];
    expect(firstRetold({ lastSeq, inflight: [] }, [row(1050, 't0'), ...rows])).toBe(1100);
    expect(firstRetold({ lastSeq, inflight: [] }, [row(900, 't1', 'user'), ...rows.slice(1)])).toBe(lastSeq + 1);
  });

  it('has every turn that goes on from its first record', () => {
    const rows = [row(1500, 't1', 'user'), row(1600, 't1')];
    expect(firstRetold({ lastSeq, inflight: [live(1400)] }, rows)).toBe(1400);
    expect(firstRetold({ lastSeq, inflight: [live(1700)] }, rows)).toBe(1500);
  });
});
