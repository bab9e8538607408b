import { Duplex } from 'node:stream';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { type RawData, WebSocket } from 'ws';
import type { Channel } from './channel.ts';

export interface WebsocketAddress {
  /** `wss://host.example/api/v1/runners/socket` */
  readonly url: string;
  /** Sent in a header, never in the address, which ends up in logs. */
  readonly token: string;
  readonly signal?: AbortSignal;
}

const UNAUTHORIZED = 401;

/** An open websocket as a connection: each line is one message, both ways. */
export function websocketChannel(socket: WebSocket): Channel {
  const stream = new WebsocketStream(socket);
  return {
    readable: stream,
    writable: stream,
    close: () => void stream.end(),
  };
}

/** Connects to a host; rejects with an ApiError, `unauthorized` if it does not know the token. */
export function dialWebsocket({ url, token, signal }: WebsocketAddress): Promise<Channel> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${token}` },
      handshakeTimeout: limits.runner_start,
      maxPayload: limits.frame_bytes,
      perMessageDeflate: false,
    });
    const abort = () => socket.terminate();
    const fail = (error: ApiError) => {
      signal?.removeEventListener('abort', abort);
      reject(error);
    };
    signal?.addEventListener('abort', abort, { once: true });
    socket.once('unexpected-response', (request, response) => {
      request.destroy();
      const { statusCode } = response;
      const message = `The host answered ${statusCode} instead of opening the connection.`;
      fail(new ApiError(statusCode === UNAUTHORIZED ? 'unauthorized' : 'runtime_error', message, { retryable: true }));
    });
    socket.on('error', (error) => fail(new ApiError('runtime_error', error.message, { retryable: true })));
    socket.once('open', () => {
      signal?.removeEventListener('abort', abort);
      resolve(websocketChannel(socket));
    });
  });
}

/** Bytes on this side, messages on the other. */
class WebsocketStream extends Duplex {
  readonly #socket: WebSocket;
  /** What was written after the last newline. */
  #rest = '';

  constructor(socket: WebSocket) {
    super({ decodeStrings: false });
    this.#socket = socket;
    socket.on('message', (data, isBinary) => this.#take(data, isBinary));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => {
      this.push(null);
      this.end();
    });
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const lines = (this.#rest + chunk.toString()).split('\n');
    this.#rest = lines.pop() ?? '';
    const last = lines.pop();
    for (const line of lines) this.#socket.send(line);
    if (last === undefined) done();
    else this.#socket.send(last, (error) => done(error));
  }

  override _final(done: () => void): void {
    this.#socket.close();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.terminate();
    done(error);
  }

  #take(data: RawData, isBinary: boolean): void {
    if (isBinary) {
      this.destroy(new Error('a frame is text, and this message is not'));
      return;
    }
    const hasRoom = this.push(Buffer.concat([bytesOf(data), newline]));
    if (!hasRoom) this.#socket.pause();
  }
}

const newline = Buffer.from('\n');

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
