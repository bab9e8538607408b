import { type Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AccessKey } from '@rostra/protocol/config/entry-config';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { v7 } from 'uuid';
import { Access } from '../../src/access/access.ts';
import { type Act, actEntry } from '../../src/access/act-entry.ts';
import { RefusalTrail } from '../../src/access/refusal-trail.ts';
import type { TokenVerifier } from '../../src/access/token-verifier.ts';
import { Attachments } from '../../src/attachments/attachments.ts';
import { MemoryBus } from '../../src/bus/memory/memory-bus.ts';
import type { ApiRoute } from '../../src/http/api-route.ts';
import { Authenticator } from '../../src/http/auth.ts';
import type { BoundaryOptions } from '../../src/http/boundary.ts';
import type { HostStatus } from '../../src/http/ports.ts';
import { noteRefusal } from '../../src/http/refused.ts';
import { attachmentRoutes } from '../../src/http/routes/attachments.ts';
import { type InteractionInbox, interactionRoutes } from '../../src/http/routes/interactions.ts';
import { keyRoutes } from '../../src/http/routes/keys.ts';
import { loginRoutes } from '../../src/http/routes/login.ts';
import { runControlRoutes } from '../../src/http/routes/run-control.ts';
import { runStatusRoutes } from '../../src/http/routes/run-status.ts';
import { sessionEventRoutes } from '../../src/http/routes/session-events.ts';
import { waitRoutes } from '../../src/http/routes/wait.ts';
import { createHttpServer, type HttpServer, type ServerTimes } from '../../src/http/server.ts';
import { streamAccess } from '../../src/http/sse/stream-access.ts';
import { TaskReader } from '../../src/http/task-reader.ts';
import { Inbox } from '../../src/interactions/inbox.ts';
import type { Clock } from '../../src/session/clock.ts';
import type { Principal } from '../../src/session/session-gateway.ts';
import { Cursors } from '../../src/store/cursor.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import type { AuditEntry } from '../../src/store/ports/audit.ts';
import type { RegistryStore } from '../../src/store/ports/registry.ts';
import { ManualClock } from '../manual-clock.ts';
import { FakeEntries } from './fake-entries.ts';
import { fakeIntake } from './fake-intake.ts';
import { FakeSession } from './fake-session.ts';

export const KEY = 'rostra_test-key-0123456789';
/** The largest file of a test's host. */
export const ARTIFACT_BYTES = 20 * 1024 * 1024;
export const RUNS = '/api/v1/agent/runs';
export const threadId = '550e8400-e29b-41d4-a716-446655440000';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  json(): Record<string, unknown> & { details: Record<string, unknown> };
}

interface Ask {
  headers?: Record<string, string>;
  body?: string | Buffer;
  key?: string | null;
  /** Whose connections are used; one of its own unless told. */
  agent?: Agent | false;
}

/** Who may use a test's host, beside the owner. */
interface TestAccess {
  tokens?: (clock: Clock) => TokenVerifier;
  public_url?: string | null;
  /** What another host left. */
  registry?: RegistryStore;
}

/** A real server on a free port, over a session that only keeps a log. */
export class TestHost {
  readonly bus = new MemoryBus((error) => this.reported.push(error));
  readonly session = new FakeSession(this.bus);
  readonly entries = new FakeEntries();
  readonly clock = new ManualClock();
  readonly store = new MemoryStore();
  /** Nobody has asked anything. */
  inbox: InteractionInbox = new Inbox({
    store: { readHead: async () => null, interactions: new MemoryStore().interactions },
    gateway: { answer: async () => false },
    now: () => this.clock.now(),
  });
  /** Of runs nothing is known here but their turns. */
  readonly tasks = new TaskReader({ runs: new MemoryStore().runs, prices: () => ({}), firstOutput: () => null });
  readonly reported: unknown[] = [];
  /** What was written down of who did what. */
  readonly audit: AuditEntry[] = [];
  registry!: RegistryStore;
  access!: Access;
  attachments!: Attachments;
  /** Routes that come before the usual ones. */
  more: readonly ApiRoute[] = [];
  draining = false;
  status: HostStatus = {
    version: '0.1.0',
    started_at: this.clock.now(),
    sessions: 2,
    live_turns: 1,
    agents: ['guide', 'scout'],
    runner: 'ready',
    missing: [],
  };
  /** What a session says to a message of a websocket. */
  send = async (session_id: string, message: JsonObject): Promise<JsonObject> => ({ session_id, message });
  port = 0;
  http!: HttpServer;

