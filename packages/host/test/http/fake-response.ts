import { EventEmitter } from 'node:events';

/** The part of a response that a stream uses, without a socket. */
export class FakeResponse extends EventEmitter {
  headersSent = false;
  closed = false;
  writableLength = 0;
  /** A reader that takes nothing until `take`. */
  isSlow = false;
  writableEnded = false;
  text = '';

  writeHead(): void {
    this.headersSent = true;
  }
  flushHeaders(): void {
    this.headersSent = true;
  }
  get writableNeedDrain(): boolean {
    return this.writableLength > 16 * 1024;
  }
  write(data: string | Buffer): void {
    if (this.closed || this.writableEnded) throw new Error('written after the end');
    this.text += data.toString();
    if (this.isSlow) this.writableLength += Buffer.byteLength(data);
  }
  /** The reader takes all that waits for it. */
  take(): void {
    this.writableLength = 0;
    if (this.writableEnded) this.destroy();
    else this.emit('drain');
  }
  end(data: string | Buffer = ''): void {
    this.write(data);
    this.writableEnded = true;
    if (this.writableLength === 0) this.destroy();
  }
  destroy(): void {
    if (this.closed) return;
    this.closed = true;
    this.emit('close');
  }
}
