import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MessageEnvelope, SessionMessage } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { onTestFinished } from 'vitest';
import { AgentCatalog } from '../../src/discovery/agent-catalog.ts';
import type { RunnerLogEntry } from '../../src/discovery/runner-log.ts';
import { type RunnerCommand, RunnerProcess } from '../../src/discovery/runner-process.ts';
import { RunnerRegistry } from '../../src/discovery/runner-registry.ts';
import { Orchestrator, type OrchestratorOptions } from '../../src/orchestrator/orchestrator.ts';
import { ManualClock } from './manual-clock.ts';
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

const policy = { queue: 'enqueue' as const, interruptible: true, steering: false };

/** The orchestrator with a real runner process, a bus that commits at once and time that stands still. */
export class World {
  readonly bus = new TestBus();
  readonly clock = new ManualClock();
  readonly logged: RunnerLogEntry[] = [];
  readonly home = privateFolder();
  readonly process: RunnerProcess;
  readonly registry: RunnerRegistry;
  readonly orchestrator: Orchestrator;
  #inputs = 0;

  constructor(command: RunnerCommand, options: Partial<OrchestratorOptions> = {}, runner_id = 'fixture') {
    const { clock, bus, home } = this;
    const log = (entry: RunnerLogEntry) => void this.logged.push(entry);
    this.process = new RunnerProcess({ name: 'fixture', command, home, clock, log, environment: process.env });
    this.registry = new RunnerRegistry([this.process]);
    const agents = new AgentCatalog(
      ['guide', 'scout'].map((agent_id) => ({ agent_id, runner_id, config: { persona: agent_id }, policy })),
    );
    this.orchestrator = new Orchestrator({
      bus,
      clock,
      agents,
      runners: this.registry,
      workspace_id: 'default',
      ...options,
    });
    this.orchestrator.start();
    onTestFinished(async () => {
      await this.orchestrator.stop({ drain: 0 });
      const gone = this.registry.stop();
      this.clock.advance(10_000);
      await gone;
    });
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
    this.send(MessageFactory.control('CANCEL', { turn_id }, this.#envelope(turn_id, id, 'guide')));
  }

  terminate(turn_id: string): void {
    const { run_id: _, ...envelope } = this.#envelope(turn_id, `end ${turn_id}`, 'guide');
    this.send(MessageFactory.control('REQUEST_TERMINATE_RUN', { run_id: `${turn_id}.1` }, envelope));
  }

  send(message: SessionMessage): void {
    this.bus.publish('orchestrator', message);
  }

  /** `event:subtype` of everything that was said of a turn so far. */
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

export function isEnd({ subtype }: SessionMessage): boolean {
  return subtype === 'final' || subtype === 'RUN_FAILED' || subtype === 'CANCEL_ACK';
}
