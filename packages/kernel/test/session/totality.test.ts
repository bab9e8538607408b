import { assertStep } from '@rostra/kernel/session/assertions';
import { dispatchedTurn, type SessionContext } from '@rostra/kernel/session/context';
import { deadlines } from '@rostra/kernel/session/deadlines';
import { step } from '@rostra/kernel/session/step';
import { kindOf, type SessionMessage, SessionPayloads } from '@rostra/protocol/session/message';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runOf, samples } from './message-samples.ts';
import { mayBeSentBy, senders } from './senders.ts';
import { SessionBench, START } from './session-bench.ts';

const names = ['a', 'b', 'c', 't', 's', 'q', 't.1', 'thread-1', '', '__proto__', 'constructor', 'toString', '0'];
const anyId = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...names) }, fc.string({ maxLength: 12 }));
const kinds = Object.entries(SessionPayloads).flatMap(([event, subtypes]) =>
  Object.keys(subtypes).map((subtype): [string, string] => [event, subtype]),
);
const error = fc.constant({ code: 'runtime_error', message: 'x', retryable: false, details: {} });
const policy = fc.record({
  queue: fc.constantFrom('enqueue', 'reject', 'replace'),
  interruptible: fc.boolean(),
  steering: fc.boolean(),
});
const member = fc.record({ agent_id: anyId, policy });

/** Every field that a payload of any kind may have, so that each kind finds its own. */
const payload = fc.record(
  {
    input: fc.constant({ text: 'x', contents: [], attachments: [], message_chain: null }),
    data: fc.constant({}),
    mentioned_agent_id: fc.option(anyId, { nil: undefined }),
    client_run_id: anyId,
    message_id: anyId,
    n: fc.nat(3),
    text: fc.string({ maxLength: 5 }),
    content: fc.string({ maxLength: 5 }),
    agent_id: anyId,
    target_agent_id: anyId,
    reason: anyId,
    summary: anyId,
    interaction_id: anyId,
    expires_in: fc.integer({ min: 1, max: 10 ** 9 }),
    request: fc.constant({}),
    turn_id: anyId,
    turn_ids: fc.array(anyId, { maxLength: 3 }),
    tx_id: anyId,
    gen: fc.nat(40),
    attempt: fc.integer({ min: 1, max: 4 }),
    agents: fc.array(member, { maxLength: 4 }),
    active_agent_id: fc.option(anyId),
    force: fc.boolean(),
    activate: fc.boolean(),
    policy,
    error,
    code: anyId,
    message: anyId,
    retryable: fc.boolean(),
    epoch: fc.nat(3),
  },
  { requiredKeys: ['input', 'data', 'turn_ids', 'agents', 'policy', 'error', 'gen', 'attempt', 'n', 'request'] },
);

const message = fc.record({
  kind: fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...kinds) },
    fc.tuple(anyId, anyId),
    fc.tuple(fc.constantFrom('CONTROL', 'TIMER'), anyId),
  ),
  id: anyId,
  session_id: fc.oneof({ weight: 20, arbitrary: fc.constant('thread-1') }, anyId),
  sender: fc.record(
    {
      kind: fc.constantFrom('user', 'agent', 'session_manager', 'driver', 'session'),
      id: anyId,
      role: fc.constantFrom('owner', 'participant', 'observer'),
    },
    { requiredKeys: ['kind', 'id'] },
  ),
  /** Sent by one who may, about what is there: the others are mostly strangers. */
  plausible: fc.boolean(),
  pick: fc.nat(20),
  ids: fc.record(
    { turn_id: anyId, tx_id: anyId, run_id: anyId, sequence: fc.nat(4), trace_id: anyId },
    { requiredKeys: [] },
  ),
  epoch: fc.integer({ min: 0, max: 2 }),
  ms: fc.nat(10 ** 7),
  payload,
  metadata: fc.option(fc.dictionary(anyId, anyId), { nil: undefined }),
});

/** What makes a message about this session: its sender, the run that is live, a transaction that is pending. */
function fitting(context: SessionContext, kind: string, pick: number) {
  const sender = senders[mayBeSentBy(kind)[0] ?? ''];
  const target = dispatchedTurn(context)?.target_agent_id;
  const txs = Object.keys(context.transactions);
  const tx_id = txs[pick % Math.max(1, txs.length)];
  const due = deadlines(context)[pick % Math.max(1, deadlines(context).length)];
  return {
    session_id: context.session_id,
    epoch: context.epoch,
    sender: sender?.kind === 'agent' && target !== undefined ? { ...sender, id: target } : sender,
    ...(tx_id !== undefined && { tx_id }),
    ...(sender?.kind === 'agent' && runOf(context)),
    ...(kind.startsWith('TIMER') && due !== undefined && { subtype: due.kind, payload: { ...due }, ts: due.at }),
  };
}

const benches = Object.values(samples);

describe('step is total (SR-INV-M4)', () => {
  it('no message of any kind, from anyone, about anything, makes it throw or break an invariant', () => {
    let effects = 0;
    const check = fc.property(
      fc.nat(benches.length - 1),
      fc.array(message, { minLength: 1, maxLength: 12 }),
      (at, all) => {
        const sample = benches[at]?.();
        let context = sample?.bench.context ?? new SessionBench().context;
        let seq = 100;
        for (const { kind, ids, ms, plausible, pick, ...rest } of all) {
          seq += 1;
          const [event, subtype] = kind;
          const raw = { ...rest, ...ids, event, subtype, target: 'SYSTEM', visibility: 'both', ts: START + ms, seq };
          if (plausible) Object.assign(raw, fitting(context, `${event}:${subtype}`, pick));
          const made = raw as unknown as SessionMessage;
          const { context: next, publish } = step(context, made);
          assertStep(context, next);
          if (next === context) expect(publish.every((out) => kindOf(out) !== '')).toBe(true);
          else effects += 1;
          context = next;
        }
        JSON.stringify(context);
      },
    );
    fc.assert(check, { numRuns: 1_200, seed: 41 });
    expect(effects).toBeGreaterThan(800);
  });

  it('a kind that nobody knows has no effect', () => {
    const { bench } = samples['CONTROL:CANCEL']?.() ?? { bench: new SessionBench() };
    for (const [event, subtype] of [
      ['CONTROL', 'DANCE'],
      ['POEM', 'CANCEL'],
      ['__proto__', '__proto__'],
      ['CONTROL', 'constructor'],
    ]) {
      const raw = { ...bench.make('CONTROL', 'CANCEL', {}, runOf(bench.context)), event, subtype };
      const before = bench.context;
      expect(step(before, raw as unknown as SessionMessage)).toEqual({ context: before, publish: [] });
    }
  });

  it('a message without effect returns the very same context', () => {
    const { bench } = samples['CONTROL:CANCEL']?.() ?? { bench: new SessionBench() };
    const stranger = bench.make('CONTROL', 'CANCEL', {}, { sender: { kind: 'user', id: 'x', role: 'observer' } });
    expect(step(bench.context, stranger).context).toBe(bench.context);
  });

  it('is pure: the same step twice gives the same result, and what was there before is not touched', () => {
    for (const make of benches) {
      if (make === undefined) continue;
      const { bench } = make();
      const last = bench.inputs.at(-1);
      const frozen = JSON.stringify(bench.context);
      const say = bench.make('USER_INPUT', 'INPUT', {
        input: { text: 'x', contents: [], attachments: [], message_chain: null },
        data: {},
      });
      expect(step(bench.context, say)).toEqual(step(bench.context, say));
      expect(JSON.stringify(bench.context)).toBe(frozen);
      expect(last).toBeDefined();
    }
  });
});
