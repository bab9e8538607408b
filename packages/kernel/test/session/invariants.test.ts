import { emptyContext, isIn, type SessionContext } from '@rostra/kernel/session/context';
import { deadlines } from '@rostra/kernel/session/deadlines';
import { step } from '@rostra/kernel/session/step';
import { kindOf, type SessionMessage } from '@rostra/protocol/session/message';
import { limits } from '@rostra/protocol/wire/limits';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasAgent, play, type Schedule, schedules } from './schedule.ts';

const RUNS = { numRuns: 150, seed: 11 };
const TERMINAL = ['TURN_COMPLETED', 'TURN_FAILED', 'CANCELED'];

interface Stepped {
  message: SessionMessage;
  before: SessionContext;
  after: SessionContext;
  publish: SessionMessage[];
}

function steps(schedule: Schedule): Stepped[] {
  let context = emptyContext('thread-1');
  return play(schedule).inputs.map((message) => {
    const before = context;
    const { context: after, publish } = step(before, message);
    context = after;
    return { message, before, after, publish };
  });
}

function holds(check: (all: Stepped[]) => void): void {
  fc.assert(
    fc.property(schedules({ commands: 60 }), (schedule) => check(steps(schedule))),
    RUNS,
  );
}

const frontend = (all: Stepped[]) =>
  all.flatMap(({ publish }) => publish).filter(({ target }) => target === 'FRONTEND');
const isTerminal = (message: SessionMessage) => message.event === 'EVENT' && TERMINAL.includes(message.subtype);

function byTurn(messages: SessionMessage[]): Map<string, SessionMessage[]> {
  const turns = new Map<string, SessionMessage[]>();
  for (const message of messages) {
    if (message.turn_id === undefined) continue;
    turns.set(message.turn_id, [...(turns.get(message.turn_id) ?? []), message]);
  }
  return turns;
}

describe('whatever happens, frontends see', () => {
  it('one speaker at a time: what two turns say never overlaps (SR-INV-S1)', () => {
    holds((all) => {
      let speaking: string | undefined;
      for (const message of frontend(all)) {
        if (message.event === 'AGENT_OUTPUT' && message.subtype === 'chunk') {
          expect(speaking ?? message.turn_id).toBe(message.turn_id);
          speaking = message.turn_id;
        }
        if (isTerminal(message) && message.turn_id === speaking) speaking = undefined;
      }
    });
  });

  it('one answer to every input: TURN_ACCEPTED or ERROR, in the same step (SR-INV-T1)', () => {
    holds((all) => {
      for (const { message, publish } of all) {
        if (message.event !== 'USER_INPUT') continue;
        const accepted = publish.filter((out) => out.subtype === 'TURN_ACCEPTED' && out.turn_id === message.turn_id);
        const refused = publish.filter((out) => out.subtype === 'REFUSED' && out.payload.ref === message.id);
        expect(accepted.length + refused.length).toBe(1);
      }
    });
  });

  it('TURN_ACCEPTED first, at most one start, at most one end, and nothing after it (SR-INV-T2, T7, O2)', () => {
    holds((all) => {
      for (const messages of byTurn(frontend(all)).values()) {
        const kinds = messages.map(({ subtype }) => subtype);
        expect(kinds.indexOf('TURN_ACCEPTED')).toBe(0);
        expect(kinds.filter((kind) => kind === 'AGENT_STARTED').length).toBeLessThanOrEqual(1);
        expect(messages.filter(isTerminal).length).toBeLessThanOrEqual(1);
        const end = messages.findIndex(isTerminal);
        if (end !== -1) expect(end).toBe(messages.length - 1);
      }
    });
  });

  it('no output after a cancel was accepted, and then nothing but CANCELED (SR-INV-O3, X9)', () => {
    holds((all) => {
      for (const messages of byTurn(frontend(all)).values()) {
        const sent = messages.findIndex(({ subtype }) => subtype === 'CANCEL_SENT');
        const after = sent === -1 ? [] : messages.slice(sent + 1);
        for (const { subtype } of after) expect(['CANCEL_TIMEOUT', 'CANCELED']).toContain(subtype);
      }
    });
  });

  it('chunks numbered 0, 1, 2 … and brackets around every message (SR-INV-O4)', () => {
    holds((all) => {
      for (const messages of byTurn(frontend(all)).values()) {
        let next = 0;
        let open: string | null = null;
        for (const message of messages) {
          if (message.event !== 'AGENT_OUTPUT') continue;
          if (message.subtype === 'message.started') expect(open).toBeNull();
          if (message.subtype === 'message.started') open = message.payload.message_id;
          if (message.subtype === 'message.ended') expect(message.payload.message_id).toBe(open);
          if (message.subtype === 'message.ended') open = null;
          if (message.subtype !== 'chunk') continue;
          expect([message.payload.n, message.payload.message_id]).toEqual([next, open]);
          next += 1 + (message.payload.more?.length ?? 0);
        }
        if (messages.some(isTerminal)) expect(open).toBeNull();
      }
    });
  });

  it('every change of the active agent as one switch, each beginning where the last ended (SR-INV-A3)', () => {
    holds((all) => {
      for (const { before, after, publish } of all) {
        const switches = publish.filter((out) => out.subtype === 'SWITCH_AGENT');
        const changed = before.active_agent_id !== after.active_agent_id;
        expect(switches.map(({ target }) => target)).toEqual(changed ? ['BROADCAST', 'FRONTEND'] : []);
        for (const { payload } of switches) {
          expect(payload).toMatchObject({ from: before.active_agent_id, to: after.active_agent_id });
        }
      }
    });
  });
});

