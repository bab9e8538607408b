import { gzipSync } from 'node:zlib';
import { limits } from '@rostra/protocol/wire/limits';
import { beforeEach, describe, expect, it } from 'vitest';
import { EgressGuard, type EgressGuardOptions } from '../../../src/capabilities/egress/egress-guard.ts';
import { WebReader } from '../../../src/capabilities/egress/web-reader.ts';
import { ManualClock } from '../../manual-clock.ts';
import { type Listener, listen } from './loopback.ts';

const refused = { code: 'invalid_argument', details: { reason: 'ADDRESS_REFUSED' } };
const alive = () => new AbortController().signal;

function reader(options: EgressGuardOptions, clock = new ManualClock()): WebReader {
  return new WebReader({ guard: new EgressGuard(options), clock });
}

describe('what may not be read (case 72)', () => {
  let listener: Listener;

  beforeEach(async () => {
    listener = await listen('::');
  });

  it.each([
    'http://0/',
    'http://0.0.0.0/',
    'http://127.0.0.1/',
    'http://127.1/',
    'http://127.0.0.1./',
    'http://0x7f.1/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://2130706433/',
    'http://017700000001/',
    'http://１２７.０.０.１/',
    'http://[::]/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::127.0.0.1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'http://192.168.0.1/',
  ])('is %s, and nobody connects', async (address) => {
    const url = address.replace(/^(http:\/\/[^/]+)/, `$1:${listener.port}`);
    const web = reader({ ports: [listener.port] });
    await expect(web.read(url, alive())).rejects.toMatchObject({
      ...refused,
      message: 'The address is not one of the public internet.',
    });
    expect(listener.connections).toBe(0);
  });

  it.each([
    [
      'a name that ends in a dot',
      (port: number) => `http://localhost.:${port}/`,
      'The name of the host ends in a dot.',
    ],
    ['a user', (port: number) => `http://a@127.0.0.1:${port}/`, 'The address names a user.'],
    ['a password', (port: number) => `http://:b@127.0.0.1:${port}/`, 'The address names a user.'],
    ['a scheme for files', () => 'file:///etc/passwd', 'Only addresses with http and https are read.'],
    ['another scheme', (port: number) => `gopher://127.0.0.1:${port}/`, 'Only addresses with http and https are read.'],
    ['no address at all', () => 'http://[::1', 'This is no address of a page.'],
    ['something relative', () => '//127.0.0.1/', 'This is no address of a page.'],
  ])('is %s', async (_what, address, message) => {
    const web = reader({ ports: [listener.port], resolve: async () => ['127.0.0.1'] });
    await expect(web.read(address(listener.port), alive())).rejects.toMatchObject({ ...refused, message });
    expect(listener.connections).toBe(0);
  });

  it('is any port but 80 and 443, also of what is public', async () => {
    for (const url of ['http://1.1.1.1:22/', 'https://1.1.1.1:8443/', `http://127.0.0.1:${listener.port}/`]) {
      await expect(reader({}).read(url, alive())).rejects.toMatchObject({
        ...refused,
        message: 'Only the usual ports of http and https are read.',
      });
    }
    expect(listener.connections).toBe(0);
  });

  it('is a name one of whose addresses is not public, whichever it is', async () => {
    for (const addresses of [['127.0.0.1'], ['1.1.1.1', '127.0.0.1'], ['2606:4700:4700::1111', '::1']]) {
      const web = reader({ ports: [listener.port], resolve: async () => addresses });
      await expect(web.read(`http://inside.test:${listener.port}/`, alive())).rejects.toMatchObject(refused);
    }
    expect(listener.connections).toBe(0);
  });

  it('is localhost, by the resolver of this machine', async () => {
    const web = reader({ ports: [listener.port] });
    await expect(web.read(`http://localhost:${listener.port}/`, alive())).rejects.toMatchObject(refused);
    expect(listener.connections).toBe(0);
  });
});

