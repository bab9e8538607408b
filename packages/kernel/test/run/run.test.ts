import { forcedStop } from '@rostra/kernel/run/forced-stop';
import {
  acceptRun,
  cancelRun,
  endRun,
  lastInstant,
  moveOn,
  newRun,
  noteUsage,
  pauseRun,
  type Run,
  resumeRun,
  sendRun,
} from '@rostra/kernel/run/run';
import { timeouts } from '@rostra/protocol/wire/limits';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identity } from './identity.ts';

const starting = newRun(identity, 1000);
const sent = sendRun(starting);
const running = acceptRun(sent).run;

describe('a further attempt', () => {
  const resume = { attempt: 2, said: 'half', message_id: 't1.1.m1', channel: 'text' as const, next_chunk: 4 };

  test('goes on in the message that was left open, behind its last piece', () => {
    expect(newRun(identity, 1000, resume)).toMatchObject({
      open: { message_id: 't1.1.m1', channel: 'text' },
      chunks: 4,
      next_sequence: 0,
    });
  });

  test('with no message open begins one of its own, and still counts on', () => {
    expect(newRun(identity, 1000, { ...resume, message_id: null })).toMatchObject({ open: null, chunks: 4 });
  });
});

describe('usage', () => {
  test('is unknown until a result says something, and then what the newest one said', () => {
    expect(running.usage).toBeNull();
    expect(noteUsage(running, undefined)).toBe(running);
    expect(noteUsage(running, null)).toBe(running);
    const told = noteUsage(noteUsage(running, { tokens: 1 }), { tokens: 5 });
    expect(told.usage).toEqual({ tokens: 5 });
    expect(moveOn(told, 3, 4, 5).usage).toEqual({ tokens: 5 });
  });
});

describe('a forced stop', () => {
  test.each([
    ['run', null, 'kill'],
    ['run', true, 'kill'],
    ['session', null, 'ping'],
    ['session', true, 'drain'],
    ['shared', null, 'ping'],
    ['shared', true, 'drain'],
    ['shared', false, 'kill'],
  ] as const)('of a process for %s, ping answered %s: %s', (sharing, answered, next) => {
    expect(forcedStop(sharing, answered)).toBe(next);
  });
});

describe('accepting', () => {
  test('the first RUN_ACCEPTED is due as INPUT_ACK, a second one says nothing new', () => {
    expect(acceptRun(sent)).toEqual({ run: { ...sent, phase: 'running' }, first: true });
    expect(acceptRun(running)).toEqual({ run: running, first: false });
  });

  test('a run that no runner has, or that is over, cannot be accepted', () => {
    expect(acceptRun(starting).first).toBe(false);
    expect(acceptRun(endRun(sent, 'failed').run).first).toBe(false);
  });

  test('a run is sent once', () => {
    expect(sendRun(running)).toBe(running);
  });
});

describe('cancelling', () => {
  test('the runner is asked once', () => {
    const { run, next } = cancelRun(running, 7);
    expect(next).toBe('ask');
    expect(run.cancel_requested_at).toBe(7);
    expect(cancelRun(run, 9)).toEqual({ run, next: 'ignore' });
  });

  test('a run that was sent and not accepted is cancelled like a running one', () => {
    expect(cancelRun(sent, 7).next).toBe('ask');
  });

  test('a run that no runner has is over at once', () => {
    const { run, next } = cancelRun(starting, 7);
    expect(next).toBe('ended');
    expect(run.phase).toBe('ended');
  });

  test('a run that is over is not cancelled', () => {
    expect(cancelRun(endRun(running, 'completed').run, 7).next).toBe('ignore');
  });
});

describe('ending', () => {
  const cancelled = cancelRun(running, 7).run;
  test.each([
    [running, 'completed', 'final'],
    [running, 'failed', 'failed'],
    [running, 'stopped', 'cancel_ack'],
    [running, 'abandoned', null],
    [cancelled, 'completed', 'cancel_ack'],
    [cancelled, 'failed', 'cancel_ack'],
    [cancelled, 'stopped', 'cancel_ack'],
    [cancelled, 'abandoned', null],
  ] as const)('%#: an end tells the session what it must hear', (run, end, tell) => {
    expect(endRun(run, end)).toEqual({ run: { ...run, phase: 'ended' }, tell });
  });

  test('exactly one end is told, whatever comes in whatever order (SR-INV-R1)', () => {
    const act = fc.constantFrom('send', 'accept', 'cancel', 'completed', 'failed', 'stopped', 'abandoned');
    fc.assert(
      fc.property(fc.array(act, { maxLength: 12 }), (acts) => {
        let run: Run = starting;
        const told: string[] = [];
        for (const name of acts) {
          if (name === 'send') run = sendRun(run);
          else if (name === 'accept') run = acceptRun(run).run;
          else if (name === 'cancel') {
            const cancel = cancelRun(run, 7);
            if (cancel.next === 'ended') told.push('cancel_ack');
            run = cancel.run;
          } else {
            const end = endRun(run, name);
            if (end.tell !== null) told.push(end.tell);
            run = end.run;
          }
        }
        expect(told.length).toBeLessThanOrEqual(1);
        if (run.cancel_requested_at !== null && told.length === 1) expect(told).toEqual(['cancel_ack']);
      }),
    );
  });
});

describe('the deadline', () => {
  test('stands still while a person is asked and moves by the time waited', () => {
    const asked = pauseRun(running, 'i1', 400);
    expect(lastInstant(asked)).toBe(1000 + timeouts.interaction_max);
    const answered = resumeRun(asked, 'i1', 700);
    expect(answered.paused_at).toBeNull();
    expect(lastInstant(answered)).toBe(1300);
  });

  test('runs on only when the last of several questions is answered', () => {
    const asked = pauseRun(pauseRun(running, 'i1', 400), 'i2', 500);
    const one = resumeRun(asked, 'i1', 600);
    expect(one.paused_at).toBe(400);
    expect(lastInstant(resumeRun(one, 'i2', 900))).toBe(1500);
  });

  test('is moved by no question for more than the longest wait', () => {
    const asked = pauseRun(running, 'i1', 0);
    expect(lastInstant(resumeRun(asked, 'i1', 10 * timeouts.interaction_max))).toBe(1000 + timeouts.interaction_max);
  });

  test('an answer to an unknown question and a repeated question change nothing', () => {
    expect(resumeRun(running, 'i1', 500)).toBe(running);
    const asked = pauseRun(running, 'i1', 400);
    expect(pauseRun(asked, 'i1', 500)).toBe(asked);
  });
});
