import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bindAgent } from '@rostra/host/discovery/agent-catalog';
import { ConsoleSurface } from '@rostra/host/interactions/console-surface';
import { InteractionDesk } from '@rostra/host/interactions/interaction-desk';
import { PlatformActions } from '@rostra/host/interactions/platform-actions';
import { ApiCalls } from '@rostra/host/orchestrator/api-calls';
import type { ActiveRun } from '@rostra/host/orchestrator/run-charter';
import { logPages } from '@rostra/host/projection/log-pages';
import type { ApiServices } from '@rostra/host/proxy/api-family';
import { AuditTrail } from '@rostra/host/proxy/audit-trail';
import { CallMeter } from '@rostra/host/proxy/call-meter';
import { artifactsFamily } from '@rostra/host/proxy/families/artifacts';
import { eventsFamily, type ReadRecords } from '@rostra/host/proxy/families/events';
import { historyFamily } from '@rostra/host/proxy/families/history';
import { interactionsFamily } from '@rostra/host/proxy/families/interactions';
import { platformFamily } from '@rostra/host/proxy/families/platform';
import { promptFamily } from '@rostra/host/proxy/families/prompt';
import { runsFamily } from '@rostra/host/proxy/families/runs';
import { stateFamily } from '@rostra/host/proxy/families/state';
import { steeringFamily } from '@rostra/host/proxy/families/steering';
import { storageFamily } from '@rostra/host/proxy/families/storage';
import { AgentRunAPIProxy } from '@rostra/host/proxy/gate';
import { RefusalCount } from '@rostra/host/proxy/refusal-count';
import { RunResults } from '@rostra/host/proxy/run-results';
import { RunStates } from '@rostra/host/proxy/run-states';
import { Uploads } from '@rostra/host/proxy/uploads';
import { decodeSegment } from '@rostra/host/session/record-line';
import { Cursors } from '@rostra/host/store/cursor';
import type { MemoryStore } from '@rostra/host/store/memory/memory-store';
import { AgentConfig } from '@rostra/protocol/config/agent-config';
import { AgentPolicy } from '@rostra/protocol/session/roster';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { RandomCall } from './call.ts';
import type { Facts, RunFact } from './facts.ts';
import { packages, WORKSPACE } from './random-facts.ts';
import { type StockedStore, stockedStore } from './stocked-store.ts';

type Handler = (params: Json | undefined, id: number, bytes: number) => unknown;
type Peer = ConstructorParameters<typeof ApiCalls>[0];

/** Time as the calls tell it. */
export class CallClock {
  #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  to(at: number): void {
    this.#now = at;
  }

  /** Nothing happens by itself: the trail is flushed at the end. */
  at(): () => void {
    return () => undefined;
  }
}

interface StagedRun extends ActiveRun {
  readonly package: string;
  end(): void;
}

/** The real gate over the real families and a real store, with two packages connected. */
export class Stage {
  readonly clock: CallClock;
  readonly store: MemoryStore;
  readonly served: ReadonlySet<string>;
  /** Runs that the host failed for what they asked, in order. */
  readonly failed: string[] = [];
  readonly #noteRun: StockedStore['add'];
  readonly #trail: AuditTrail;
  readonly #runs = new Map<string, StagedRun>();
  readonly #handlers = new Map<string, Map<string, Handler>>();
  readonly #folder = mkdtempSync(join(tmpdir(), 'rostra-oracle-'));
  #calls = 0;
  #questions = 0;

  static async open(facts: Facts, clock: CallClock): Promise<Stage> {
    return new Stage(await stockedStore(facts, () => clock.now()), clock);
  }

