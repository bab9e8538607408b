import { type ChildProcess, fork, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnchorOrder, AnchorPace } from './anchor-server.ts';
import { childrenOf, cpuOf } from './cpu.ts';
import { hasBegun, isWholeAnswer, isWholeStream, WireClient } from './wire-client.ts';

/** What a client does once, from the request to the end of the stream. */
export interface Conversation {
  run(): Promise<void>;
  /** Milliseconds from the request to the first event of the last run. */
  firstEvent: number;
  /** The answer to the last run, with its headers. */
  text: string;
  close(): void;
}

/** A server under measurement. */
export interface Subject {
  readonly name: string;
  /** A client that always says this; `/stream 50` unless told. */
  connect(command?: string, threadId?: string): Conversation;
  /** Opens a stream that stays open, and resolves when it has begun. */
  hold(): Promise<() => void>;
  readonly port: number;
  readonly pid: number;
  /** Seconds of CPU used so far by the server and everything it started. */
  cpu(): number;
  stop(): void;
}

/** The host under measurement; it can die and come back on the same data. */
export interface HostSubject extends Subject {
  /** The events of one run. */
  sample(): Promise<unknown[]>;
  /** Ends it with `kill -9` and leaves its data. */
  kill(): Promise<void>;
  readonly data: string;
  /** What the owner shows. */
  readonly headers: string;
}

const COMMAND = '/stream 50';
const HANGING_RUNS = 16;
const AGUI_PATH = '/api/v1/agent/agui';

function runBody(threadId: string, command: string): string {
  const runId = randomUUID();
  // A client that said this before under the same name would only ask for the answer once more.
  const messages = [{ id: runId, role: 'user', content: command }];
  return JSON.stringify({
    threadId,
    runId,
    state: {},
    messages,
    tools: [],
    context: [],
    forwardedProps: {},
  });
}

/** Plain `node:http`: one request, and the events come back in its answer. */
export async function startAnchor(file: string, events: unknown[], pace: AnchorPace = 'at once'): Promise<Subject> {
  const child = fork(file, { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  leaveNone(child);
  const listening = new Promise<{ port: number }>((resolve) => {
    child.once('message', (address) => resolve(address as { port: number }));
  });
  const order: AnchorOrder = { events, pace };
  child.send(order);
  const { port } = await listening;
  const connect = (): Conversation => {
    const wire = new WireClient(port);
    const threadId = randomUUID();
    const conversation = {
      firstEvent: 0,
      text: '',
      async run() {
        const started = performance.now();
        wire.firstByteAt = 0;
        conversation.text = await wire.post(
          '/',
          'Accept: text/event-stream\r\n',
          runBody(threadId, COMMAND),
          isWholeStream,
        );
        conversation.firstEvent = wire.firstByteAt - started;
      },
      close: () => wire.close(),
    };
    return conversation;
  };
  const hold = async () => {
    const wire = new WireClient(port);
    await wire.post('/', 'Accept: text/event-stream\r\n', runBody(randomUUID(), COMMAND), hasBegun);
    return () => wire.close();
  };
  const pid = child.pid ?? 0;
  return { name: 'node:http', port, pid, connect, hold, cpu: () => cpuOf(pid), stop: () => child.kill() };
}

/** The built host. Every client has a session of its own; each run is one POST of an AG-UI client. */
export async function startHost(
  name: string,
  args: string[],
  data = mkdtempSync(join(tmpdir(), 'rostra-bench-')),
): Promise<HostSubject> {
  // Logs to a file, as a host that is worth measuring has them.
  const config = join(data, 'rostra.yaml');
  writeFileSync(config, JSON.stringify({ log: { file: join(data, 'host.log') } }));
  const env = { ...process.env, ROSTRA_DATA: data, ROSTRA_PORT: '0', ROSTRA_DETECT: 'off', ROSTRA_CONFIG: config };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  leaveNone(child);
  const port = await portOf(child);
  const key = readFileSync(join(data, 'owner.key'), 'utf8').trim();
  const headers = `Authorization: Bearer ${key}\r\n`;
  const stream = `${headers}Accept: text/event-stream\r\n`;
  const connect = (command = COMMAND, threadId: string = randomUUID()) => {
    const wire = new WireClient(port);
    const conversation = {
      firstEvent: 0,
      text: '',
      async run() {
        const started = performance.now();
        wire.firstByteAt = 0;
        conversation.text = await wire.post(AGUI_PATH, stream, runBody(threadId, command), isWholeAnswer);
        if (!conversation.text.includes('RUN_FINISHED')) throw new Error(`a run did not finish: ${conversation.text}`);
        conversation.firstEvent = wire.firstByteAt - started;
      },
      close: () => wire.close(),
    };
    return conversation;
  };
  /** Streams that wait for a few runs which never end: more runs than a process takes would wait themselves. */
  const holding: Promise<string>[] = [];
  const hangs = async () => {
    const wire = new WireClient(port);
    const answer = await wire.post('/api/v1/agent/runs', headers, runBody(randomUUID(), '/hang'));
    wire.close();
    return /"taskId":"([^"]+)"/.exec(answer)?.[1] ?? '';
  };
  let held = 0;
  const hold = async () => {
    if (holding.length < HANGING_RUNS) holding.push(hangs());
    held += 1;
    const taskId = await holding[held % holding.length];
    const wire = new WireClient(port);
    await wire.get(`/api/v1/agent/runs/${taskId}/events`, headers, hasBegun);
    return () => wire.close();
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
  const pid = child.pid ?? 0;
  const kill = () =>
    new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.kill('SIGKILL');
    });
  return {
    name,
    port,
    pid,
    data,
    headers,
    connect,
    hold,
    sample,
    kill,
    cpu: () => pids().reduce((sum, pid) => sum + cpuOf(pid), 0),
    stop,
  };
}

/** A bench that fails leaves no server behind. */
function leaveNone(child: ChildProcess): void {
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
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
