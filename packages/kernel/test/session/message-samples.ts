import type { SessionContext, Transaction } from '@rostra/kernel/session/context';
import { dispatchedTurn, pendingTransaction } from '@rostra/kernel/session/context';
import { deadlines } from '@rostra/kernel/session/deadlines';
import { settled } from '@rostra/kernel/session/speech';
import type { SessionKind } from '@rostra/protocol/session/message';
import { SessionBench } from './session-bench.ts';

/** A situation in which a kind of message has an effect, if the right one sends it. */
export interface Sample {
  bench: SessionBench;
  payload: unknown;
  tx_id?: string;
}

type Samples = { [K in SessionKind]?: () => Sample };

const input = { input: { text: 'x', contents: [], attachments: [], message_chain: null }, data: {} };
const error = { code: 'runtime_error', message: 'broken', retryable: false, details: {} };

function running(): SessionBench {
  const bench = SessionBench.open({ policies: { a: { steering: true } } });
  bench.say('hi', { turn_id: 't' });
  bench.ack();
  return bench;
}

function routing(): SessionBench {
  const bench = SessionBench.open();
  bench.say('hi', { turn_id: 't' });
  return bench;
}

function after(bench: SessionBench, ...acts: ((bench: SessionBench) => unknown)[]): SessionBench {
  for (const act of acts) act(bench);
  return bench;
}

function pending(kind: Transaction['kind'], bench: SessionBench, payload: unknown): Sample {
  return { bench, payload, tx_id: pendingTransaction(bench.context, kind)?.tx_id ?? '' };
}

function due(kind: string, bench: SessionBench): Sample {
  const deadline = deadlines(bench.context).find((each) => each.kind === kind);
  bench.now = deadline?.at ?? 0;
  return { bench, payload: { gen: 0, turn_id: '', tx_id: '', interaction_id: '', ...deadline } };
}

const inviting = () => after(SessionBench.open(), (bench) => bench.control('INVITE_AGENT', { agent_id: 'c' }));
const removing = () => after(SessionBench.open(), (bench) => bench.control('REMOVE_AGENT', { agent_id: 'b' }));
const closing = () => after(SessionBench.open(), (bench) => bench.control('SESSION_CLOSE', {}));
const opening = () => after(new SessionBench(), (bench) => bench.openSession());
const cancelling = () => after(running(), (bench) => bench.cancel());
const prompted = () => after(running(), (bench) => bench.askHandover('b'));
const asking = () => after(running(), (bench) => bench.ask('q'));
const steered = () => after(running(), (bench) => bench.say('more', { turn_id: 's' }));
const queued = () => after(routing(), (bench) => bench.say('more', { turn_id: 's' }));

/** What the orchestrator says of a cancelled run. */
export function report(run_id: string) {
  const outcome = { outcome: 'forced' as const, process: 'drained' as const, children_killed: 2 };
  return { run_id, requested_at: 1, ...outcome };
}

