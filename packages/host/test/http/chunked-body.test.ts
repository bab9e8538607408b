import { createServer, get, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { ChunkedBody } from '../../src/http/sse/chunked-body.ts';

const HEADERS = ['Content-Type', 'text/event-stream'];

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function listen(answer: (res: ServerResponse) => void): Promise<number> {
  const made = createServer((_req, res) => answer(res));
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return (made.address() as AddressInfo).port;
}

/** A server that answers every request with a body that `write` makes. */
function serve(write: (body: ChunkedBody, res: ServerResponse) => void, status = 200): Promise<number> {
  return listen((res) => {
    res.writeHead(status, HEADERS);
    write(new ChunkedBody(res), res);
  });
}

/** What Node's own client reads. */
function read(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent: false }, (res) => {
      let text = '';
      res.setEncoding('utf8');
      res.on('data', (chunk: string) => {
        text += chunk;
      });
      res.on('end', () => resolve(text));
      res.on('error', reject);
    }).on('error', reject);
  });
}

/** All that comes over one connection until it has `ends` of these, or is closed. */
function raw(port: number, sent: string, end: string | null, ends = 1): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(sent));
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (data: string) => {
      text += data;
      if (end !== null && text.split(end).length > ends) socket.destroy();
    });
    socket.on('close', () => resolve(text));
  });
}

const bodyOf = (answer: string) => answer.slice(answer.indexOf('\r\n\r\n') + 4);
const ask = (version: string) => `GET / HTTP/${version}\r\nHost: localhost\r\n\r\n`;

describe('the body of a streamed answer', () => {
  it('is what was written, in whatever parts, as text or as bytes', async () => {
    const part = fc.tuple(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.boolean());
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 8 }), part, async (parts, [last, asBytes]) => {
        const data = (text: string, isBytes: boolean) => (isBytes ? Buffer.from(text) : text);
        const port = await serve((body) => {
          for (const [text, isBytes] of parts) body.write(data(text, isBytes));
          body.end(data(last, asBytes));
        });
        expect(await read(port)).toBe(parts.map(([text]) => text).join('') + last);
        server?.close();
      }),
      { numRuns: 40 },
    );
  });

  it('tells the length of each chunk in bytes, and its own end', async () => {
    const port = await serve((body) => {
      body.write('abc');
      body.end('für');
    });
    expect(bodyOf(await raw(port, ask('1.1'), '0\r\n\r\n'))).toBe('3\r\nabc\r\n4\r\nfür\r\n0\r\n\r\n');
  });

  it('begins in the write that brings the head', async () => {
    const writes: string[] = [];
    const port = await serve((body, res) => {
      const { socket } = res;
      if (socket === null) throw new Error('there is no socket');
      const write = socket._write.bind(socket);
      socket._write = (chunk, encoding, done) => {
        writes.push(String(chunk));
        write(chunk, encoding, done);
      };
      body.write('first');
      body.end('last');
    });
    expect(await read(port)).toBe('firstlast');
    expect(writes).toHaveLength(2);
    expect(writes[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\n5\r\nfirst\r\n$/s);
    expect(writes[1]).toBe('4\r\nlast\r\n0\r\n\r\n');
  });

  it('follows what Node wrote before it', async () => {
    const port = await listen((res) => {
      res.writeHead(200, HEADERS);
      res.write('before ');
      const body = new ChunkedBody(res);
      body.write('first ');
      setImmediate(() => body.end('last'));
    });
    expect(await read(port)).toBe('before first last');
  });

  it('has no chunks for a client of HTTP/1.0, which reads to the end of the connection', async () => {
    const port = await serve((body) => {
      body.write('abc');
      body.end('def');
    });
    const answer = await raw(port, ask('1.0'), null);
    expect(answer.toLowerCase()).not.toContain('transfer-encoding');
    expect(bodyOf(answer)).toBe('abcdef');
  });

  it('is none in an answer without content', async () => {
    const port = await serve((body) => body.end(), 204);
    expect(bodyOf(await raw(port, ask('1.1'), '\r\n\r\n'))).toBe('');
  });

  it('leaves the connection to the next request, even to one that came before it ended', async () => {
    let count = 0;
    const port = await serve((body) => {
      count += 1;
      const name = `answer ${count}`;
      body.write(name);
      setImmediate(() => body.end());
    });
    const answers = await raw(port, ask('1.1').repeat(2), '0\r\n\r\n', 2);
    expect(answers.split('HTTP/1.1 200 OK')).toHaveLength(3);
    expect(answers).toContain('8\r\nanswer 1\r\n0\r\n\r\n');
    expect(answers).toContain('8\r\nanswer 2\r\n0\r\n\r\n');
  });

  it('ends once, and not at all when its reader is gone', async () => {
    const errors: unknown[] = [];
    const port = await serve((body, res) => {
      res.on('error', (error) => errors.push(error));
      body.end('all');
      body.end();
      res.on('close', () => body.end('late'));
    });
    expect(await read(port)).toBe('all');
    const gone = await serve((body, res) => {
      res.on('error', (error) => errors.push(error));
      res.destroy();
      body.end('late');
    });
    await expect(read(gone)).rejects.toThrow();
    expect(errors).toEqual([]);
  });
});
