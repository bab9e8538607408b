import type { LogRecord } from '@rostra/protocol/record/record';
import { TurnEvent } from '@rostra/protocol/session/input';
import { AgentPolicy } from '@rostra/protocol/session/roster';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits, timeouts } from '@rostra/protocol/wire/limits';
import { onTestFinished } from 'vitest';
import { BudgetKeeper } from '../../src/budget/budget-keeper.ts';
import { MemoryBus } from '../../src/bus/memory/memory-bus.ts';
import { type AgentBinding, AgentCatalog } from '../../src/discovery/agent-catalog.ts';
import { SupervisedPool } from '../../src/discovery/supervised-pool.ts';
import { logSource } from '../../src/http/log-source.ts';
import type { InteractionDesk } from '../../src/interactions/interaction-desk.ts';
import { inboxSide } from '../../src/main/inbox-side.ts';
import { Orchestrator } from '../../src/orchestrator/orchestrator.ts';
import type { ResultEffects } from '../../src/orchestrator/result-effects.ts';
import { CallMeter } from '../../src/proxy/call-meter.ts';
import { promptFamily } from '../../src/proxy/families/prompt.ts';
import { runsFamily } from '../../src/proxy/families/runs.ts';
import { steeringFamily } from '../../src/proxy/families/steering.ts';
import { AgentRunAPIProxy } from '../../src/proxy/gate.ts';
import { RunResults } from '../../src/proxy/run-results.ts';
import { watchRequeued } from '../../src/proxy/steering-watch.ts';
import type { ToolFinder } from '../../src/proxy/tool-desk.ts';
import { AgentGateway } from '../../src/session/agent-gateway.ts';
import { SessionGateway } from '../../src/session/session-gateway.ts';
import { SessionManager } from '../../src/session/session-manager.ts';
import { SessionRuntime } from '../../src/session/session-runtime.ts';
import { Cursors } from '../../src/store/cursor.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import type { AuditEntry } from '../../src/store/ports/audit.ts';
import type { RunRow } from '../../src/store/ports/run.ts';
import { ManualClock } from '../manual-clock.ts';
import { agent, fixture, privateFolder } from '../orchestrator/world.ts';
import { everything } from './gate-bench.ts';

export interface SessionWorldOptions {
  readonly binding?: Partial<AgentBinding>;
  readonly steering?: boolean;
  readonly tools?: ToolFinder;
}

/** What became of a call; of most results only the list in it is looked at. */
export interface Reply {
  result?: { items: Record<string, unknown>[]; next_cursor: string; has_more: boolean };
  error?: { code: string; message: string; details: Record<string, unknown> };
}

/** A test moves time by hours, and nobody shows signs of life meanwhile. */
const patient = { ...timeouts, idle: 3_600_000, turn: 4 * 3_600_000 };

const principal = { workspace_id: 'w', user_id: 'u' };
let ids = 0;

function newId(): string {
  ids += 1;
  return `id-${ids}`;
}

/** A session side and a runner side with a real process between them: everything but HTTP and the disk. */
export class SessionWorld {
  readonly clock = new ManualClock();
  readonly store = new MemoryStore({ now: () => this.clock.now() });
  readonly bus = new MemoryBus((error) => {
    throw error;
  });
  readonly audit: AuditEntry[] = [];
  readonly log: LogRecord[] = [];
  readonly runtime: SessionRuntime;
  readonly gateway: SessionGateway;
  readonly agents: AgentGateway;
  readonly orchestrator: Orchestrator;
  /** Calls of runners that have arrived. */
  calls = 0;
  readonly budget: BudgetKeeper;
  readonly desk: InteractionDesk;
  readonly #pool: SupervisedPool;
  /** Processes live in real time: one that is not asked whether it lives need not answer. */
  readonly #poolClock = new ManualClock();
  #effects: ResultEffects = {};
  readonly #held: (() => void)[] = [];

