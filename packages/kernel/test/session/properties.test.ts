import { onChunk } from '@rostra/kernel/session/agent-output';
import { chunkText } from '@rostra/kernel/session/chunk';
import { dispatchedTurn, emptyContext, type SessionContext } from '@rostra/kernel/session/context';
import { Draft } from '@rostra/kernel/session/draft';
import { forwardedChunk } from '@rostra/kernel/session/forwarded-chunk';
import { settled } from '@rostra/kernel/session/speech';
import { step } from '@rostra/kernel/session/step';
import { kindOf, type SessionMessage } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Command, play, run, schedules } from './schedule.ts';
import { driver, kinds } from './session-bench.ts';
import { strangers } from './strangers.ts';

const RUNS = { numRuns: 180, seed: 7 };
const json = (value: unknown) => JSON.stringify(value);
const copy = <T>(value: T): T => JSON.parse(json(value)) as T;

describe('P1: the log is the session', () => {
  it('stepping the log again, read back as JSON, gives the same context and the same messages (SR-INV-L3)', () => {
    const check = fc.property(schedules(), (schedule) => {
      const bench = play(schedule);
      const again = run(copy(bench.inputs));
      expect(json(again.context)).toBe(json(bench.context));
      expect(json(again.published)).toBe(json(bench.published));
    });
    fc.assert(check, RUNS);
  });

  it('from any stored context the rest of the log leads to the same end (SR-INV-L4)', () => {
    const check = fc.property(schedules(), fc.nat(200), (schedule, cut) => {
      const { inputs, context } = play(schedule);
      const at = cut % inputs.length;
      const stored = copy(run(inputs.slice(0, at)).context);
      expect(json(run(inputs.slice(at), stored).context)).toBe(json(context));
    });
    fc.assert(check, RUNS);
  });
});

describe('P2: repeats', () => {
  // A client's repeats are found by their id before they are stepped. RUN_ALIVE is left out: it has no number, and one
  // that comes again is one more sign of life; it is never seen by anyone.
  const canRepeat = (message: SessionMessage) => message.sender.kind !== 'user' && message.subtype !== 'RUN_ALIVE';

  it('a message of an agent, the SessionManager or a timer that had an effect has none when it comes again', () => {
    let repeats = 0;
    const check = fc.property(
      schedules(),
      fc.array(fc.tuple(fc.nat(200), fc.nat(200)), { minLength: 10 }),
      (schedule, picks) => {
        const { inputs, context, published } = play(schedule);
        const noisy: SessionMessage[][] = inputs.map((message) => [message]);
        for (const [which, where] of picks) {
          const index = which % inputs.length;
          const message = inputs[index];
          const later = index + (where % (inputs.length - index));
          const at = inputs[later];
          if (message === undefined || at === undefined || !canRepeat(message)) continue;
          noisy[later]?.push({ ...message, ts: at.ts, seq: 10_000 });
          repeats += 1;
        }
        const again = run(noisy.flat());
        expect(json(again.context)).toBe(json(context));
        expect(json(again.published)).toBe(json(published));
      },
    );
    fc.assert(check, RUNS);
    expect(repeats).toBeGreaterThan(RUNS.numRuns);
  });

  it('RUN_ALIVE that comes again is one more sign of life, and nobody sees it', () => {
    const bench = play({ options: { agents: ['ada'] }, commands: [{ name: 'say', pick: 0, pieces: [] }] });
    bench.ack();
    bench.advance(10);
    const alive = bench.make('CONTROL', 'RUN_ALIVE', {}, bench.fromAgent());
    expect(bench.take(alive)).toEqual([]);
    expect(bench.take({ ...alive, ts: alive.ts + 5 })).toEqual([]);
    expect(bench.turn.last_output_at).toBe(alive.ts + 5);
  });
});

