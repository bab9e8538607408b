import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { type ChildChannel, type ChildCommand, type ChildExit, spawnChild } from '@rostra/transport/child-process';
import { LineReader } from '@rostra/transport/line-reader';
import { LineWriter } from '@rostra/transport/line-writer';
import type { Timers } from '@rostra/transport/timers';
import { readableMessage } from './message-gauge.ts';
import type { NoticeMeter } from './notice-meter.ts';
import { floods, type McpModule, serverFault, tooLarge } from './server-fault.ts';
import type { ServerLog } from './server-log.ts';

/** Who is told which process groups live, so that a host that died leaves none behind. */
export interface ProcessList {
  add(pid: number): void;
  remove(pid: number): void;
}

export interface StdioOptions {
  readonly sdk: McpModule;
  readonly server_id: string;
  readonly command: ChildCommand;
  readonly log: ServerLog;
  readonly timers: Timers;
  readonly meter: NoticeMeter;
  readonly processes?: ProcessList | undefined;
  /** Learns why the connection is gone that nobody here has closed, before anybody is told that it is. */
  readonly lost: (why: ApiError) => void;
}

/** How long a program that is told so by the end of its input may take to leave. */
const LEAVE = 500;

/** What an empty line counts as: nothing that anybody waits for. */
const blank = { method: '' };

/** A program as the leader of its own process group, one message per line. Nothing of it outlives the connection. */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;

  readonly #options: StdioOptions;
  #child: ChildChannel | null = null;
  #writer: LineWriter | null = null;
  #reader: LineReader | null = null;
  #noises = 0;
  #isOver = false;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { command, log, timers, processes, server_id } = this.#options;
    const child = spawnChild(command, { onStderr: (line) => log.printed('stderr', line), timers });
    const { pid } = child;
    child.writable.on('error', () => undefined);
    if (pid === undefined) {
      const { error } = await child.exited;
      throw notStarted(server_id, command, error);
    }
    processes?.add(pid);
    this.#child = child;
    this.#writer = new LineWriter(child.writable);
    const reader = new LineReader(limits.tool_message_bytes, {
      onLine: (line) => this.#heard(line),
      onOverlong: () => this.#sever(tooLarge(server_id)),
    });
    this.#reader = reader;
    child.readable.on('data', (chunk: Buffer) => reader.push(chunk));
    child.readable.on('end', () => reader.end());
    child.readable.on('error', () => reader.stop());
    void child.exited.then((exit) => {
      processes?.remove(pid);
      this.#end(ended(server_id, exit, log.last));
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#writer === null || this.#writer.broken) {
      throw serverFault(`The connection to the tool server ${this.#options.server_id} was lost.`);
    }
    this.#options.meter.sent(message);
    this.#writer.send(JSON.stringify(message), false);
  }

  async close(): Promise<void> {
    const child = this.#child;
    this.#end(null);
    if (child === null) return;
    const { timers } = this.#options;
    child.writable.end();
    const offAsk = timers.after(LEAVE, () => child.kill('SIGTERM'));
    const offForce = timers.after(limits.runner_stop, () => child.kill('SIGKILL'));
    await child.exited;
    offAsk();
    offForce();
  }

  #heard(line: string): void {
    if (this.#isOver) return;
    const { sdk, server_id, meter } = this.#options;
    if (line === '') {
      if (meter.isFlood(blank)) this.#sever(floods(server_id));
      return;
    }
    // What begins like a message and cannot be walked is no noise: somebody may wait for it.
    const readable = line.startsWith('{') ? readableMessage(line) : '';
    if (readable === null) {
      this.#sever(serverFault(`The tool server ${server_id} sent a message that cannot be read.`));
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = sdk.parseJSONRPCMessage(JSON.parse(readable));
    } catch {
      this.#noise(line);
      return;
    }
    if (meter.isFlood(message)) this.#sever(floods(server_id));
    else this.onmessage?.(message);
  }

  /** Some programs print on their output what belongs into a log. */
  #noise(line: string): void {
    const { server_id, log } = this.#options;
    log.printed('stdout', line);
    this.#noises += 1;
    if (this.#noises <= limits.tool_server_noise) return;
    const hint = `Check tools.servers.${server_id}.command: it must speak the protocol on its standard output.`;
    this.#sever(serverFault(`The program of the tool server ${server_id} prints what are no messages.`, hint));
  }

  /** Cuts it off at once: who breaks the rules is not asked to leave. */
  #sever(why: ApiError): void {
    this.#end(why);
    this.#child?.kill('SIGKILL');
  }

  #end(why: ApiError | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reader?.stop();
    if (why !== null) this.#options.lost(why);
    this.onclose?.();
  }
}

function notStarted(server_id: string, { file }: ChildCommand, error: Error | null): ApiError {
  const missing = error !== null && 'code' in error && error.code === 'ENOENT';
  return serverFault(
    `The program of the tool server ${server_id} cannot be started: ${missing ? `there is no ${file}` : `${file} did not start`}.`,
    `Check tools.servers.${server_id}.command and cwd.`,
  );
}

function ended(server_id: string, { code, signal }: ChildExit, last: string | null): ApiError {
  const how = signal === null ? `with code ${code ?? 'unknown'}` : `by ${signal}`;
  const words = last === null ? '' : ` Its last words: ${JSON.stringify(last)}`;
  return serverFault(
    `The program of the tool server ${server_id} ended ${how}.${words}`,
    `Check tools.servers.${server_id}.command and env.`,
  );
}
