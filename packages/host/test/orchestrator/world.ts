import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { AgentBootstrap, AgentGrants } from '@rostra/protocol/config/agent-config';
import type { MessageEnvelope, SessionMessage } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { AgentPolicy } from '@rostra/protocol/session/roster';
import { limits } from '@rostra/protocol/wire/limits';
import { onTestFinished } from 'vitest';
import { type AgentBinding, AgentCatalog, bindAgent } from '../../src/discovery/agent-catalog.ts';
import type { RunnerClock } from '../../src/discovery/runner-clock.ts';
import type { RunnerLogEntry } from '../../src/discovery/runner-log.ts';
import type { LaunchedPackage, RunnerCommand, RunnerPackage } from '../../src/discovery/runner-package.ts';
import { SupervisedPool } from '../../src/discovery/supervised-pool.ts';
import { Orchestrator, type OrchestratorOptions } from '../../src/orchestrator/orchestrator.ts';
import { ManualClock } from '../manual-clock.ts';
import { TestBus } from './test-bus.ts';

export function fixture(name: string, ...args: string[]): RunnerCommand {
  const file = fileURLToPath(new URL(`fixtures/${name}.mjs`, import.meta.url));
  return { command: process.execPath, args: [file, ...args] };
}

export function privateFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'rostra-runner-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An agent whose binding says nothing special. */
export function agent(agent_id: string, runner_id: string, change: Partial<AgentBinding> = {}): AgentBinding {
  const { revision: _, ...rest } = change;
  return bindAgent({
    agent_id,
    runner_id,
    config: { persona: agent_id },
    policy: AgentPolicy.parse({}),
    grants: AgentGrants.parse({}),
    bootstrap: AgentBootstrap.parse({}),
    source: 'file',
    ...rest,
  });
}

export interface WorldOptions extends Partial<OrchestratorOptions> {
  readonly runner_id?: string;
  readonly binding?: Partial<AgentBinding>;
  readonly package?: Partial<LaunchedPackage>;
  /** Further packages, and who runs on a runner of them. */
  readonly packages?: readonly RunnerPackage[];
  readonly runner_of?: Readonly<Record<string, string>>;
}

/** The orchestrator with real runner processes, a bus that commits at once and, unless told, time that stands still. */
export class World<C extends RunnerClock = ManualClock> {
  readonly bus = new TestBus();
  readonly clock: C;
  readonly logged: RunnerLogEntry[] = [];
  readonly folder = path.join(privateFolder(), 'runners');
  readonly pool: SupervisedPool;
  readonly agents: AgentCatalog;
  readonly orchestrator: Orchestrator;
  #inputs = 0;

  constructor(command: RunnerCommand, clock: C, options: WorldOptions = {}) {
    const { bus, folder } = this;
    const { runner_id = 'fixture', binding, package: pkg, packages = [], runner_of = {}, ...rest } = options;
    this.clock = clock;
    this.pool = new SupervisedPool({
      find: () => ({ packages: [{ ...packageOf(command), ...pkg }, ...packages], skipped: [] }),
      folder,
      clock,
      log: (entry) => void this.logged.push(entry),
      environment: process.env,
    });
    this.agents = new AgentCatalog(
      ['guide', 'scout'].map((agent_id) => agent(agent_id, runner_of[agent_id] ?? runner_id, binding)),
    );
    const { agents, pool: runners } = this;
    this.orchestrator = new Orchestrator({ bus, clock, agents, runners, workspace_id: 'default', ...rest });
    this.orchestrator.start();
    this.pool.start();
    onTestFinished(() => this.#stop());
  }

  async #stop(): Promise<void> {
    await this.orchestrator.stop({ drain: 0 });
    let isOver = false;
    const gone = this.pool.stop().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      if (this.clock instanceof ManualClock) this.clock.advance(limits.runner_stop);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await gone;
  }

  /** The processes of the package, oldest first. */
  get pids(): readonly number[] {
    return this.pool.status()[0]?.pids ?? [];
  }

  /** Resolves when the runner has said what it offers. */
  async ready(): Promise<void> {
    await this.pool.discovered();
  }