describe('P3: strangers', () => {
  it('foreign, unauthorised, stale and unknown messages anywhere change nothing (case 57)', () => {
    const check = fc.property(
      schedules(),
      fc.array(fc.tuple(fc.nat(200), fc.nat(500)), { minLength: 10 }),
      (schedule, picks) => {
        const { inputs, context, published } = play(schedule);
        let current = emptyContext('thread-1');
        const seen: SessionMessage[] = [];
        for (const [index, message] of inputs.entries()) {
          const stepped = step(current, message);
          current = stepped.context;
          seen.push(...stepped.publish);
          for (const [where, which] of picks) {
            if (where % inputs.length !== index) continue;
            const stranger = strangers(current, message, which);
            expect(step(current, stranger), kindOf(stranger)).toEqual({ context: current, publish: [] });
          }
        }
        expect(json([current, seen])).toBe(json([context, published]));
      },
    );
    fc.assert(check, RUNS);
  });
});

describe('P4: two sessions', () => {
  it('however their messages are mixed, each session lives as if it were alone', () => {
    const check = fc.property(
      schedules(),
      schedules(),
      fc.array(fc.boolean(), { maxLength: 100 }),
      (one, two, order) => {
        const first = play(one, 'thread-1');
        const second = play(two, 'thread-2');
        const left = [...first.inputs];
        const right = [...second.inputs];
        const mixed = order.flatMap((isLeft) => (isLeft ? left : right).shift() ?? []);
        mixed.push(...left, ...right);
        expect(json(run(mixed, emptyContext('thread-1')))).toBe(
          json({ context: first.context, published: first.published }),
        );
        expect(json(run(mixed, emptyContext('thread-2')))).toBe(
          json({ context: second.context, published: second.published }),
        );
      },
    );
    fc.assert(check, { ...RUNS, numRuns: 60 });
  });
});

describe('P5: a restart', () => {
  const restamp = (message: SessionMessage, epoch: number) => ({ ...message, epoch });
  /** All but the epoch, in what words questions are closed, and whether the stop of a cancelled turn counts as forced. */
  const normal = (value: unknown) =>
    json(value)
      .replace(/"epoch":\d+/g, '')
      .replace(/"forced":(true|false)/g, '')
      .replace(/"unreported":\[[^\]]*\]/g, '')
      .replace(/"outcome":"run_(lost|ended)"/g, '');

  /**
   * Nothing of a restart but SESSION_RECOVERED is stepped. Where no turn is dispatched it changes the epoch alone. Where
   * one is, it does what that turn's own agent would have done by reporting `host.restarted` at this point, and the rest
   * of the log has the same effect as after that; what the old runs still say has none. So the restart's own messages
   * are exactly the end of the one run that is lost.
   */
  it('at any point does what the lost run would have done by failing there, and nothing else', () => {
    let idle = 0;
    let busy = 0;
    const check = fc.property(schedules({ without: ['recover'], resumable: false }), fc.nat(200), (schedule, cut) => {
      const { inputs } = play(schedule);
      const at = 1 + (cut % (inputs.length - 1));
      const before = run(inputs.slice(0, at)).context;
      const { ts, session_id, epoch } = before;
      const envelope = { id: 'restart', session_id, target: 'SYSTEM' as const, ts, seq: 5_000, epoch };
      const recovered = MessageFactory.control('SESSION_RECOVERED', { epoch: 2 }, { ...envelope, sender: driver });
      const crashed = step(copy(before), recovered);
      const turn = dispatchedTurn(before);
      const failed = turn === null ? { context: before, publish: [] } : step(before, hostRestarted(before, envelope));
      if (turn === null) idle += 1;
      else busy += 1;
      const rest = inputs.slice(at);
      const after = run(
        rest.map((message) => restamp(message, 2)),
        crashed.context,
      );
      const twin = run(rest, failed.context);
      expect(normal([crashed.publish, after])).toBe(normal([failed.publish, twin]));
    });
    fc.assert(check, RUNS);
    expect(Math.min(idle, busy)).toBeGreaterThan(20);
  });

  function hostRestarted(context: SessionContext, envelope: Parameters<typeof MessageFactory.event>[2] | object) {
    const turn = dispatchedTurn(context);
    if (turn?.run_id == null) throw new Error('no turn is dispatched');
    const payload = {
      code: 'host.restarted',
      message: 'the host was restarted while this turn was running',
      retryable: true,
    };
    const sender = { kind: 'agent' as const, id: turn.target_agent_id };
    const about = { turn_id: turn.turn_id, run_id: turn.run_id, sender };
    return { ...envelope, ...about, event: 'ERROR', subtype: 'RUN_FAILED', payload } as SessionMessage;
  }
});