/** One address of this machine stands for the internet, all others for what is private. */
const OPEN = '127.0.0.1';
const CLOSED = '127.0.0.2';

describe('a page of a name that means something else a moment later (case 72)', () => {
  it('is read at the address that was checked: the resolver is asked once', async () => {
    const open = await listen(OPEN, (_request, response) => response.end('public'));
    const closed = await listen(CLOSED, undefined, open.port);
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      return [asked === 1 ? OPEN : CLOSED];
    };
    const web = reader({ ports: [open.port], resolve, isAllowed: (address) => address === OPEN });
    const page = await web.read(`http://rebinding.test:${open.port}/`, alive());
    expect(page.bytes.toString()).toBe('public');
    expect([asked, open.connections, closed.connections]).toEqual([1, 1, 0]);
    await expect(web.read(`http://rebinding.test:${open.port}/`, alive())).rejects.toMatchObject(refused);
    expect([asked, open.connections, closed.connections]).toEqual([2, 1, 0]);
  });
});

describe('a page that sends its reader on (case 72)', () => {
  let closed: Listener;
  let open: Listener;
  let web: WebReader;
  let resolved: string[];

  /** `/to?x` sends on to x. */
  beforeEach(async () => {
    open = await listen(OPEN, ({ url = '' }, response) => {
      const [path, to] = url.split('?');
      if (path === '/to' && to !== undefined) response.writeHead(302, { location: decodeURIComponent(to) });
      response.end(`at ${url}`);
    });
    closed = await listen(CLOSED, undefined, open.port);
    resolved = [];
    const resolve = async (name: string) => {
      resolved.push(name);
      return [name === 'open.test' ? OPEN : CLOSED];
    };
    web = reader({ ports: [open.port], resolve, isAllowed: (address) => address === OPEN });
  });

  /** An address that sends on to each of these in turn. */
  function through(...addresses: string[]): string {
    return addresses.reduceRight((rest, at) => `${at}/to?${encodeURIComponent(rest)}`);
  }

  const at = (name: string) => `http://${name}:${open.port}`;

  it('is followed three times, relative addresses too, and not a fourth time', async () => {
    const three = through(at('open.test'), at('open.test'), at('open.test'), '/end');
    expect((await web.read(three, alive())).bytes.toString()).toBe('at /end');
    expect(resolved).toEqual(['open.test', 'open.test', 'open.test', 'open.test']);
    await expect(web.read(through(at('open.test'), three), alive())).rejects.toMatchObject({
      code: 'runtime_error',
      details: { reason: 'TOOL_FAILED' },
    });
    expect(open.connections).toBe(8);
  });

  it.each([
    ['first', 1],
    ['second', 2],
    ['third', 3],
  ])('is not followed to a private place at its %s hop, by name or by address', async (_which, hops) => {
    const before = Array.from({ length: hops }, () => at('open.test'));
    const places = [
      at('closed.test'),
      at(CLOSED),
      at('[::1]'),
      at('0'),
      at('127.0.0.2.'),
      `http://u@open.test:${open.port}`,
    ];
    for (const place of places) {
      await expect(web.read(through(...before, `${place}/`), alive()), place).rejects.toMatchObject(refused);
    }
    expect([open.connections, closed.connections]).toEqual([hops * places.length, 0]);
  });

  it('is not followed to another scheme or port', async () => {
    for (const place of ['file:///etc/passwd', `http://open.test:${open.port + 1}/`, 'data:text/html,x', '//']) {
      await expect(web.read(through(at('open.test'), place), alive())).rejects.toMatchObject(refused);
    }
  });
});