describe('whatever happens, agents and the SessionManager', () => {
  it('never speak to frontends themselves: what those get comes from the session (SR-INV-O7)', () => {
    holds((all) => {
      for (const { publish } of all) {
        for (const { sender, session_id } of publish) {
          expect([sender, session_id]).toEqual([{ kind: 'session', id: 'thread-1' }, 'thread-1']);
        }
      }
    });
  });

  it('get one CANCEL per turn and one REQUEST_REMOVE_AGENT per attempt (SR-INV-X4)', () => {
    holds((all) => {
      const cancelled = new Map<string, number>();
      const removed = new Set<string>();
      for (const out of all.flatMap(({ publish }) => publish)) {
        if (out.event !== 'CONTROL') continue;
        if (out.subtype === 'CANCEL') cancelled.set(out.turn_id ?? '', (cancelled.get(out.turn_id ?? '') ?? 0) + 1);
        if (out.subtype !== 'REQUEST_REMOVE_AGENT') continue;
        const attempt = `${out.tx_id}#${out.payload.attempt}`;
        expect(removed).not.toContain(attempt);
        removed.add(attempt);
      }
      for (const times of cancelled.values()) expect(times).toBe(1);
    });
  });

  it('get a turn only if they are in the session, and each attempt at it once (SR-INV-A2, T10)', () => {
    holds((all) => {
      const sent = new Set<string>();
      for (const { after, publish } of all) {
        for (const out of publish) {
          const starts = out.target === 'AGENT' && (out.event === 'USER_INPUT' || out.subtype === 'HANDOVER_CONTEXT');
          if (!starts) continue;
          expect(isIn(after, out.target_id ?? '')).toBe(true);
          expect(sent).not.toContain(out.run_id);
          sent.add(out.run_id ?? '');
          expect(after.inflight[out.turn_id ?? '']).toBeDefined();
        }
      }
    });
  });

  it('are asked to remove or to close only when no turn of that agent, or none at all, lives (SR-INV-X3, H3)', () => {
    holds((all) => {
      for (const { after, publish } of all) {
        const targets = Object.values(after.inflight).map((turn) => turn.target_agent_id);
        for (const out of publish) {
          if (out.subtype === 'REQUEST_SESSION_CLOSE') expect(targets).toEqual([]);
          const own = out.tx_id !== undefined && Object.hasOwn(after.transactions, out.tx_id);
          if (out.subtype === 'REQUEST_REMOVE_AGENT' && own) expect(targets).not.toContain(out.payload.agent_id);
        }
      }
    });
  });
});