describe('P6: time', () => {
  const instants = new Set([
    'ts',
    'until',
    'created_at',
    'dispatched_at',
    'turn_until',
    'paused_at',
    'last_output_at',
    'first_output_at',
  ]);
  const shifted = <T>(value: T, by: number): T => {
    const reviver = (key: string, each: unknown) => (instants.has(key) && typeof each === 'number' ? each + by : each);
    return JSON.parse(json(value), reviver) as T;
  };

  it('shifted by any constant, everything happens as before, at instants shifted by it', () => {
    const check = fc.property(schedules(), fc.integer({ min: -(10 ** 12), max: 10 ** 13 }), (schedule, by) => {
      const { inputs, context, published } = play(schedule);
      const later = run(shifted(inputs, by));
      expect(json(later)).toBe(json(shifted({ context, published }, by)));
    });
    fc.assert(check, RUNS);
  });
});

describe('P7: names', () => {
  /** Other names of the same length, so that sizes stay: every letter becomes the next one. */
  const renamed = <T>(value: T): T => {
    const next = (letter: string) => String.fromCharCode(letter.charCodeAt(0) + 1);
    const ids = /\b(ada|bob|cy|thread-1|workspace-1|[mtq]\d+|call-1)\b/g;
    return JSON.parse(json(value).replace(ids, (id) => id.replace(/[a-z]/g, next))) as T;
  };

  it('renamed consistently, everything happens as before under the new names', () => {
    const check = fc.property(schedules(), (schedule) => {
      const { inputs, context, published } = play(schedule);
      const again = run(renamed(inputs), emptyContext(renamed('thread-1')));
      expect(json(again)).toBe(json(renamed({ context, published })));
    });
    fc.assert(check, RUNS);
  });
});

describe('P8: how text is cut', () => {
  const joined = (command: Command): Command => ({ ...command, pieces: [command.pieces.join('')] });

  /** What everybody got, with adjacent chunks of one message as one, and without what counts chunks. */
  function transcript(messages: SessionMessage[]): string {
    const lines: unknown[] = [];
    let open: { message_id: string; text: string } | undefined;
    for (const { event, subtype, target, target_id, turn_id, payload, ...rest } of messages) {
      if (event === 'AGENT_OUTPUT' && subtype === 'chunk') {
        if (open?.message_id === payload.message_id) {
          open.text += chunkText(payload);
          continue;
        }
        open = { message_id: payload.message_id, text: chunkText(payload) };
        lines.push(open);
      } else {
        open = undefined;
        lines.push({ kind: `${event}:${subtype}`, target, target_id, turn_id, payload, ts: rest.ts });
      }
    }
    // Ids of messages hold their number in the run, which counts chunks.
    return json(lines).replace(/(\.1):\d+/g, '$1:_');
  }

  it('split or merged chunks give the same transcript, and the same text to whoever takes over', () => {
    let cuts = 0;
    const check = fc.property(schedules({ without: ['gap'] }), (schedule) => {
      const split = play(schedule);
      const merged = play({ ...schedule, commands: schedule.commands.map(joined) });
      cuts += split.inputs.length - merged.inputs.length;
      expect(transcript(merged.published)).toBe(transcript(split.published));
      expect(merged.context.last_turn?.collected_output).toBe(split.context.last_turn?.collected_output);
    });
    fc.assert(check, RUNS);
    expect(cuts).toBeGreaterThan(RUNS.numRuns);
  });

  it('pieces that come together give the same transcript as pieces that come one by one', () => {
    let merged = 0;
    const check = fc.property(schedules({ without: ['gap'] }), (schedule) => {
      const together = (name: string) => (command: Command) =>
        command.name.startsWith('chunk') ? { ...command, name } : command;
      const apart = play({ ...schedule, commands: schedule.commands.map(together('chunk')) });
      const joint = play({ ...schedule, commands: schedule.commands.map(together('chunks')) });
      merged += apart.inputs.length - joint.inputs.length;
      expect(transcript(joint.published)).toBe(transcript(apart.published));
      // Places in the log differ, for there are fewer records, and so does how much is kept beyond the tail.
      const placeless = ({ context }: { context: SessionContext }) =>
        json(settled(context)).replace(
          /"(input_seq|context_seq|joined_seq|opened_seq|collected_output)":([\d.]+|"[^"]*")/g,
          '',
        );
      expect(placeless(joint)).toBe(placeless(apart));
      expect(joint.context.last_turn?.collected_output).toBe(apart.context.last_turn?.collected_output);
    });
    fc.assert(check, RUNS);
    expect(merged).toBeGreaterThan(RUNS.numRuns);
  });

  it('a chunk that is merely forwarded takes a shorter way to the same result', () => {
    let short = 0;
    const check = fc.property(schedules(), (schedule) => {
      let context = emptyContext('thread-1');
      for (const message of play(schedule).inputs) {
        const fast = forwardedChunk(context, message);
        if (fast !== null && message.event === 'AGENT_OUTPUT' && message.subtype === 'chunk') {
          short += 1;
          const d = new Draft(settled(context), message);
          onChunk(d, message);
          const shorter = { context: settled(fast.context), publish: fast.publish };
          expect(json(shorter)).toBe(json({ context: { ...d.context, ts: message.ts }, publish: d.publish }));
        }
        context = step(context, message).context;
      }
    });
    fc.assert(check, RUNS);
    expect(short).toBeGreaterThan(RUNS.numRuns);
  });
});

