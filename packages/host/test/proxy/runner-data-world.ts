import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { grantOf } from '@rostra/kernel/grant/grant';
import { grantTerms, nothingOffered } from '@rostra/kernel/grant/grant-terms';
import type { ApiMethodName, ApiParams, ApiResult } from '@rostra/protocol/api/api-methods';
import { AgentGrants } from '@rostra/protocol/config/agent-config';
import { AgentRunnerCapabilities, AgentRunnerPermissions } from '@rostra/protocol/runner/manifest';
import { AgentEventEnvelope, ContextAPICapabilities } from '@rostra/protocol/runner/run-context';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { afterAll } from 'vitest';
import type { ActiveRun } from '../../src/orchestrator/run-charter.ts';
import type { ApiServices } from '../../src/proxy/api-family.ts';
import { CallMeter } from '../../src/proxy/call-meter.ts';
import { artifactCreated } from '../../src/proxy/effects/artifact-created.ts';
import { stateUpdated } from '../../src/proxy/effects/state-updated.ts';
import { artifactsFamily } from '../../src/proxy/families/artifacts.ts';
import { stateFamily } from '../../src/proxy/families/state.ts';
import { storageFamily } from '../../src/proxy/families/storage.ts';
import { AgentRunAPIProxy } from '../../src/proxy/gate.ts';
import { RunStates } from '../../src/proxy/run-states.ts';
import { Uploads } from '../../src/proxy/uploads.ts';
import type { HostStore } from '../../src/store/host-store.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { ManualClock } from '../manual-clock.ts';
import { agent } from '../orchestrator/world.ts';
import { workerUrl } from '../store/sqlite/sqlite-folder.ts';

export interface RunOf {
  run_id?: string;
  runner_id?: string;
  agent_id?: string;
  package_name?: string;
  workspace_id?: string;
  bot_id?: string | null;
  conversation_id?: string;
  thread_id?: string | null;
  actor_id?: string | null;
  subject_id?: string | null;
  permissions?: Partial<AgentRunnerPermissions>;
  grants?: Partial<AgentGrants>;
}

export interface TestRun extends ActiveRun {
  end(): void;
}

let shared: Promise<{ store: HostStore; folder: string }> | null = null;
let worlds = 0;

async function open() {
  const folder = mkdtempSync(path.join(tmpdir(), 'rostra-bytes-'));
  return { folder, store: await SqliteStore.open({ path: path.join(folder, 'rostra.db'), workerUrl }) };
}

