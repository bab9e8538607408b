import { type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AccessKey } from '@rostra/protocol/config/entry-config';
import { MemoryBus } from '../../src/bus/memory/memory-bus.ts';
import { Authenticator } from '../../src/http/auth.ts';
import type { BoundaryOptions } from '../../src/http/boundary.ts';
import type { HostStatus } from '../../src/http/ports.ts';
import type { InteractionInbox } from '../../src/http/routes/interactions.ts';
import { createHttpServer, type HttpServer, type ServerTimes } from '../../src/http/server.ts';
import { Inbox } from '../../src/interactions/inbox.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { ManualClock } from '../manual-clock.ts';
import { FakeEntries } from './fake-entries.ts';
import { FakeSession } from './fake-session.ts';

export const KEY = 'rostra_test-key-0123456789';
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
}

/** A real server on a free port, over a session that only keeps a log. */
export class TestHost {
  readonly bus = new MemoryBus((error) => this.reported.push(error));
  readonly session = new FakeSession(this.bus);
  readonly entries = new FakeEntries();
  readonly clock = new ManualClock();
  /** Nobody has asked anything. */
  inbox: InteractionInbox = new Inbox({
    store: { readHead: async () => null, interactions: new MemoryStore().interactions },
    gateway: { answer: async () => false },
    now: () => this.clock.now(),
  });
  readonly reported: unknown[] = [];
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
  port = 0;
  http!: HttpServer;

  static async start(
    boundary: Partial<BoundaryOptions> = {},
    times: ServerTimes = {},
    keys: readonly AccessKey[] = [],
  ): Promise<TestHost> {
    const host = new TestHost();
    const hint = 'The key is in .rostra/owner.key.';
    host.http = createHttpServer(
      {
        gateway: host.session,
        bus: host.bus,
        clock: host.clock,
        auth: new Authenticator(KEY, { workspace_id: 'local', user_id: 'owner' }, hint, keys),
        home: { key: '$(cat .rostra/owner.key)', commands: [['/help', 'lists <commands>']] },
        status: () => host.status,
        metrics: () => '# HELP up 1\n',
        report: (failure) => host.reported.push(failure),
        log: host.session,
        events: host.entries,
        hooks: host.entries,
        inbox: {
          page: (principal, query) => host.inbox.page(principal, query),
          get: (principal, id) => host.inbox.get(principal, id),
          answer: (principal, id, answer) => host.inbox.answer(principal, id, answer),
        },
        boundary: { bind: '127.0.0.1', hosts: [], origins: [], ...boundary },
        isDraining: () => host.draining,
      },
      times,
    );
    await new Promise<void>((resolve) => host.http.server.listen(0, '127.0.0.1', resolve));
    host.port = (host.http.server.address() as AddressInfo).port;
    return host;
  }

  ask(method: string, path: string, { headers = {}, body, key = KEY }: Ask = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const auth = key === null ? {} : { authorization: `Bearer ${key}` };
      const options = {
        port: this.port,
        host: '127.0.0.1',
        method,
        path,
        headers: { ...auth, ...headers },
        agent: false,
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
