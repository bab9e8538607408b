import type { AttachedArtifact } from '@rostra/kernel/projection/transcript-row';
import type { PayloadOf, SessionMessage, SubtypeOf } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { AgentPolicy } from '@rostra/protocol/session/roster';
import { timeouts } from '@rostra/protocol/wire/limits';
import { v7 } from 'uuid';
import { expect, vi } from 'vitest';
import { originOf } from '../../src/http/request-origin.ts';
import { historyRoutes } from '../../src/http/routes/history.ts';
import { runStatusRoutes } from '../../src/http/routes/run-status.ts';
import { searchRoutes } from '../../src/http/routes/search.ts';
import { sessionRoutes } from '../../src/http/routes/sessions.ts';
import { transcriptRoutes } from '../../src/http/routes/transcript.ts';
import { TaskReader } from '../../src/http/task-reader.ts';
import { SessionPast } from '../../src/projection/session-past.ts';
import { SessionDesk } from '../../src/session/session-desk.ts';
import { SessionGateway } from '../../src/session/session-gateway.ts';
import { SessionManager } from '../../src/session/session-manager.ts';
import { SessionRuntime } from '../../src/session/session-runtime.ts';
import { Cursors } from '../../src/store/cursor.ts';
import { type Answer, TestHost } from './test-host.ts';

export const ADA = 'rostra_test-key-of-ada-000000';
export const BOB = 'rostra_test-key-of-bob-000000';
export const SESSIONS = '/api/v1/sessions';
export const HISTORY = '/api/v1/agent/history';

type Json = Record<string, unknown>;

/** Real sessions behind a real server; the test is in the place of the agents. */
export class ConversationWorld {
  readonly host: TestHost;
  readonly runtime: SessionRuntime;
  readonly gateway: SessionGateway;
  readonly toAgents: SessionMessage[] = [];
  readonly closed: string[] = [];
  purges = 0;
  #names = 0;
  readonly #policy: AgentPolicy;

  constructor(host: TestHost, policy: Partial<AgentPolicy>) {
    this.host = host;
    this.#policy = AgentPolicy.parse(policy);
    const { bus, clock, store } = host;
    bus.subscribe('orchestrator', (message) => this.toAgents.push(message));
    this.runtime = new SessionRuntime({
      store,
      bus,
      clock,
      settings: { default_agent_id: 'guide', auto_invite: false, timeouts },
      holder: 'host',
      report: (event, details) => host.reported.push({ event, details }),
    });
    new SessionManager(bus, {
      default_agents: ['guide', 'scout'],
      find: (agent_id) => ({ agent_id, policy: this.#policy }),
    });
    this.gateway = new SessionGateway(this.runtime, store, v7);
    host.more = this.#routes();
  }

  static async start(policy: Partial<AgentPolicy> = {}): Promise<ConversationWorld> {
    const scopes = ['runs' as const];
    const keys = [
      { name: 'ada', key: ADA, scopes },
      { name: 'bob', key: BOB, scopes },
    ];
    return new ConversationWorld(await TestHost.start({}, {}, keys), policy);
  }

  async stop(): Promise<void> {
    this.runtime.close();
    await this.host.stop();
  }

  #routes() {
    const { bus, clock, store, access, attachments } = this.host;
    const { runtime, gateway } = this;
    const cursors = new Cursors('secret');
    const agents = () => ['guide', 'scout'];
    const purge = () => {
      this.purges += 1;
    };
    const desk = new SessionDesk({ runtime, gateway, store, bus, clock, newId: v7, agents, purge });
    const reader: Parameters<typeof historyRoutes>[0]['reader'] = {
      interactions: store.interactions,
      sign: (principal, { artifact_id, session_id }, req) =>
        attachments.sign(principal, artifact_id, 'GET', originOf(req), session_id).url,
    };
    const tasks = new TaskReader({
      runs: store.runs,
      prices: () => ({ 'model-1': { input: 1_000_000, output: 2_000_000 } }),
      firstOutput: ({ session_id, turn_id }) =>
        runtime.driver(session_id)?.context.inflight[turn_id]?.first_output_at ?? null,
    });
    return [
      ...sessionRoutes({
        desk,
        store,
        cursors,
        past: new SessionPast({ log: store, saved: store.sessions }),
        words: (agent_id) => (agent_id === 'guide' ? { name: 'The guide', description: 'Shows the way.' } : null),
        checkInput: (principal) => access.checkRun(principal),
        closeStreams: (session_id) => this.closed.push(session_id),
      }),
      ...transcriptRoutes({ desk, transcript: store.transcript, cursors, reader }),
      ...historyRoutes({ desk, store, reader }),
      ...searchRoutes({ desk, store }),
      ...runStatusRoutes({ gateway, desk, store, cursors, tasks }),
    ];
  }

  async get(path: string, key = ADA, headers: Record<string, string> = {}): Promise<Answer> {
    return this.host.ask('GET', path, { key, headers });
  }

  async read(path: string, key = ADA, headers: Record<string, string> = {}): Promise<Json> {
    const answer = await this.get(path, key, headers);
    expect(answer.status, answer.text).toBe(200);
    return answer.json();
  }

  send(method: string, path: string, body: unknown, key = ADA): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    return this.host.ask(method, path, { key, headers, body: JSON.stringify(body) });
  }