  #envelope(turn_id: string, id: string, agent_id: string): MessageEnvelope {
    return {
      id,
      session_id: `session of ${turn_id}`,
      sender: { kind: 'session', id: `session of ${turn_id}` },
      target: 'AGENT',
      target_id: agent_id,
      turn_id,
      trace_id: `trace of ${turn_id}`,
      run_id: `${turn_id}.1`,
      visibility: 'both',
      ts: this.clock.now(),
      epoch: 4,
    };
  }

  /** Dispatches a turn with this input; returns its id. */
  input(text: string, agent_id = 'guide'): string {
    this.#inputs += 1;
    const turn_id = `t${this.#inputs}`;
    this.send(this.inputMessage(turn_id, text, agent_id));
    return turn_id;
  }

  inputMessage(turn_id: string, text: string, agent_id = 'guide'): SessionMessage {
    const input = { text, contents: [], attachments: [], message_chain: null };
    return MessageFactory.userInput({ input, data: {} }, this.#envelope(turn_id, `in ${turn_id}`, agent_id));
  }

  handover(turn_id: string, agent_id: string): void {
    const payload = { from_agent_id: 'guide', reason: 'context', summary: '', output: 'so far' };
    this.send(
      MessageFactory.control('HANDOVER_CONTEXT', payload, this.#envelope(turn_id, `over ${turn_id}`, agent_id)),
    );
  }

  cancel(turn_id: string, id = `cancel ${turn_id}`): void {
    const envelope = { ...this.#envelope(turn_id, id, 'guide'), tx_id: `cancel of ${turn_id}` };
    this.send(MessageFactory.control('CANCEL', { turn_id }, envelope));
  }

  /** The session's turn is over: the agent is told, and nobody waits. */
  abandon(turn_id: string): void {
    const envelope = this.#envelope(turn_id, `farewell ${turn_id}`, 'guide');
    this.send(MessageFactory.control('CANCEL', { turn_id }, envelope));
  }

  /** The session passes on what a person answered. */
  answer(turn_id: string, interaction_id: string, action_id: string): void {
    const envelope = this.#envelope(turn_id, `answer ${interaction_id}`, 'guide');
    this.send(MessageFactory.control('INTERACTION_ANSWERED', { interaction_id, action_id, values: {} }, envelope));
  }

  terminate(turn_id: string): void {
    const { run_id: _, ...envelope } = this.#envelope(turn_id, `end ${turn_id}`, 'guide');
    this.send(MessageFactory.control('REQUEST_TERMINATE_RUN', { run_id: `${turn_id}.1` }, envelope));
  }

  send(message: SessionMessage): void {
    this.bus.publish('orchestrator', message);
  }

  /** What a turn's agent said, piece by piece; every piece must have the number that is due. */
  pieces(turn: string): string[] {
    const said: string[] = [];
    for (const message of this.of(turn)) {
      if (message.event !== 'AGENT_OUTPUT' || message.subtype !== 'chunk') continue;
      const { n, text, reasoning, more = [] } = message.payload;
      if (n !== said.length) throw new Error(`piece ${n} came when ${said.length} was due`);
      said.push(text ?? reasoning ?? '', ...more);
    }
    return said;
  }

  /** `event:subtype` of everything that was said of a turn so far. */
  kinds(turn_id: string): string[] {
    return this.of(turn_id).map((message) => `${message.event}:${message.subtype}`);
  }

  of(turn_id: string): SessionMessage[] {
    return this.bus.said.filter((message) => message.turn_id === turn_id);
  }

  /** Resolves with the first message of this kind. */
  heard<S extends SessionMessage['subtype']>(
    turn_id: string,
    subtype: S,
  ): Promise<Extract<SessionMessage, { subtype: S }>> {
    return this.bus.until((said) =>
      said.find(
        (message): message is Extract<SessionMessage, { subtype: S }> =>
          message.turn_id === turn_id && message.subtype === subtype,
      ),
    );
  }

  /** Runs one input to its end and says whether the runner still works. */
  async works(): Promise<boolean> {
    const turn_id = this.input('ok');
    await this.bus.until((said) => said.some((m) => m.turn_id === turn_id && isEnd(m)));
    return this.kinds(turn_id).at(-1) === 'AGENT_OUTPUT:final';
  }

  /** Resolves when the log satisfies the question; the log is written as the process is read. */
  async logs(question: (texts: string[]) => boolean): Promise<void> {
    while (!question(this.logged.map((entry) => entry.text))) await new Promise((resolve) => setImmediate(resolve));
  }
}

function packageOf(command: RunnerCommand): LaunchedPackage {
  return {
    name: 'fixture',
    origin: 'official',
    source: 'fixture',
    enabled: true,
    processes: 'shared',
    isolation: 'trusted',
    command,
    folders: [],
  };
}

export function isEnd({ subtype }: SessionMessage): boolean {
  return subtype === 'final' || subtype === 'RUN_FAILED' || subtype === 'CANCEL_ACK';
}
