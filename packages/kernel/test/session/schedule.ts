import {
  dispatchedTurn,
  emptyContext,
  isIn,
  type SessionContext,
  type Transaction,
} from '@rostra/kernel/session/context';
import { step } from '@rostra/kernel/session/step';
import type { SessionMessage } from '@rostra/protocol/session/message';
import fc from 'fast-check';
import { report } from './message-samples.ts';
import { type BenchOptions, driver, SessionBench } from './session-bench.ts';

export const AGENTS = ['ada', 'bob', 'cy'];

type Act = (bench: SessionBench, pick: number, pieces: string[]) => unknown;

const running = (bench: SessionBench) => dispatchedTurn(bench.context) !== null;
const agent = (pick: number) => AGENTS[pick % AGENTS.length] ?? '';
const pick_ = <T>(items: T[], pick: number): T | undefined => items[pick % Math.max(1, items.length)];

/** An act of the dispatched turn's agent; without one there is nobody to act. */
const byAgent =
  (act: Act): Act =>
  (bench, pick, pieces) =>
    running(bench) && act(bench, pick, pieces);

/** An answer to a pending transaction of this kind, if there is one. */
const answering =
  (kind: Transaction['kind'], act: (bench: SessionBench, tx: Transaction, pick: number) => unknown): Act =>
  (bench, pick) => {
    const tx = pick_(
      Object.values(bench.context.transactions).filter((each) => each.kind === kind),
      pick,
    );
    if (tx !== undefined) act(bench, tx, pick);
  };

function reported(bench: SessionBench, pick: number): void {
  const run = pick_(bench.context.unreported, pick);
  if (run === undefined) return;
  bench.control('CANCEL_REPORT', report(run.run_id), { sender: { kind: 'agent', id: run.agent_id } });
}

const acts: Record<string, [weight: number, act: Act]> = {
  say: [10, (bench) => bench.say()],
  mention: [3, (bench, pick) => bench.say('you', { mention: agent(pick) })],
  ack: [6, byAgent((bench) => bench.ack())],
  chunk: [
    14,
    byAgent((bench, pick, pieces) => {
      for (const piece of pieces)
        if (running(bench)) bench.chunk(piece, { message_id: `${bench.turn.run_id}.m${pick % 2}` });
    }),
  ],
  chunks: [
    4,
    byAgent((bench, pick, [first, ...more]) => {
      if (first !== undefined) bench.chunk(first, { message_id: `${bench.turn.run_id}.m${pick % 2}`, more });
    }),
  ],
  message: [3, byAgent((bench) => bench.message('whole'))],
  call: [2, byAgent((bench) => bench.callStarted())],
  called: [2, byAgent((bench) => bench.callCompleted())],
  final: [9, byAgent((bench) => bench.final())],
  fail: [2, byAgent((bench) => bench.fail())],
  gap: [1, byAgent((bench) => bench.chunk('lost', { sequence: bench.turn.next_sequence + 1 }))],
  alive: [2, byAgent((bench) => bench.alive())],
  cancel: [4, (bench) => bench.cancel()],
  cancelOne: [2, (bench, pick) => bench.cancel(pick_(Object.keys(bench.context.inflight), pick))],
  cancelAck: [5, byAgent((bench) => bench.cancelAck())],
  stopped: [1, byAgent((bench) => bench.send('EVENT', 'STREAM_STOPPED', {}, bench.fromAgent()))],
  switch: [2, (bench, pick) => bench.control('SWITCH_AGENT', { agent_id: agent(pick), force: pick % 4 === 0 })],
  invite: [4, (bench, pick) => bench.control('INVITE_AGENT', { agent_id: agent(pick), activate: pick % 2 === 0 })],
  addDone: [5, answering('INVITE', (bench, tx) => bench.addDone(tx))],
  addFailed: [1, answering('INVITE', (bench, tx) => bench.addFailed(tx))],
  lateDone: [
    2,
    (bench, pick) => {
      const tx_id = pick_(bench.context.expired_invites, pick);
      if (tx_id !== undefined) bench.receipt('ADD_AGENT_DONE', bench.member(agent(pick)), tx_id);
    },
  ],
  remove: [3, (bench, pick) => bench.control('REMOVE_AGENT', { agent_id: agent(pick) })],
  removeDone: [4, answering('REMOVE', (bench, tx) => bench.removeDone(tx))],
  removeFailed: [3, answering('REMOVE', (bench, tx) => bench.removeFailed(tx))],
  handover: [5, byAgent((bench, pick) => bench.askHandover(agent(pick)))],
  confirm: [5, answering('HANDOVER', (bench, tx) => bench.confirm(tx.tx_id))],
  reject: [2, answering('HANDOVER', (bench, tx) => bench.reject(tx.tx_id))],
  accepted: [1, byAgent((bench) => bench.control('HANDOVER_ACCEPTED', {}, bench.fromAgent()))],
  ask: [3, byAgent((bench, pick) => bench.ask(`q${pick % 3}`, 20_000 * (1 + (pick % 3))))],
  answer: [3, (bench, pick) => bench.answer(`q${pick % 3}`)],
  pull: [3, byAgent((bench) => bench.pull(...Object.keys(bench.context.inflight)))],
  open: [2, (bench) => bench.openSession()],
  opened: [6, answering('OPEN', (bench) => bench.opened())],
  openFailed: [1, answering('OPEN', (bench) => bench.sessionFailed('OPEN'))],
  close: [1, (bench) => bench.control('SESSION_CLOSE', {})],
  closed: [4, answering('CLOSE', (bench, tx) => tx.step === 'REQUESTED' && bench.closed())],
  closeFailed: [1, answering('CLOSE', (bench) => bench.sessionFailed('CLOSE'))],
  wait: [6, (bench, pick) => bench.advance([7, 900, 5_000, 29_999, 61_000, 400_000][pick % 6] ?? 0)],
  report: [2, (bench, pick) => reported(bench, pick)],
  agentError: [1, (bench, pick) => bench.agentError(agent(pick))],
  quarantine: [
    1,
    (bench, pick) => pick === 0 && bench.control('SESSION_QUARANTINED', { poisoned: 3 }, { sender: driver }),
  ],
  recover: [1, (bench) => bench.recover()],
};