/** Every kind that somebody may send to a session. */
export const samples: Samples = {
  'USER_INPUT:INPUT': () => ({ bench: SessionBench.open(), payload: input }),
  'USER_INPUT:MENTION': () => ({ bench: SessionBench.open(), payload: { ...input, mentioned_agent_id: 'b' } }),
  'AGENT_OUTPUT:chunk': () => ({ bench: running(), payload: { message_id: 'm', n: 0, text: 'x' } }),
  'AGENT_OUTPUT:message': () => ({ bench: running(), payload: { message_id: 'm', role: 'assistant', content: 'x' } }),
  'AGENT_OUTPUT:final': () => ({ bench: running(), payload: {} }),
  'AGENT_OUTPUT:tool.call.started': () => ({ bench: running(), payload: { tool_call_id: 'c', tool_name: 'x' } }),
  'AGENT_OUTPUT:tool.call.completed': () => ({ bench: running(), payload: { tool_call_id: 'c', tool_name: 'x' } }),
  'AGENT_OUTPUT:artifact.created': () => ({ bench: running(), payload: {} }),
  'AGENT_OUTPUT:state.updated': () => ({ bench: running(), payload: { scope: 'run', key: 'k', value: 1 } }),
  'AGENT_OUTPUT:action.requested': () => ({ bench: running(), payload: { action: 'x' } }),
  'AGENT_OUTPUT:message.edited': () => ({ bench: running(), payload: { message_id: 'm', content: 'x' } }),
  'AGENT_OUTPUT:message.deleted': () => ({ bench: running(), payload: { message_id: 'm' } }),
  'CONTROL:CANCEL': () => ({ bench: running(), payload: {} }),
  'CONTROL:INTERRUPT': () => ({ bench: running(), payload: {} }),
  'CONTROL:SWITCH_AGENT': () => ({ bench: SessionBench.open(), payload: { agent_id: 'b' } }),
  'CONTROL:HANDOVER_CONFIRM': () => pending('HANDOVER', prompted(), {}),
  'CONTROL:HANDOVER_REJECT': () => pending('HANDOVER', prompted(), {}),
  'CONTROL:INTERACTION_ANSWERED': () => ({
    bench: asking(),
    payload: { interaction_id: 'q', action_id: 'yes', values: {} },
  }),
  'CONTROL:INVITE_AGENT': () => ({ bench: SessionBench.open(), payload: { agent_id: 'c' } }),
  'CONTROL:REMOVE_AGENT': () => ({ bench: SessionBench.open(), payload: { agent_id: 'b' } }),
  'CONTROL:SESSION_OPEN': () => ({ bench: new SessionBench(), payload: {} }),
  'CONTROL:SESSION_CLOSE': () => ({ bench: SessionBench.open(), payload: {} }),
  'CONTROL:INPUT_ACK': () => ({ bench: routing(), payload: {} }),
  'CONTROL:HANDOVER_ACCEPTED': () => ({ bench: routing(), payload: {} }),
  'CONTROL:CANCEL_ACK': () => ({ bench: cancelling(), payload: {} }),
  'CONTROL:RUN_ALIVE': () => ({ bench: after(running(), (bench) => bench.advance(10)), payload: {} }),
  'CONTROL:CANCEL_REPORT': () => ({ bench: cancelling(), payload: report('t.1') }),
  'CONTROL:HANDOVER_REQUEST': () => ({
    bench: running(),
    payload: { target_agent_id: 'b', reason: '', summary: '' },
  }),
  'CONTROL:INTERACTION_REQUESTED': () => ({ bench: running(), payload: { interaction_id: 'q', request: {} } }),
  'CONTROL:CANCEL_REQUEST': () => ({ bench: running(), payload: { run_id: 't.1', reason: 'enough' } }),
  'CONTROL:BUDGET_NOTICE': () => ({
    bench: running(),
    payload: { limit: 'tokens', period: 'run', used: 80, of: 100 },
  }),
  'CONTROL:STEERING_PULLED': () => ({ bench: steered(), payload: { turn_ids: ['s'] } }),
  'CONTROL:ADD_AGENT_DONE': () => pending('INVITE', inviting(), inviting().member('c')),
  'CONTROL:ADD_AGENT_FAILED': () => pending('INVITE', inviting(), { error }),
  'CONTROL:REMOVE_AGENT_DONE': () => pending('REMOVE', removing(), { agent_id: 'b', attempt: 1 }),
  'CONTROL:REMOVE_AGENT_FAILED': () => pending('REMOVE', removing(), { agent_id: 'b', attempt: 1, error }),
  'CONTROL:SESSION_OPENED': () => pending('OPEN', opening(), { agents: [], active_agent_id: null }),
  'CONTROL:SESSION_CLOSED': () => pending('CLOSE', closing(), {}),
  'CONTROL:SESSION_FAILED': () => pending('CLOSE', closing(), { error }),
  'CONTROL:SESSION_CREATED': () => {
    const bench = new SessionBench();
    const { payload } = bench.inputs[0] ?? {};
    bench.context = { ...bench.context, epoch: 0 };
    return { bench, payload };
  },
  'CONTROL:SESSION_RECOVERED': () => ({ bench: running(), payload: { epoch: 2 } }),
  'CONTROL:SESSION_QUARANTINED': () => ({ bench: running(), payload: { poisoned: 3 } }),
  'EVENT:STREAM_STOPPED': () => ({ bench: cancelling(), payload: {} }),
  'ERROR:RUN_FAILED': () => ({ bench: running(), payload: { code: 'x', message: 'y', retryable: false } }),
  'TIMER:INPUT_ACK': () => due('INPUT_ACK', routing()),
  'TIMER:CANCEL_ACK': () => due('CANCEL_ACK', cancelling()),
  'TIMER:QUEUE': () => due('QUEUE', queued()),
  'TIMER:IDLE': () => due('IDLE', running()),
  'TIMER:TURN': () => due('TURN', running()),
  'TIMER:INTERACTION': () => due('INTERACTION', asking()),
  'TIMER:TX': () => due('TX', inviting()),
};

/** What a message from the dispatched turn's agent carries besides its payload. */
export function runOf(context: SessionContext): { turn_id?: string; run_id?: string; sequence?: number } {
  const turn = dispatchedTurn(settled(context));
  if (turn?.run_id == null) return {};
  return { turn_id: turn.turn_id, run_id: turn.run_id, sequence: turn.next_sequence };
}