  message(session: string, message: object, key = ADA): Promise<Answer> {
    return this.send('POST', `${SESSIONS}/${session}/messages`, message, key);
  }

  async open(key = ADA, body: object = {}): Promise<string> {
    const answer = await this.send('POST', SESSIONS, body, key);
    expect(answer.status, answer.text).toBe(201);
    return String(answer.json().id);
  }

  /** Says something; the task that it makes. */
  async say(session: string, text: string, key = ADA): Promise<string> {
    this.#names += 1;
    const payload = { input: { text } };
    const answer = await this.message(
      session,
      { id: `say-${this.#names}`, event: 'USER_INPUT', subtype: 'INPUT', payload },
      key,
    );
    expect(answer.status, answer.text).toBe(202);
    return String(answer.json().taskId);
  }

  /** Starts a run with a file, as the run API does after it has looked at the url. */
  async sayWith(
    session_id: string,
    text: string,
    attachments: AttachedArtifact[],
    runId = v7(),
    branch?: { from_seq: number },
  ): Promise<string> {
    const { turn_id } = await this.gateway.submitRun({
      session_id,
      principal: { workspace_id: 'local', user_id: 'key:ada' },
      message_id: `run:${runId}`,
      turn_id: v7(),
      payload: {
        input: { text, contents: [], attachments, message_chain: null },
        client_run_id: runId,
        payload_hash: text,
        data: {},
        ...(branch !== undefined && { branch }),
      },
      open: {},
    });
    return turn_id;
  }

  async asked(task: string): Promise<SessionMessage> {
    return vi.waitFor(() => {
      const found = this.toAgents.find(({ event, turn_id }) => event === 'USER_INPUT' && turn_id === task);
      if (found === undefined) throw new Error('no agent was asked');
      return found;
    });
  }

  /** An agent that works at one task. */
  async agent(task: string): Promise<TestAgent> {
    const agent = new TestAgent(this, await this.asked(task));
    await agent.control('INPUT_ACK', {});
    return agent;
  }

  /** Says something and has it answered in one piece. */
  async talk(session: string, text: string, answer: string, key = ADA): Promise<string> {
    const task = await this.say(session, text, key);
    const agent = await this.agent(task);
    await agent.say(answer);
    await agent.end();
    return task;
  }
}

export class TestAgent {
  readonly #world: ConversationWorld;
  readonly #input: SessionMessage;
  #sequence = 0;

  constructor(world: ConversationWorld, input: SessionMessage) {
    this.#world = world;
    this.#input = input;
  }

  get messageId(): string {
    return `${this.#input.run_id}.m${this.#sequence}`;
  }

  #envelope(sequence?: number) {
    const { turn_id, run_id, target_id, epoch, session_id } = this.#input;
    const sender = { kind: 'agent' as const, id: target_id ?? '' };
    const id = `${run_id}:${sequence ?? v7()}`;
    const target = 'SYSTEM' as const;
    return {
      id,
      session_id,
      sender,
      target,
      ts: 0,
      epoch,
      turn_id,
      run_id,
      ...(sequence !== undefined && { sequence }),
    };
  }

  async #settle(): Promise<void> {
    await vi.waitFor(() => expect(this.#world.runtime.isIdle).toBe(true));
  }

  async control<S extends SubtypeOf<'CONTROL'>>(subtype: S, payload: PayloadOf<'CONTROL', S>, isSpoken = false) {
    const at = isSpoken ? this.#sequence++ : undefined;
    this.#world.host.bus.publish('session', MessageFactory.control(subtype, payload, this.#envelope(at)));
    await this.#settle();
  }

  async output<S extends SubtypeOf<'AGENT_OUTPUT'>>(subtype: S, payload: PayloadOf<'AGENT_OUTPUT', S>): Promise<void> {
    const message = MessageFactory.output(subtype, payload, this.#envelope(this.#sequence++));
    this.#world.host.bus.publish('session', message);
    await this.#settle();
  }

  /** A whole message; its id. */
  async say(content: string, more: object = {}): Promise<string> {
    const message_id = this.messageId;
    await this.output('message', { message_id, role: 'assistant', content, ...more });
    return message_id;
  }

  async chunk(message_id: string, n: number, text: string): Promise<void> {
    await this.output('chunk', { message_id, n, text });
  }

  async end(usage?: Record<string, number | string>): Promise<void> {
    await this.output('final', { ...(usage !== undefined && { usage }) } as PayloadOf<'AGENT_OUTPUT', 'final'>);
  }
}