describe('whatever happens, the context', () => {
  it('keeps its bounds and its order (SR-INV-S6, X5, X8, H1, A7)', () => {
    holds((all) => {
      for (const { after } of all) {
        const txs = Object.values(after.transactions);
        expect(txs.length).toBeLessThanOrEqual(limits.transactions);
        expect(txs.filter((tx) => tx.kind === 'HANDOVER').length).toBeLessThanOrEqual(1);
        const accepted = after.queue.map((id) => after.inflight[id]?.accepted ?? 0);
        expect(accepted).toEqual([...accepted].sort((a, b) => a - b));
        if (after.state === 'CLOSED') {
          expect([after.inflight, after.transactions, deadlines(after)]).toEqual([{}, {}, []]);
        }
        if (Object.keys(after.agents_in_session).length === 0) {
          expect([after.active_agent_id, after.speaking_agent_id]).toEqual([null, null]);
        }
      }
    });
  });

  it('has one deadline for everything that is waited for, each with its own generation (SR-INV-T11)', () => {
    holds((all) => {
      for (const { after } of all) {
        const armed = deadlines(after).map(({ kind, turn_id, tx_id, gen }) => `${kind}:${turn_id ?? tx_id}:${gen}`);
        expect(new Set(armed).size).toBe(armed.length);
        for (const turn of Object.values(after.inflight)) {
          expect(turn.run_id === null ? turn.waiting.length : 1).toBeGreaterThan(0);
        }
      }
    });
  });

  it('never takes a turn back: target, trace and requester stay, a live turn ends with its event (SR-INV-T6, T2)', () => {
    holds((all) => {
      for (const { before, after, publish } of all) {
        for (const turn of Object.values(before.inflight)) {
          const { turn_id, target_agent_id, trace_id, requested_by } = turn;
          const now = after.inflight[turn_id];
          if (now === undefined)
            expect(publish.filter((out) => isTerminal(out) && out.turn_id === turn_id)).toHaveLength(1);
          else expect(now).toMatchObject({ target_agent_id, trace_id, requested_by });
        }
      }
    });
  });

  it('changes its roster only by a receipt or a removal, each with its event (SR-INV-A4)', () => {
    holds((all) => {
      for (const { before, after, publish } of all) {
        const was = Object.keys(before.agents_in_session);
        const is = Object.keys(after.agents_in_session);
        const told = publish.map(kindOf);
        if (is.some((id) => !was.includes(id))) {
          expect(told.some((kind) => kind === 'EVENT:AGENT_ADDED' || kind === 'EVENT:SESSION_OPENED')).toBe(true);
        }
        if (was.some((id) => !is.includes(id))) {
          expect(told.some((kind) => kind === 'EVENT:AGENT_REMOVED_LOCAL' || kind === 'EVENT:SESSION_CLOSED')).toBe(
            true,
          );
        }
      }
    });
  });
});

describe('whatever happened, once everybody falls silent', () => {
  it('every turn and every transaction ends by its own deadlines, and the session works (SR-INV-T3, X2, V1, V2, V3)', () => {
    let worked = 0;
    const check = fc.property(schedules({ commands: 60 }), (schedule) => {
      const bench = play(schedule);
      for (let rounds = 0; rounds < 60; rounds += 1) bench.advance(3_600_000);
      expect([bench.context.inflight, bench.context.transactions, deadlines(bench.context)]).toEqual([{}, {}, []]);
      if (bench.context.state !== 'OPEN' || !hasAgent(bench)) return;
      bench.say('still there?', { turn_id: 'probe' });
      bench.chunk('yes');
      bench.final();
      expect(bench.context.last_turn).toMatchObject({ turn_id: 'probe', status: 'COMPLETED' });
      worked += 1;
    });
    fc.assert(check, RUNS);
    expect(worked).toBeGreaterThan(RUNS.numRuns / 3);
  });
});
