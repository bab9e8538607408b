import { connect, type Socket } from 'node:net';

/**
 * One keep-alive connection that speaks just enough HTTP. A full client would cost more than the servers that are
 * measured, on the same cores.
 */
export class WireClient {
  readonly #socket: Socket;
  #text = '';
  #isDone: (text: string) => boolean = () => false;
  #resolve: ((text: string) => void) | null = null;
  #reject: ((error: Error) => void) | null = null;
  /** When the first byte of the body that is being read came, by `performance.now()`. */
  firstByteAt = 0;

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1').setNoDelay(true);
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text: string) => this.#hear(text));
    this.#socket.on('error', (error) => {
      throw error;
    });
    this.#socket.on('close', () => this.#reject?.(new Error('the server closed the connection')));
  }

  #hear(text: string): void {
    this.#text += text;
    if (this.firstByteAt === 0 && this.#text.includes('\ndata: ')) this.firstByteAt = performance.now();
    if (!this.#isDone(this.#text)) return;
    const whole = this.#text;
    this.#text = '';
    this.#reject = null;
    this.#resolve?.(whole);
  }

  #exchange(request: string, isDone: (text: string) => boolean): Promise<string> {
    this.#isDone = isDone;
    if (this.#socket.destroyed) throw new Error('the server has closed the connection');
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#socket.write(request);
    });
  }

  post(path: string, headers: string, body: string, isDone = hasWholeBody): Promise<string> {
    const length = Buffer.byteLength(body);
    const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n`;
    return this.#exchange(`${head}${headers}\r\n${body}`, isDone);
  }

  get(path: string, headers: string, isDone = isWholeStream): Promise<string> {
    this.firstByteAt = 0;
    return this.#exchange(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`, isDone);
  }

  close(): void {
    this.#socket.destroy();
  }
}

function hasWholeBody(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = Number(/content-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? Number.NaN);
  return text.length >= end + 4 + length;
}

/** The first event of a stream is there. */
export function hasBegun(text: string): boolean {
  return text.includes('\ndata: ');
}

export function isWholeStream(text: string): boolean {
  return text.endsWith('\r\n0\r\n\r\n');
}

/** A stream to its end, or a refusal, which is no stream. */
export function isWholeAnswer(text: string): boolean {
  return isWholeStream(text) || (!text.startsWith('HTTP/1.1 200') && hasWholeBody(text));
}
