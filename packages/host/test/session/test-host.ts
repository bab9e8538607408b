import type { LogRecord } from '@rostra/protocol/record/record';
import type { TurnEvent } from '@rostra/protocol/session/input';
import type { PayloadOf, SessionMessage, SubtypeOf } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { AgentPolicy } from '@rostra/protocol/session/roster';
import { timeouts } from '@rostra/protocol/wire/limits';
import { MemoryBus } from '../../src/bus/memory/memory-bus.ts';
import { SessionGateway } from '../../src/session/session-gateway.ts';
import { SessionManager } from '../../src/session/session-manager.ts';
import { SessionRuntime } from '../../src/session/session-runtime.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import type { SessionStore } from '../../src/store/port.ts';
import { ManualClock } from './manual-clock.ts';

/** Counts over all hosts of a file: a restarted host must not reuse the ids of the one before. */
let runs = 0;
const principal = { workspace_id: 'w', user_id: 'u' };
export const SESSION = '550e8400-e29b-41d4-a716-446655440000';

interface Saying {
  runId?: string;
  hash?: string;
  user_id?: string;
  agent?: string;
  session_id?: string;
  event?: TurnEvent;
}

export interface TestHostOptions {
  /** Hosts of one name are lives of one host: the next may claim what the one before held. */
  holder?: string;
  /** How long sessions stay in memory, and how many. */
  idle?: number;
  most?: number;
  resumable?: boolean;
  /** Who is in a new session; the first one answers. */
  agents?: readonly string[];
}

/** The session side of a host on a store, with the test in the place of the orchestrator. */
export class TestHost {
  readonly clock = new ManualClock();
  /** What becomes of an error that a listener threw. */
  onBusError = (error: unknown): void => {
    throw error;
  };
  readonly bus = new MemoryBus((error) => this.onBusError(error));
  readonly toAgents: SessionMessage[] = [];
  readonly log: LogRecord[] = [];
  readonly reports: { event: string; details: Record<string, unknown> }[] = [];
  readonly runtime: SessionRuntime;
  readonly gateway: SessionGateway;
  readonly store: SessionStore;

  constructor(store: SessionStore = new MemoryStore(), options: TestHostOptions = {}) {
    this.store = store;
    this.bus.subscribe('orchestrator', (message) => this.toAgents.push(message));
    this.bus.follow(SESSION, ({ records }) => this.log.push(...records));
    this.runtime = new SessionRuntime({
      store,
      bus: this.bus,
      clock: this.clock,
      settings: { default_agent_id: options.agents?.[0] ?? 'guide', auto_invite: false, timeouts },
      holder: options.holder ?? 'host',
      ...(options.idle !== undefined && { idle: options.idle }),
      ...(options.most !== undefined && { sessions_in_memory: options.most }),
      report: (event, details) => this.reports.push({ event, details }),
    });
    const policy = AgentPolicy.parse({ resumable: options.resumable ?? false });
    new SessionManager(this.bus, {
      default_agents: options.agents ?? ['guide', 'scout'],
      find: (agent_id) => ({ agent_id, policy }),
    });
    this.gateway = new SessionGateway(this.runtime, store, () => `id-${runs++}`);
  }

  /** Submits one input and lets everything settle; the turn's id, or the refusal. */
  say(text: string, options: Saying = {}) {
    runs += 1;
    const runId = options.runId ?? `run-${runs}`;
    const submitted = this.gateway.submitRun({
      session_id: options.session_id ?? SESSION,
      principal: { ...principal, user_id: options.user_id ?? principal.user_id },
      message_id: `run:${runId}`,
      turn_id: `turn-${runs}`,
      payload: {
        input: { text, contents: [], attachments: [], message_chain: null },
        client_run_id: runId,
        payload_hash: options.hash ?? text,
        data: {},
        ...(options.agent !== undefined && { mentioned_agent_id: options.agent }),
        ...(options.event !== undefined && { event: options.event }),
      },
      open: {},
    });
    return this.#settled(submitted);
  }

  async cancel(turn_id: string) {
    const turn = await this.store.findTurn(turn_id);
    if (turn === null) throw new Error(`no turn ${turn_id}`);
    return this.#settled(this.gateway.cancelTurn(turn, principal));
  }

  async #settled<T>(promise: Promise<T>): Promise<T> {
    promise.catch(() => undefined);
    for (let i = 0; i < 10; i += 1) {
      this.clock.settle();
      await Promise.resolve();
    }
    return promise;
  }

  /** The latest message that asked an agent to run. */
  lastInput(): SessionMessage {
    const input = this.toAgents.findLast((message) => message.event === 'USER_INPUT');
    if (input === undefined) throw new Error('no agent was asked');
    return input;
  }

  #fromAgent(sequence?: number) {
    const { turn_id, run_id, target_id, epoch, session_id } = this.lastInput();
    return {
      id: `${run_id}:${sequence ?? 'ack'}`,
      session_id,
      sender: { kind: 'agent' as const, id: target_id ?? '' },
      target: 'SYSTEM' as const,
      ts: 0,
      epoch,
      ...(turn_id !== undefined && { turn_id }),
      ...(run_id !== undefined && { run_id }),
      ...(sequence !== undefined && { sequence }),
    };
  }

  ack(): void {
    this.bus.publish('session', MessageFactory.control('INPUT_ACK', {}, this.#fromAgent()));
    this.clock.settle();
  }

  /** Chunks `from` … `to` − 1, all in one tick. */
  chunks(from: number, to: number): void {
    for (let n = from; n < to; n += 1) {
      const payload = { message_id: 'm1', n, text: `c${n} ` };
      this.bus.publish('session', MessageFactory.output('chunk', payload, this.#fromAgent(n)));
    }
    this.clock.settle();
  }

  output<S extends SubtypeOf<'AGENT_OUTPUT'>>(
    subtype: S,
    payload: PayloadOf<'AGENT_OUTPUT', S>,
    sequence: number,
  ): void {
    this.bus.publish('session', MessageFactory.output(subtype, payload, this.#fromAgent(sequence)));
    this.clock.settle();
  }

  /** What frontends were shown, as kinds. */
  shown(): string[] {
    const visible = this.log.filter(({ mark, target }) => mark === 'both' || (mark === 'out' && target === 'FRONTEND'));
    return visible.map(({ event, subtype }) => `${event}:${subtype}`);
  }
}
