import { type ChildProcess, fork, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childrenOf, cpuOf } from './cpu.ts';
import { isWholeStream, WireClient } from './wire-client.ts';

/** What a client does once, from the request to the end of the stream. */
export interface Conversation {
  run(): Promise<void>;
  /** Milliseconds from the request to the first event of the last run. */
  firstEvent: number;
  close(): void;
}

/** A server under measurement. */
export interface Subject {
  readonly name: string;
  connect(): Conversation;
  /** Seconds of CPU used so far by the server and everything it started. */
  cpu(): number;
  stop(): void;
}

const COMMAND = '/stream 50';

function runBody(threadId: string): string {
  const messages = [{ id: 'msg-001', role: 'user', content: COMMAND }];
  return JSON.stringify({
    threadId,
    runId: randomUUID(),
    state: {},
    messages,
    tools: [],
    context: [],
    forwardedProps: {},
  });
}

/** Plain `node:http`: one request, and the events come back in its answer. */
export async function startAnchor(file: string, events: unknown[]): Promise<Subject> {
  const child = fork(file, { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const listening = new Promise<{ port: number }>((resolve) => {
    child.once('message', (address) => resolve(address as { port: number }));
  });
  child.send(events);
  const { port } = await listening;
  const connect = (): Conversation => {
    const wire = new WireClient(port);
    const threadId = randomUUID();
    const conversation = {
      firstEvent: 0,
      async run() {
        const started = performance.now();
        wire.firstByteAt = 0;
        await wire.post('/', 'Accept: text/event-stream\r\n', runBody(threadId), isWholeStream);
        conversation.firstEvent = wire.firstByteAt - started;
      },
      close: () => wire.close(),
    };
    return conversation;
  };
  return { name: 'node:http', connect, cpu: () => cpuOf(child.pid ?? 0), stop: () => child.kill() };
}

/** The built host. Every client has a session of its own; each run is a POST, then its events. */
export async function startHost(name: string, args: string[]): Promise<Subject & { sample(): Promise<unknown[]> }> {
  const data = mkdtempSync(join(tmpdir(), 'rostra-bench-'));
  const env = { ...process.env, ROSTRA_DATA: data, ROSTRA_PORT: '0' };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await portOf(child);
  const key = readFileSync(join(data, 'owner.key'), 'utf8').trim();
  const headers = `Authorization: Bearer ${key}\r\n`;
  const connect = () => {
    const wire = new WireClient(port);
    const threadId = randomUUID();
    const conversation = {
      firstEvent: 0,
      text: '',
      async run() {
        const started = performance.now();
        const answer = await wire.post('/api/v1/agent/runs', headers, runBody(threadId));
        const taskId = /"taskId":"([^"]+)"/.exec(answer)?.[1];
        if (taskId === undefined) throw new Error(`the host refused a run: ${answer}`);
        conversation.text = await wire.get(`/api/v1/agent/runs/${taskId}/events`, headers);
        if (!conversation.text.includes('RUN_FINISHED')) throw new Error(`a run did not finish: ${conversation.text}`);
        conversation.firstEvent = wire.firstByteAt - started;
      },
      close: () => wire.close(),
    };
    return conversation;
  };
  const sample = async () => {
    const conversation = connect();
    await conversation.run();
    conversation.close();
    return [...conversation.text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json ?? '') as unknown);
  };
  const pids = () => [child.pid ?? 0, ...childrenOf(child.pid ?? 0)];
  const stop = () => {
    child.kill('SIGKILL');
    rmSync(data, { recursive: true, force: true });
  };
  return { name, connect, sample, cpu: () => pids().reduce((sum, pid) => sum + cpuOf(pid), 0), stop };
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    child.once('exit', (code) => reject(new Error(`the host ended with ${code}: ${output}`)));
  });
}
