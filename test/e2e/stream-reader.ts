import { type ClientRequest, request } from 'node:http';

/** One client of a stream that may be cut and come back: what it has is whole frames, as they came. */
export class StreamReader {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  #req: ClientRequest | null = null;
  #rest = '';
  /** All whole frames over all connections; comments are no frames. */
  text = '';
  /** Whether the server has ended the stream in good order. */
  isComplete = false;
  /** Frames since the last connection began. */
  fresh = 0;
  connections = 0;
  status = 0;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${key}` };
  }

  get lastId(): string | null {
    const at = this.text.lastIndexOf('id: ');
    return at < 0 ? null : this.text.slice(at + 'id: '.length, this.text.indexOf('\n', at));
  }

  /** Reads until `when` says so, the stream ends, or the connection is cut from here; then resolves. */
  read(when: (received: number) => boolean = () => false): Promise<void> {
    const { lastId } = this;
    const headers = lastId === null ? this.#headers : { ...this.#headers, 'last-event-id': lastId };
    this.fresh = 0;
    this.#rest = '';
    this.connections += 1;
    return new Promise((resolve, reject) => {
      let received = 0;
      const req = request(this.#url, { headers, agent: false }, (res) => {
        this.status = res.statusCode ?? 0;
        res.setEncoding('utf8');
        res.on('data', (text: string) => {
          received += text.length;
          this.#take(text);
          if (when(received)) this.cut();
        });
        res.on('end', () => {
          this.isComplete = true;
        });
        res.on('close', () => resolve());
        res.on('error', () => undefined);
      });
      this.#req = req;
      req.on('error', (error) => (req.destroyed ? resolve() : reject(error)));
      req.on('close', () => resolve());
      req.end();
    });
  }

  cut(): void {
    this.#req?.destroy();
  }

  #take(text: string): void {
    this.#rest += text;
    const end = this.#rest.lastIndexOf('\n\n');
    if (end < 0) return;
    for (const frame of this.#rest.slice(0, end).split('\n\n')) {
      if (frame.startsWith(':')) continue;
      this.text += `${frame}\n\n`;
      this.fresh += 1;
    }
    this.#rest = this.#rest.slice(end + 2);
  }
}