describe('the schedules', () => {
  it('reach every kind that a session can publish', () => {
    const seen = new Set<string>();
    const check = fc.property(schedules(), (schedule) => {
      for (const kind of kinds(play(schedule).published)) seen.add(kind);
    });
    fc.assert(check, { ...RUNS, numRuns: 300 });
    expect([...seen].sort()).toEqual([...published].sort());
  });
});

const published = [
  'AGENT_OUTPUT:chunk',
  'AGENT_OUTPUT:final',
  'AGENT_OUTPUT:message',
  'AGENT_OUTPUT:message.ended',
  'AGENT_OUTPUT:message.started',
  'AGENT_OUTPUT:tool.call.completed',
  'AGENT_OUTPUT:tool.call.started',
  'CONTROL:CANCEL',
  'CONTROL:HANDOVER_CONTEXT',
  'CONTROL:HANDOVER_REJECTED',
  'CONTROL:HANDOVER_RESOLVED',
  'CONTROL:HANDOVER_UI_PROMPT',
  'CONTROL:INTERACTION_ANSWERED',
  'CONTROL:INTERACTION_EXPIRED',
  'CONTROL:REQUEST_ADD_AGENT',
  'CONTROL:REQUEST_REMOVE_AGENT',
  'CONTROL:REQUEST_SESSION_CLOSE',
  'CONTROL:REQUEST_SESSION_OPEN',
  'CONTROL:REQUEST_TERMINATE_RUN',
  'CONTROL:SWITCH_AGENT',
  'ERROR:ADD_AGENT_FAILED',
  'ERROR:AGENT_FAILED',
  'ERROR:CANCEL_TIMEOUT',
  'ERROR:REFUSED',
  'ERROR:REMOVE_AGENT_FAILED',
  'ERROR:ROUTE_TIMEOUT',
  'ERROR:SESSION_FAILED',
  'EVENT:ACTIVE_AGENT_CHANGED',
  'EVENT:ADDING_AGENT',
  'EVENT:AGENT_ADDED',
  'EVENT:AGENT_REMOVED',
  'EVENT:AGENT_REMOVED_LOCAL',
  'EVENT:AGENT_REMOVING',
  'EVENT:AGENT_STARTED',
  'EVENT:CANCELED',
  'EVENT:CANCEL_SENT',
  'EVENT:INTERACTION_OPENED',
  'EVENT:INTERACTION_RESOLVED',
  'EVENT:NO_ACTIVE_SPEAKING',
  'EVENT:SESSION_CLOSED',
  'EVENT:SESSION_OPENED',
  'EVENT:TURN_ACCEPTED',
  'EVENT:TURN_COMPLETED',
  'EVENT:TURN_DISPATCHED',
  'EVENT:TURN_FAILED',
  'EVENT:TURN_RESUMED',
  'USER_INPUT:INPUT',
];
