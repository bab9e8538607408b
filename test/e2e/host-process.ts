import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runnersOf } from '../crash/orphans.ts';
import { type Frame, readFrames } from './sse-client.ts';

const cli = fileURLToPath(new URL('../../packages/host/dist/cli.js', import.meta.url));

/** The configuration of a host that greets nobody, since its guide is its own: for tests of the first thing it does. */
export const ownGuide = { agents: { guide: { runner: 'rostra/demo/default', config: { name: 'guide' } } } };

export interface Reply {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

/** The built host in a process of its own, on a data folder that survives its restarts. */
export class HostProcess {
  readonly data: string;
  readonly #env: Record<string, string>;
  #child: ChildProcess | null = null;
  /** How the process ended, once it has: its exit code, or null when a signal ended it. */
  gone: Promise<number | null> = Promise.resolve(null);
  output = '';
  url = '';

  /** `config` is its rostra.yaml: JSON is YAML. */
  constructor(env: Record<string, string> = {}, config: object | null = null) {
    this.data = mkdtempSync(join(tmpdir(), 'rostra-e2e-'));
    const file = join(this.data, 'rostra.yaml');
    if (config !== null) writeFileSync(file, JSON.stringify(config));
    this.#env = config === null ? env : { ROSTRA_CONFIG: file, ...env };
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get key(): string {
    return readFileSync(join(this.data, 'owner.key'), 'utf8').trim();
  }

  /** Whether the process is still there. */
  get isUp(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Starts it, or rejects when it ends before it listens. `once` is added to its environment for this time. */
  async start(once: Record<string, string> = {}): Promise<void> {
    // Whatever models the machine has are no part of a test.
    const own = { ROSTRA_DATA: this.data, ROSTRA_PORT: '0', ROSTRA_DETECT: 'off' };
    const env = { ...process.env, ...own, ...this.#env, ...once };
    // Not in the repository, where somebody may keep a configuration.
    const child = spawn(process.execPath, [cli, 'start'], { cwd: this.data, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    this.gone = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
    this.url = await new Promise<string>((resolve, reject) => {
      let greeting = '';
      child.stdout.on('data', (chunk: Buffer) => {
        this.output += chunk.toString();
        greeting += chunk.toString();
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(greeting);
        if (found !== null) resolve(found[0]);
      });
      child.stderr.on('data', (chunk: Buffer) => {
        this.output += chunk.toString();
      });
      child.once('close', (code) => reject(new Error(`the host ended with ${code}: ${this.output}`)));
    });
  }

  /** Ends the host with a signal and waits until it is gone. */
  async signal(signal: NodeJS.Signals): Promise<number | null> {
    this.#child?.kill(signal);
    return await this.gone;
  }

  /** From here on nobody reads what the host prints. */
  leaveOutput(): void {
    this.#child?.stdout?.destroy();
    this.#child?.stderr?.destroy();
  }

  async dispose(): Promise<void> {
    if (this.isUp) await this.signal('SIGKILL');
    // A runner that neither reads nor obeys would outlive the host that a test has killed.
    if (process.platform === 'linux') for (const { pid } of runnersOf(this.data)) process.kill(pid, 'SIGKILL');
    rmSync(this.data, { recursive: true, force: true });
  }

  async request(method: string, path: string, options: { body?: unknown; headers?: Record<string, string> } = {}) {
    const headers: Record<string, string> = { authorization: `Bearer ${this.key}`, ...options.headers };
    const init: RequestInit = { method, headers };
    if (options.body !== undefined) {
      headers['content-type'] ??= 'application/json';
      init.body = typeof options.body === 'string' ? options.body : JSON.stringify(options.body);
    }
    const response = await fetch(`${this.url}${path}`, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const body = isJson ? (JSON.parse(text) as Record<string, unknown>) : { text };
    return { status: response.status, headers: response.headers, body } satisfies Reply;
  }

  run(content: unknown, options: { threadId?: string; runId?: string; agentId?: string } = {}): Promise<Reply> {
    return this.request('POST', '/api/v1/agent/runs', { body: runInput(content, options) });
  }

  /** Submits and returns the task id. */
  async accept(
    content: string,
    options: { threadId?: string; runId?: string; agentId?: string } = {},
  ): Promise<string> {
    const reply = await this.run(content, options);
    if (reply.status !== 202) throw new Error(`refused: ${JSON.stringify(reply.body)}`);
    return String(reply.body.taskId);
  }

  /** Reads frames of a task until it ends, or until `most` were read. */
  events(taskId: string, options: { after?: string; most?: number } = {}): Promise<Frame[]> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.key}` };
    if (options.after !== undefined) headers['last-event-id'] = options.after;
    return readFrames(`${this.url}/api/v1/agent/runs/${taskId}/events`, headers, options.most);
  }

  async task(taskId: string): Promise<Record<string, unknown>> {
    return (await this.request('GET', `/api/v1/agent/runs/${taskId}`)).body;
  }

  cancel(taskId: string, query = '?wait=1'): Promise<Reply> {
    return this.request('POST', `/api/v1/agent/runs/${taskId}/cancel${query}`);
  }
}

export function runInput(content: unknown, options: { threadId?: string; runId?: string; agentId?: string } = {}) {
  return {
    threadId: options.threadId ?? randomUUID(),
    runId: options.runId ?? randomUUID(),
    state: {},
    messages: [{ id: 'msg-001', role: 'user', content }],
    tools: [],
    context: [],
    forwardedProps: options.agentId === undefined ? {} : { agentId: options.agentId },
  };
}