afterAll(async () => {
  if (shared === null) return;
  const { store, folder } = await shared;
  shared = null;
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const asksForAll = { artifacts: ['metadata', 'read'], storage: ['plugin', 'workspace', 'binding'] };

/** The families of bytes behind the real gate and on a real database. */
export class RunnerDataWorld {
  readonly clock = new ManualClock();
  readonly uploadsFolder: string;
  readonly store: HostStore;
  readonly workspace_id: string;
  readonly states: RunStates;
  readonly uploads: Uploads;
  readonly gate: AgentRunAPIProxy;
  /** What the sessions of runs were told of their deeds. */
  readonly told: { run_id: string; subtype: string; payload: unknown }[] = [];
  readonly audited: { action: string; scope: string | null; result: string }[] = [];
  readonly effects: { state: ReturnType<typeof stateUpdated>; artifact: ReturnType<typeof artifactCreated> };
  #runs = 0;
  #ids = 0;

  private constructor(store: HostStore, folder: string, workspace_id: string) {
    this.store = store;
    this.workspace_id = workspace_id;
    this.uploadsFolder = path.join(folder, `uploads of ${workspace_id}`);
    const { clock } = this;
    const { artifacts, storage, state } = store;
    this.states = new RunStates(state, clock);
    const most = { artifacts: limits.artifact_bytes, storage: limits.storage_object_bytes };
    this.uploads = new Uploads({ folder: this.uploadsFolder, most });
    const { uploads, states } = this;
    const services: ApiServices = {
      ...stateFamily(states, {
        act: (run_id, subtype, payload) => {
          this.told.push({ run_id, subtype, payload });
          return true;
        },
      }),
      ...artifactsFamily({ artifacts, uploads, clock }),
      ...storageFamily({ storage, uploads, clock }),
    };
    this.gate = new AgentRunAPIProxy({
      services,
      workspace_id,
      clock,
      meter: new CallMeter({ calls: 10_000, bytes: limits.run_call_bytes }),
      audit: { add: ({ action, scope, result }) => void this.audited.push({ action, scope, result }) },
      refusals: { refused: () => undefined },
    });
    const newId = () => {
      this.#ids += 1;
      return `${workspace_id}-artifact-${this.#ids}`;
    };
    this.effects = { state: stateUpdated(states), artifact: artifactCreated({ artifacts, uploads, clock, newId }) };
  }

  /** Worlds of one file share a database and have nothing else in common. */
  static async open(): Promise<RunnerDataWorld> {
    shared ??= open();
    const { store, folder } = await shared;
    worlds += 1;
    return new RunnerDataWorld(store, folder, `w${worlds}`);
  }

  /** A live run; whatever is not said is the same for all of them. */
  run(of: RunOf = {}): TestRun {
    this.#runs += 1;
    const { run_id = `run-${this.#runs}`, runner_id = 'runner', agent_id = 'guide', package_name = 'package' } = of;
    const { actor_id = 'ann', subject_id = 'message', bot_id = null, thread_id = null } = of;
    const { workspace_id = this.workspace_id, conversation_id = 'c' } = of;
    const terms = grantTerms({
      manifest: {
        permissions: AgentRunnerPermissions.parse({ ...asksForAll, ...of.permissions }),
        capabilities: AgentRunnerCapabilities.parse({}),
      },
      grants: AgentGrants.parse(of.grants ?? {}),
      steering: false,
      offers: { ...nothingOffered, apis: ContextAPICapabilities.keyof().options },
      identities: { bot: bot_id !== null, actor: actor_id !== null, subject: subject_id !== null },
    });
    const scope = { workspace_id, bot_id, conversation_id, thread_id, actor_id, subject_id };
    const grant = grantOf(terms, { run_id, runner_id, agent_id, scope, attachments: [] });
    const ending = new AbortController();
    return {
      run_id,
      turn_id: `turn of ${run_id}`,
      session_id: conversation_id,
      agent_id,
      charter: { grant, binding: agent(agent_id, runner_id), envelope: event, package_name },
      deadline_at: this.clock.now() + 60_000,
      waited: () => 0,
      signal: ending.signal,
      end: () => ending.abort(new ApiError('unauthorized', 'There is no such live run on this connection.')),
    };
  }

  /** A call as it comes over the wire. `push` gets the pieces of an answer in pieces. */
  async call<M extends ApiMethodName>(
    run: ActiveRun,
    method: M,
    params: ApiParams<M> | { [key: string]: Json },
    push: (piece: Json) => Promise<void> = async () => undefined,
  ): Promise<ApiResult<M>> {
    const sent: { [key: string]: Json } = JSON.parse(JSON.stringify({ run_id: run.run_id, ...params }));
    const { package_name: caller } = run.charter;
    const bytes = Buffer.byteLength(JSON.stringify(sent));
    return (await this.gate.call({ method, params: sent, bytes, run, caller, push })) as ApiResult<M>;
  }

  /** Uploads in pieces; the answer is the size that was said last. */
  async upload(run: ActiveRun, method: 'artifacts.write' | 'storage.write', upload_id: string, bytes: Buffer) {
    let size = 0;
    for (let offset = 0; offset < bytes.byteLength; offset += limits.piece_bytes) {
      const content_base64 = bytes.subarray(offset, offset + limits.piece_bytes).toString('base64');
      size = (await this.call(run, method, { upload_id, offset, content_base64 })).size_bytes;
    }
    return size;
  }

  /** What lies in the folder of uploads. */
  uploaded(): string[] {
    try {
      return readdirSync(this.uploadsFolder);
    } catch {
      return [];
    }
  }

  /** Waits for what is removed behind somebody's back. */
  async settled(): Promise<void> {
    for (let n = 0; n < 200 && this.uploaded().length > 0; n += 1)
      await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const event = AgentEventEnvelope.parse({ event: { event_id: 'e', event_type: 'message.received', source: 'api' } });

/** The refusal that a call ends with. */
export async function refusalOf(
  call: Promise<unknown>,
): Promise<{ code: string; message: string; reason: Json | undefined }> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error.code, message: error.message, reason: error.details.reason };
  }
  throw new Error('the call was answered');
}