  constructor({ binding, steering = false, tools }: SessionWorldOptions = {}) {
    const { bus, clock, store } = this;
    const policy = AgentPolicy.parse({ steering });
    const catalog = new AgentCatalog([agent('guide', 'fixture', { policy, ...binding })]);
    this.#pool = new SupervisedPool({
      find: () => ({ packages: [{ ...launched, command: fixture('caller') }], skipped: [] }),
      folder: privateFolder(),
      clock: this.#poolClock,
      log: () => undefined,
      environment: process.env,
    });
    const parts = this;
    this.orchestrator = new Orchestrator({
      bus,
      clock,
      agents: catalog,
      runners: this.#pool,
      workspace_id: principal.workspace_id,
      offers: everything,
      turn_timeout: patient.turn,
      accounts: { open: (run) => parts.budget.open(run) },
      door: {
        call: (call) => {
          this.calls += 1;
          return gate.call(call);
        },
      },
      get effects() {
        return parts.#effects;
      },
    });
    const { voice } = this.orchestrator;
    this.runtime = new SessionRuntime({
      store,
      bus,
      clock,
      settings: { default_agent_id: 'guide', auto_invite: false, timeouts: patient },
      holder: 'host',
      report: () => undefined,
    });
    new SessionManager(bus, { default_agents: ['guide'], find: (agent_id) => ({ agent_id, policy }) });
    this.gateway = new SessionGateway(this.runtime, store, newId);
    this.agents = new AgentGateway(this.runtime, newId);
    const audit = { add: (row: AuditEntry) => void this.audit.push(row) };
    const report = (error: unknown) => {
      throw error;
    };
    const inbox = inboxSide({ voice, store, audit, clock, newId, report, tools });
    this.desk = inbox.desk;
    this.#effects = inbox.effects;
    this.budget = new BudgetKeeper({
      clock,
      runs: store.runs,
      prices: () => ({ '*': { input: 1, output: 2 } }),
      voice,
      desk: this.desk,
      report: (error) => {
        throw error;
      },
    });
    const { readAfter } = logSource(this.gateway, store);
    const gate = new AgentRunAPIProxy({
      services: {
        ...inbox.services,
        ...promptFamily,
        ...runsFamily({
          runs: store.runs,
          results: new RunResults(readAfter),
          cursors: new Cursors('a key of this test'),
          sessions: this.agents,
        }),
        ...steeringFamily({
          sessions: this.agents,
          audit: { add: (row) => void this.audit.push(row) },
          now: () => clock.now(),
        }),
        // A call that the test answers when it likes.
        'state.get': {
          asks: () => ({ family: 'state', scope: 'conversation' }),
          serve: async () => {
            await new Promise<void>((resolve) => this.#held.push(resolve));
            return { value: null };
          },
        },
      },
      workspace_id: principal.workspace_id,
      clock,
      meter: new CallMeter(),
      budget: this.budget,
      audit: { add: (row) => void this.audit.push(row) },
      refusals: { refused: () => undefined },
    });
    const steeringWatch = {
      bus,
      sessions: this.agents,
      audit: { add: (row: AuditEntry) => void this.audit.push(row) },
      now: () => clock.now(),
      workspace_id: principal.workspace_id,
    };
    watchRequeued(steeringWatch);
    this.orchestrator.start();
    this.#pool.start();
    onTestFinished(() => this.#stop());
  }

  async #stop(): Promise<void> {
    await this.orchestrator.stop({ drain: 0 });
    let isOver = false;
    const gone = this.#pool.stop().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      this.#poolClock.advance(limits.runner_stop);
      await tick();
    }
    await gone;
    this.runtime.close();
  }

  /** Submits an input whose runner does these steps; resolves with its turn. */
  async say(
    steps: readonly object[] | ((turn_id: string) => readonly object[]),
    { session_id = 's', event, tools }: { session_id?: string; event?: TurnEvent; tools?: JsonObject[] } = {},
  ): Promise<string> {
    const turn_id = newId();
    const input = {
      text: JSON.stringify(typeof steps === 'function' ? steps(turn_id) : steps),
      contents: [],
      attachments: [],
      message_chain: null,
    };
    await this.gateway.submitRun({
      session_id,
      principal,
      message_id: `m:${turn_id}`,
      turn_id,
      payload: { input, data: tools === undefined ? {} : { tools }, ...(event !== undefined && { event }) },
      open: {},
    });
    return turn_id;
  }

  follow(session_id = 's'): void {
    onTestFinished(this.bus.follow(session_id, ({ records }) => this.log.push(...records)));
  }

  /** The ledger's row of the first attempt at a turn, once it is as wanted. */
  async run(
    turn_id: string,
    isWanted: (row: RunRow) => boolean = ({ ended_at }) => ended_at !== null,
  ): Promise<RunRow> {
    return this.until(async () => {
      const [row] = await this.store.runs.ofTurn(turn_id);
      return row !== undefined && isWanted(row) ? row : null;
    });
  }

  /** What the runner told of its calls in this turn. */
  async replies(turn_id: string): Promise<Reply[]> {
    await this.run(turn_id);
    const { rows } = await this.store.transcript.page('s', { limit: 100 });
    const told = rows.find((row) => row.turn_id === turn_id && row.role === 'assistant' && row.item_type === 'message');
    if (told === undefined) throw new Error(`turn ${turn_id} told nothing`);
    return JSON.parse(JSON.stringify(told.content_json ?? JSON.parse(told.content)));
  }

  /** Resolves when a runner waits in its call of `state.get`; that is answered by `release`. */
  async held(): Promise<void> {
    await this.until(async () => (this.#held.length > 0 ? true : null));
  }

  release(): void {
    for (const resolve of this.#held.splice(0)) resolve();
  }

  async until<T>(look: () => Promise<T | null>): Promise<T> {
    for (;;) {
      const found = await look();
      if (found !== null) return found;
      await tick();
    }
  }
}

function tick(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 2));
}

const launched = {
  name: 'fixture',
  origin: 'official',
  source: 'fixture',
  enabled: true,
  processes: 'shared',
  isolation: 'trusted',
  folders: [],
} as const;

/** An event of a platform that is a person's message, in this thread of this bot. */
export function saidIn(thread_id: string | null, bot_id: string | null): TurnEvent {
  return TurnEvent.parse({
    event_id: newId(),
    event_type: 'message.received',
    source: 'test',
    trigger_source: 'platform',
    conversation: { thread_id, bot_id },
  });
}

export const hold = { call: 'state.get', params: { scope: 'conversation', key: 'k' } };
export const told = [{ tell: true }, { end: true }];