export interface Command {
  name: string;
  pick: number;
  pieces: string[];
}
export interface Schedule {
  options: BenchOptions;
  commands: Command[];
}

const policy = fc.record({
  queue: fc.constantFrom('enqueue' as const, 'enqueue' as const, 'reject' as const, 'replace' as const),
  interruptible: fc.constantFrom(true, true, true, false),
  steering: fc.boolean(),
  resumable: fc.boolean(),
});

/** A life of a session: who its agents are, and what everybody does. */
export function schedules(
  options: { without?: string[]; commands?: number; resumable?: false } = {},
): fc.Arbitrary<Schedule> {
  const names = Object.entries(acts).filter(([name]) => options.without?.includes(name) !== true);
  const name = fc.oneof(...names.map(([each, [weight]]) => ({ weight, arbitrary: fc.constant(each) })));
  const pieces = fc.array(fc.constantFrom('Hello ', '世界', '😀', '', 'x'.repeat(1_500)), {
    minLength: 1,
    maxLength: 4,
  });
  const each = policy.map((one) => ({ ...one, resumable: one.resumable && options.resumable !== false }));
  const command = fc.record({ name, pick: fc.nat(11), pieces });
  return fc.record({
    options: fc.record({
      agents: fc.constantFrom(['ada', 'bob'], ['ada'], ['ada', 'bob', 'cy']),
      policies: fc.record({ ada: each, bob: each, cy: each }),
      default_agent_id: fc.constantFrom(null, 'bob', 'ada'),
      auto_invite: fc.boolean(),
    }),
    commands: fc.array(command, { minLength: 10, maxLength: options.commands ?? 45, size: 'max' }),
  });
}

/** Plays a schedule and returns the bench: what was taken, what was published, where it ended. */
export function play(schedule: Schedule, session_id = 'thread-1'): SessionBench {
  const bench = SessionBench.open({ ...schedule.options, session_id });
  for (const { name, pick, pieces } of schedule.commands) acts[name]?.[1](bench, pick, pieces);
  return bench;
}

export interface Run {
  context: SessionContext;
  published: SessionMessage[];
}

/** Steps these messages and nothing else. */
export function run(messages: SessionMessage[], context = emptyContext('thread-1')): Run {
  const published: SessionMessage[] = [];
  let current = context;
  for (const message of messages) {
    const { context: next, publish } = step(current, message);
    current = next;
    published.push(...publish);
  }
  return { context: current, published };
}

export function hasAgent(bench: SessionBench): boolean {
  const { active_agent_id } = bench.context;
  return active_agent_id !== null && isIn(bench.context, active_agent_id);
}