describe('what is read', () => {
  async function served(answer: Parameters<typeof listen>[1], clock = new ManualClock()) {
    const open = await listen(OPEN, answer);
    const web = reader({ ports: [open.port], resolve: async () => [OPEN], isAllowed: () => true }, clock);
    return { open, clock, read: (signal = alive()) => web.read(`http://open.test:${open.port}/`, signal) };
  }

  it('is asked for by GET, by the name that was given, without anything of this host', async () => {
    const { open, read } = await served((_request, response) => response.end('x'));
    await read();
    const [asked] = open.asked;
    expect(asked?.headers.host).toBe(`open.test:${open.port}`);
    expect(Object.keys(asked?.headers ?? {}).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ]);
  });

  it('is an address in a JSON reply as it stands: nobody goes there (case 72)', async () => {
    const closed = await listen(CLOSED);
    const { read } = await served((_request, response) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        link: `<http://${CLOSED}:${closed.port}/>; rel=next`,
      });
      response.end(JSON.stringify({ next: `http://${CLOSED}:${closed.port}/` }));
    });
    expect((await read()).bytes.toString()).toContain(CLOSED);
    expect(closed.connections).toBe(0);
  });

  it('ends after two mebibytes, however much comes (case 65)', async () => {
    const piece = Buffer.alloc(64 * 1024, 'x');
    let isClosed = false;
    const { read } = await served((request, response) => {
      request.on('close', () => {
        isClosed = true;
      });
      const more = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', more);
      more();
    });
    const page = await read();
    expect([page.bytes.byteLength, page.is_cut]).toEqual([limits.fetch_bytes, true]);
    while (!isClosed) await new Promise((resolve) => setTimeout(resolve, 1));
  });

  it('ends there also when a few bytes unpack to very many (case 25)', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const { read } = await served((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(bomb);
    });
    const page = await read();
    expect([page.bytes.byteLength, page.is_cut]).toEqual([limits.fetch_bytes, true]);
  });

  it('is not waited for longer than ten seconds, at its head or in its body', async () => {
    for (const answer of [
      () => undefined,
      (_: unknown, response: { write(text: string): void }) => response.write('x'),
    ]) {
      const clock = new ManualClock();
      const { open, read } = await served(answer as Parameters<typeof listen>[1], clock);
      const reading = expect(read()).rejects.toMatchObject({
        code: 'deadline_exceeded',
        details: { reason: 'TOOL_TIMEOUT' },
      });
      while (open.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      clock.advance(limits.fetch);
      await reading;
    }
  });

  it('is let go when nobody waits for it any more', async () => {
    let isClosed = false;
    const { open, read } = await served((request) => {
      request.on('close', () => {
        isClosed = true;
      });
    });
    const given = new AbortController();
    const reading = expect(read(given.signal)).rejects.toThrow('enough');
    while (open.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    given.abort(new Error('enough'));
    await reading;
    while (!isClosed) await new Promise((resolve) => setTimeout(resolve, 1));
  });

  it('is not asked for when its name was found too late', async () => {
    const open = await listen(OPEN);
    const clock = new ManualClock();
    let answer: (addresses: string[]) => void = () => undefined;
    const resolve = () =>
      new Promise<string[]>((found) => {
        answer = found;
      });
    const web = reader({ ports: [open.port], resolve, isAllowed: () => true }, clock);
    const reading = expect(web.read(`http://slow.test:${open.port}/`, alive())).rejects.toMatchObject({
      code: 'deadline_exceeded',
    });
    clock.advance(limits.fetch);
    await reading;
    answer([OPEN]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([open.connections, clock.armed]).toEqual([0, 0]);
  });

  it('says in a sentence that nobody is there, that it broke, and that the name is nobody’s', async () => {
    const { read } = await served((_request, response) => response.destroy());
    await expect(read()).rejects.toMatchObject({ message: 'The page could not be read (ECONNRESET).' });
    const packed = await served((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end('not packed');
    });
    await expect(packed.read()).rejects.toMatchObject({ message: 'The page could not be read (Z_DATA_ERROR).' });
    const nobody = reader({ resolve: async () => [] });
    await expect(nobody.read('http://nobody.test/', alive())).rejects.toMatchObject({
      message: 'The host of this address was not found.',
    });
  });
});