  static async start(
    boundary: Partial<BoundaryOptions> = {},
    times: ServerTimes = {},
    keys: readonly AccessKey[] = [],
    { tokens, public_url = null, registry = new MemoryStore().registry }: TestAccess = {},
  ): Promise<TestHost> {
    const host = new TestHost();
    host.registry = registry;
    const access = await Access.open({
      key: KEY,
      owner: { workspace_id: 'local', user_id: 'owner' },
      configured: keys,
      tokens: tokens?.(host.clock) ?? null,
      registry: host.registry,
      clock: host.clock,
      failed: (error) => host.reported.push(error),
    });
    host.access = access;
    host.attachments = new Attachments({
      artifacts: host.store.artifacts,
      sessions: host.store,
      clock: host.clock,
      newId: v7,
      secret: KEY,
      public_url,
      address: () => `http://127.0.0.1:${host.port}`,
    });
    const audit = { add: (entry: AuditEntry) => host.audit.push(entry) };
    const trail = new RefusalTrail({ audit, workspace_id: 'local', now: () => host.clock.now() });
    const acted = (principal: Principal, act: Act) => audit.add(actEntry(host.clock.now(), principal, act));
    host.http = createHttpServer(
      {
        ...fakeIntake(host.store, host.attachments),
        gateway: host.session,
        bus: host.bus,
        clock: host.clock,
        auth: new Authenticator({
          access,
          hint: 'The key is in .rostra/owner.key.',
          public_origin: public_url === null ? null : new URL(public_url).origin,
        }),
        login: { access, public_url, acted },
        checkRun: (principal) => access.checkRun(principal),
        refused: (ask, failure) => noteRefusal(trail, ask, failure),
        console: '/nowhere',
        status: () => host.status,
        metrics: () => '# HELP up 1\n',
        report: (failure) => host.reported.push(failure),
        log: host.session,
        streams: streamAccess(access),
        send: (session_id, message) => host.send(session_id, message),
        events: host.entries,
        hooks: host.entries,
        routes: async () => [
          ...host.more,
          ...attachmentRoutes({
            attachments: host.attachments,
            clock: host.clock,
            artifact_bytes: () => ARTIFACT_BYTES,
          }),
          ...waitRoutes({
            gateway: host.session,
            bus: host.bus,
            clock: host.clock,
            access: streamAccess(access),
            whenGone: (session_id, listener) => host.http.hub.whenGone(session_id, listener),
            describe: (turn) => host.tasks.describe(turn),
          }),
          ...sessionEventRoutes({ gateway: host.session, hub: host.http.hub }),
          ...keyRoutes({ access, acted }),
          ...loginRoutes({ access, public_url, acted }),
          ...runControlRoutes({
            gateway: host.session,
            bus: host.bus,
            clock: host.clock,
            whenGone: (session_id, listener) => host.http.hub.whenGone(session_id, listener),
            describe: (turn) => host.tasks.describe(turn),
          }),
          ...runStatusRoutes({
            gateway: host.session,
            desk: { find: () => Promise.reject(new Error('nobody asks for threads here')) },
            store: new MemoryStore(),
            cursors: new Cursors(KEY),
            tasks: host.tasks,
          }),
          ...interactionRoutes({
            inbox: {
              page: (principal, query) => host.inbox.page(principal, query),
              get: (principal, id) => host.inbox.get(principal, id),
              answer: (principal, id, answer) => host.inbox.answer(principal, id, answer),
            },
          }),
        ],
        boundary: { bind: '127.0.0.1', hosts: [], origins: [], ...boundary },
        isDraining: () => host.draining,
      },
      times,
    );
    await new Promise<void>((resolve) => host.http.server.listen(0, '127.0.0.1', resolve));
    host.port = (host.http.server.address() as AddressInfo).port;
    return host;
  }

  ask(method: string, path: string, { headers = {}, body, key = KEY, agent = false }: Ask = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const auth = key === null ? {} : { authorization: `Bearer ${key}` };
      const options = {
        port: this.port,
        host: '127.0.0.1',
        method,
        path,
        headers: { ...auth, ...headers },
        agent,
      };
      const req = request(options, (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('error', reject);
        res.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: res.statusCode ?? 0, headers: res.headers, text, json: () => JSON.parse(text) });
        });
      });
      req.on('error', reject);
      req.end(body);
    });
  }

  post(input: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const body = typeof input === 'string' || Buffer.isBuffer(input) ? input : JSON.stringify(input);
    return this.ask('POST', RUNS, { headers: { 'content-type': 'application/json', ...headers }, body });
  }

  events(taskId: string, lastEventId?: string): Promise<Answer> {
    const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    return this.ask('GET', `${RUNS}/${taskId}/events`, { headers });
  }

  async stop(): Promise<void> {
    const closed = this.http.close();
    this.clock.advance(2_000);
    await closed;
  }
}

export function run(more: object = {}): object {
  return { threadId, runId: 'run-001', messages: [{ id: 'msg-001', role: 'user', content: 'hello' }], ...more };
}
