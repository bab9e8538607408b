import type { ServerResponse } from 'node:http';

const CRLF = '\r\n';
const LAST = '0\r\n\r\n';

/**
 * The body of a streamed answer, whose chunks (RFC 9112, 7.1) are made here. Node hands a chunk to the socket in four
 * parts and its end in a fifth, at the end of the tick; from here it leaves as one text, at once and together with the
 * head if that waits. Where most streams are two writes long, that is an eighth of what they cost.
 */
export class ChunkedBody {
  readonly #res: ServerResponse;
  readonly #isChunked: boolean;

  /**
   * The head must be written: it decides whether there are chunks. A client of HTTP/1.0 reads to the end instead. What
   * was written before goes before; from here on nobody else may write.
   */
  constructor(res: ServerResponse) {
    this.#res = res;
    this.#isChunked = res.chunkedEncoding;
    res.chunkedEncoding = false;
  }

  write(data: string | Buffer, ascii = false): void {
    if (data.length > 0) this.#send(data, ascii, '');
  }

  /** Nothing happens to one that has ended, or whose reader is gone. */
  end(data: string | Buffer = '', ascii = false): void {
    const res = this.#res;
    if (res.writableEnded || res.destroyed) return;
    if (data.length > 0) this.#send(data, ascii, LAST);
    else if (this.#isChunked) res.write(LAST);
    res.end();
  }

  #send(data: string | Buffer, ascii: boolean, after: string): void {
    const res = this.#res;
    if (!this.#isChunked) {
      res.write(data);
      return;
    }
    const { socket } = res;
    // Node would hold back what is written to the end of the tick, for the parts that might follow.
    socket?.cork();
    if (typeof data === 'string') {
      const bytes = ascii ? data.length : Buffer.byteLength(data);
      // What has as many bytes as units is ASCII, which needs not be encoded.
      res.write(bytes.toString(16) + CRLF + data + CRLF + after, bytes === data.length ? 'latin1' : 'utf8');
    } else {
      res.write(data.length.toString(16) + CRLF);
      res.write(data);
      res.write(CRLF + after);
    }
    socket?.uncork();
  }
}