  private constructor({ store, add }: StockedStore, clock: CallClock) {
    this.store = store;
    this.#noteRun = add;
    this.clock = clock;
    const failed = (error: Error) => {
      throw error;
    };
    this.#trail = new AuditTrail({ store: store.audit, clock, failed });
    const services = this.#services();
    this.served = new Set(Object.keys(services));
    const refusals = new RefusalCount({ clock, fail: (run_id) => this.#fail(run_id), quarantine: () => undefined });
    const meter = new CallMeter();
    const door = new AgentRunAPIProxy({
      services,
      workspace_id: WORKSPACE,
      clock,
      meter,
      audit: this.#trail,
      refusals,
    });
    for (const name of packages) {
      const handlers = new Map<string, Handler>();
      this.#handlers.set(name, handlers);
      const live = (run_id: string) => this.#liveOf(name, run_id);
      new ApiCalls(peerOf(handlers), door, { live, wasLive: () => false }, name);
    }
  }

  #services(): ApiServices {
    const { store, clock } = this;
    const cursors = new Cursors('oracle');
    const most = { artifacts: limits.artifact_bytes, storage: limits.storage_object_bytes };
    const uploads = new Uploads({ folder: this.#folder, most });
    const results = new RunResults(async (session_id, seq) => {
      for await (const records of logPages(store, session_id, seq)) return records;
      return [];
    });
    const reading = { sessions: store, transcript: store.transcript, cursors };
    const records: ReadRecords = async (session_id, seqs) => {
      const all = await store.readSegments(session_id, 0, Number.MAX_SAFE_INTEGER);
      return all.flatMap((segment) => decodeSegment(session_id, segment)).filter(({ seq }) => seqs.includes(seq));
    };
    const yes = () => true;
    const voice = { tell: yes, act: yes, pause: yes, resume: yes, watch: () => () => undefined };
    const newId = () => {
      this.#questions += 1;
      return `question-${this.#questions}`;
    };
    const desk = new InteractionDesk({ voice, store: store.interactions, now: () => clock.now(), newId });
    const surfaces = [new ConsoleSurface({ voice, runs: store.runs })];
    const actions = new PlatformActions({ surfaces, desk, store: store.interactions, runs: store.runs });
    const sessions = { cancelRun: async () => undefined, takeInputs: async () => [] };
    return {
      ...historyFamily({ ...reading, artifacts: store.artifacts, now: () => clock.now() }),
      ...eventsFamily({ ...reading, events: store.events, records }),
      ...interactionsFamily({ desk, newId }),
      ...platformFamily({ actions, voice, report: () => undefined }),
      ...artifactsFamily({ artifacts: store.artifacts, uploads, clock }),
      ...stateFamily(new RunStates(store.state, clock), voice),
      ...storageFamily({ storage: store.storage, uploads, clock }),
      ...runsFamily({ runs: store.runs, results, cursors, sessions }),
      ...promptFamily,
      ...steeringFamily({ sessions, audit: this.#trail, now: () => clock.now() }),
    };
  }

  start(fact: RunFact): void {
    const { run_id, turn_id, agent_id, deadline_at, grant, runner_id, place } = fact;
    this.#noteRun({ run_id, agent_id, place, status: 'running' });
    const over = new AbortController();
    const { grants, bootstrap } = AgentConfig.parse({ runner: runner_id });
    const prompt = fact.has_prompt ? [{ role: 'system' as const, content: 'Be brief.' }] : undefined;
    const policy = AgentPolicy.parse({});
    const binding = bindAgent({ agent_id, runner_id, config: {}, policy, grants, bootstrap, prompt, source: 'file' });
    const event = { event_id: 'e', event_type: 'message.received', source: 'api' };
    const envelope = { event, delivery: null } as ActiveRun['charter']['envelope'];
    this.#runs.set(run_id, {
      run_id,
      turn_id,
      session_id: place.conversation_id,
      agent_id,
      deadline_at,
      waited: () => 0,
      charter: { grant, binding, envelope, package_name: fact.package },
      signal: over.signal,
      package: fact.package,
      end: () => over.abort(new Error('over')),
    });
  }

  end(run_id: string): void {
    this.#runs.get(run_id)?.end();
    this.#runs.delete(run_id);
  }

  /** What the caller got: the answer, or the error. */
  async call({ connection, method, params, at }: RandomCall): Promise<{ answer: unknown } | { error: unknown }> {
    const handler = this.#handlers.get(connection)?.get(method);
    if (handler === undefined) throw new Error(`${connection} cannot call ${method}`);
    this.clock.to(at);
    this.#calls += 1;
    try {
      return { answer: await handler(params, this.#calls, JSON.stringify(params)?.length ?? 0) };
    } catch (error) {
      return { error };
    }
  }

  /** The audit as it was written, oldest first. */
  async rows(workspace_id: string) {
    await this.#trail.flush();
    const all = [];
    for (let before: number | undefined; ; ) {
      const page = await this.store.audit.page({ workspace_id }, before === undefined ? {} : { before });
      all.push(...page.rows);
      before = page.rows.at(-1)?.id;
      if (!page.has_more) return all.reverse();
    }
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #liveOf(name: string, run_id: string): ActiveRun | null {
    const run = this.#runs.get(run_id);
    return run?.package === name ? run : null;
  }

  #fail(run_id: string): boolean {
    this.failed.push(run_id);
    this.end(run_id);
    return true;
  }
}

/** As much of a connection as calls need: its lines are not what is asked here. */
function peerOf(handlers: Map<string, Handler>): Peer {
  const peer = {
    onRequest: (method: string, handler: Handler) => void handlers.set(method, handler),
    onNotification: () => undefined,
    notify: () => undefined,
    room: async () => undefined,
    congested: false,
  };
  return peer as unknown as Peer;
}
