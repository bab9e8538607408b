import { createHash, randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { limits } from '@rostra/protocol/wire/limits';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jpeg, png } from '../attachments/sample-images.ts';
import { ARTIFACT_BYTES, KEY, RUNS, run, TestHost, threadId } from './test-host.ts';
import { ann, bob, keyOf, PATH, picture, UploadScene } from './upload-scene.ts';

const foreign = 'binary content url is not one of this host';

const scene = new UploadScene();
const { send, uploaded } = scene;
const address = () => scene.address;
let host: TestHost;
beforeAll(async () => {
  host = await scene.start();
});
afterAll(() => scene.stop());

/** What a host keeps: nothing may be left by what it refuses. */
const unclaimed = (user: string) => host.store.artifacts.unclaimed('local', user);

/** Uploads a JPEG or a PNG over a connection that is kept. */
function postOn(agent: Agent, port: number, bytes: Buffer): Promise<{ status: number | undefined; socket: Socket }> {
  const head = '--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n';
  const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--x--\r\n')]);
  const headers = { authorization: `Bearer ${ann}`, 'content-type': 'multipart/form-data; boundary=x' };
  return new Promise((resolve, reject) => {
    const req = request({ agent, port, host: '127.0.0.1', path: PATH, method: 'POST', headers }, (res) => {
      const { socket } = res;
      res.resume().once('end', () => resolve({ status: res.statusCode, socket }));
    });
    req.once('error', reject).end(body);
  });
}

function postImage(url: string, { key = ann, runId = randomBytes(8).toString('hex'), thread = threadId } = {}) {
  const content = [
    { type: 'text', text: '这张图片里的内容是什么?' },
    { type: 'binary', mimeType: 'image/png', url },
  ];
  const body = {
    ...run({ runId, threadId: thread, messages: [{ id: 'msg-001', role: 'user', content }] }),
    state: {},
    tools: [],
    context: [],
    forwardedProps: {},
  };
  return host.ask('POST', RUNS, { key, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
}

describe('an upload', () => {
  it('answers with a signed url, and a GET of it without any key gives the bytes', async () => {
    const answer = await uploaded();
    expect(answer).toEqual({
      id: expect.stringMatching(/^[\w-]{36}$/),
      url: expect.stringContaining(`${address()}${PATH}/${answer.id}?`),
      mimeType: 'image/png',
      size: picture.length,
      filename: 'a.png',
      expiresAt: new Date(Math.floor((host.clock.now() + limits.attachment_url) / 1000) * 1000).toISOString(),
    });
    const read = await fetch(answer.url);
    expect(read.status).toBe(200);
    expect(Buffer.from(await read.arrayBuffer()).equals(picture)).toBe(true);
  });

  it('needs a key, and is taken as multipart and nothing else', async () => {
    expect((await host.ask('POST', PATH, { key: null, body: 'x' })).status).toBe(401);
    const json = await host.ask('POST', PATH, { body: '{}', headers: { 'content-type': 'application/json' } });
    expect([json.status, json.json().message]).toEqual([415, 'the body must be multipart/form-data, not compressed']);
    const zipped = { 'content-type': 'multipart/form-data; boundary=x', 'content-encoding': 'gzip' };
    expect((await host.ask('POST', PATH, { body: 'x', headers: zipped })).status).toBe(415);
  });

  it('whose Content-Type names no boundary is told so: programs that set the header themselves leave it out', async () => {
    for (const type of [
      'multipart/form-data',
      'multipart/form-data; boundary=',
      'Multipart/Form-Data; charset=utf-8',
    ]) {
      const answer = await host.ask('POST', PATH, { body: 'x', headers: { 'content-type': type } });
      expect([answer.status, answer.json().message]).toEqual([
        415,
        'the header Content-Type names no boundary of the parts',
      ]);
    }
  });

  it('of more bytes than a file may have is 413, and of another type than it says 422; nothing is kept (case 23)', async () => {
    const before = await unclaimed('ann');
    const large = Buffer.concat([jpeg(10, 10), Buffer.alloc(ARTIFACT_BYTES)]);
    const tooLarge = await send(large, { type: 'image/jpeg' });
    expect([tooLarge.status, ((await tooLarge.json()) as { code: string }).code]).toEqual([413, 'payload_too_large']);
    const other = await send(picture, { type: 'image/jpeg' });
    expect([other.status, await other.json()]).toMatchObject([
      422,
      { code: 'invalid_argument', message: 'the file is said to be image/jpeg, but its bytes are not' },
    ]);
    expect(await unclaimed('ann')).toBe(before);
  });

  it('cannot be written over: its address takes no bytes (case 23)', async () => {
    const { url } = await uploaded();
    const put = await fetch(url, { method: 'PUT', body: 'other bytes' });
    expect(put.status).toBe(405);
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(picture)).toBe(true);
  });

  it('of an SVG, or of a page under the name of an image, is 422 (case 24)', async () => {
    const svg = await send(Buffer.from('<svg onload="alert(1)"/>'), { type: 'image/svg+xml' });
    expect([svg.status, await svg.json()]).toMatchObject([422, { message: 'SVG images are not taken' }]);
    const page = await send(Buffer.from('<html><script>1</script>'), { type: 'image/png' });
    expect([page.status, await page.json()]).toMatchObject([422, { message: 'HTML pages are not taken' }]);
  });

  it('of a pixel bomb is 413 (case 26)', async () => {
    const bomb = await send(png(50_000, 50_000));
    expect([bomb.status, await bomb.json()]).toMatchObject([
      413,
      { code: 'payload_too_large', message: 'an image has at most 100 megapixels' },
    ]);
  });

  it.each([
    ['../../etc/cron.d/x', 'x'],
    ['con', '_con'],
    ['a\u202egnp.exe', 'agnp.exe'],
    ['a\r\nSet-Cookie: x=1\r\n.png', /^[^\r\n]+$/],
    ['x'.repeat(4096), 'x'.repeat(255)],
    ['日程 "1".png', '日程 _1_.png'],
  ])('named %j is kept under an id, and its name is harmless (case 27)', async (filename, kept) => {
    const { id, url, filename: shown } = await uploaded(picture, { filename });
    expect(id).not.toContain('/');
    if (typeof kept === 'string') expect(shown).toBe(kept);
    else expect(shown).toMatch(kept);
    const { headers } = await fetch(url);
    expect(headers.get('set-cookie')).toBeNull();
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename="[ -!#-~]*"; filename\*=UTF-8''[\w%.~-]+$/,
    );
  });

  it('that is refused in its middle leaves a connection that serves the next request', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const post = (bytes: Buffer) => postOn(agent, host.port, bytes);
    const endless = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(3_000_000, 0xff)]);
    expect(await post(endless)).toMatchObject({ status: 422 });
    const { status, socket } = await post(picture);
    expect([status, (await post(picture)).socket === socket]).toEqual([201, true]);
    agent.destroy();
  });

  it('that is far too large is answered before its connection is closed', async () => {
    const answer = await send(Buffer.alloc(3 * ARTIFACT_BYTES));
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([413, 'payload_too_large']);
  });

  it('that breaks off leaves nothing behind', async () => {
    const before = await unclaimed('ann');
    const socket = connect(host.port, '127.0.0.1');
    const head = `--x\r\nContent-Disposition: form-data; name="f"; filename="a.png"\r\n\r\n`;
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${ann}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n${head}`,
    );
    socket.write(picture, () => socket.destroy());
    await new Promise((resolve) => socket.once('close', resolve));
    await uploaded();
    expect(await unclaimed('ann')).toBe(before + picture.length);
    expect(host.reported).toEqual([]);
  });

  it('is counted: who uploads and never sends is told to stop', async () => {
    const lazy = await TestHost.start({}, {}, [keyOf('ann')]);
    const { store, port } = lazy;
    Object.defineProperty(store.artifacts, 'unclaimed', { value: async () => limits.user_unclaimed_bytes + 1 });
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'a.png');
    const headers = { authorization: `Bearer ${ann}` };
    const answer = await fetch(`http://127.0.0.1:${port}${PATH}`, { method: 'POST', headers, body: form });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1']);
    await lazy.stop();
  });
});

describe('the bytes of a file', () => {
  const ask = (url: string, headers: Record<string, string> = {}, method = 'GET') => fetch(url, { method, headers });

  it('are saved by a browser and never run by it (case 24)', async () => {
    const { url } = await uploaded();
    const { headers } = await ask(url);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': `attachment; filename="a.png"; filename*=UTF-8''a.png`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, max-age=900, immutable',
      'accept-ranges': 'bytes',
      'content-length': String(picture.length),
    });
  });

  it('can be had in parts, and their headers alone', async () => {
    const { url } = await uploaded();
    const etag = `"${createHash('sha256').update(picture).digest('hex')}"`;
    const size = picture.length;
    const part = async (range: string, more = {}) => {
      const answer = await ask(url, { range, ...more });
      return [
        answer.status,
        answer.headers.get('content-range'),
        Buffer.from(await answer.arrayBuffer()).toString('hex'),
      ];
    };
    const hex = (from: number, to?: number) => picture.subarray(from, to).toString('hex');
    expect(await part('bytes=0-3')).toEqual([206, `bytes 0-3/${size}`, hex(0, 4)]);
    expect(await part('bytes=4-')).toEqual([206, `bytes 4-${size - 1}/${size}`, hex(4)]);
    expect(await part('bytes=-5')).toEqual([206, `bytes ${size - 5}-${size - 1}/${size}`, hex(size - 5)]);
    expect(await part('bytes=0-99999')).toEqual([206, `bytes 0-${size - 1}/${size}`, hex(0)]);
    expect(await part('bytes=0-1,4-5')).toEqual([200, null, hex(0)]);
    expect(await part('bytes=0-3', { 'if-range': etag })).toEqual([206, `bytes 0-3/${size}`, hex(0, 4)]);
    expect(await part('bytes=0-3', { 'if-range': '"other"' })).toEqual([200, null, hex(0)]);
    expect((await part(`bytes=${size}-`)).slice(0, 2)).toEqual([416, `bytes */${size}`]);
    for (const headers of [{}, { range: 'bytes=0-3' }, { range: `bytes=${size}-` }]) {
      const head = await ask(url, headers, 'HEAD');
      expect([head.status, head.headers.get('content-length'), (await head.arrayBuffer()).byteLength]).toEqual([
        200,
        String(size),
        0,
      ]);
    }
    expect((await ask(url, { 'if-none-match': etag })).status).toBe(304);
  });

  it('of a large file come whole', async () => {
    const large = Buffer.concat([png(10, 10), randomBytes(3 * limits.stream_piece_bytes + 17)]);
    const { url } = await uploaded(large);
    expect(Buffer.from(await (await ask(url)).arrayBuffer()).equals(large)).toBe(true);
  });
});

describe('a message with an image', () => {
  it('of the contract’s form is accepted, and the url becomes a file of its session', async () => {
    const { id, url } = await uploaded();
    expect(await postImage(url)).toMatchObject({ status: 202 });
    const artifact = {
      artifact_id: id,
      name: 'a.png',
      mime_type: 'image/png',
      size_bytes: picture.length,
      sha256: createHash('sha256').update(picture).digest('hex'),
    };
    const { payload } = host.session.submitted.at(-1) ?? { payload: null };
    expect(payload?.input).toMatchObject({
      text: '这张图片里的内容是什么?',
      contents: [{ type: 'text' }, { type: 'image', artifact }],
      attachments: [artifact],
    });
    expect(JSON.stringify(payload?.input)).not.toContain('signature');
    const row = await host.store.artifacts.get(id, host.clock.now());
    expect(row).toMatchObject({ session_id: threadId, expires_at: null, user_id: 'ann' });
    // The preview of whoever sent it still works.
    expect((await fetch(url)).status).toBe(200);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
    'https://storage.example.com/agent-inputs/user-123/image.png?signature=xxx',
    'javascript:alert(1)',
    'not a url',
    '/api/v1/agent/attachments/x',
  ])('by %s is refused, and nobody is asked for it (case 20)', async (url) => {
    const before = host.session.submitted.length;
    const answer = await postImage(url);
    expect([answer.status, answer.json()]).toMatchObject([
      422,
      { code: 'invalid_argument', message: foreign, details: { path: 'messages[0].content[1].url' } },
    ]);
    expect(host.session.submitted).toHaveLength(before);
  });

  it('by an address of this host that is not signed, or signed for another one, is refused (case 20)', async () => {
    const { id, url } = await uploaded();
    for (const bad of [
      `${address()}/`,
      `${address()}${PATH}/${id}`,
      url.replace(address(), 'https://bucket.example'),
    ]) {
      expect((await postImage(bad)).json()).toMatchObject({ code: 'invalid_argument', message: foreign });
    }
  });

  it('by a url of somebody else is refused like any other, and the file stays theirs (case 21)', async () => {
    const { id, url } = await uploaded(picture, { key: bob });
    const unknown = await postImage(`${address()}${PATH}/nothing?${new URL(url).searchParams}`);
    const answer = await postImage(url);
    expect(answer.status).toBe(422);
    expect(answer.json()).toEqual(unknown.json());
    expect(await host.store.artifacts.get(id, host.clock.now())).toMatchObject({ session_id: null, user_id: 'bob' });
    expect((await postImage(url, { key: bob, thread: '650e8400-e29b-41d4-a716-446655440000' })).status).toBe(202);
  });

  it('one of which is refused changes nothing of the others', async () => {
    const { id, url } = await uploaded();
    const content = [url, 'https://elsewhere.example/x.png'].map((each) => ({
      type: 'binary',
      mimeType: 'image/png',
      url: each,
    }));
    const body = JSON.stringify(run({ runId: 'two', messages: [{ id: 'm', role: 'user', content }] }));
    const answer = await host.ask('POST', RUNS, { key: ann, body, headers: { 'content-type': 'application/json' } });
    expect(answer.json()).toMatchObject({ message: foreign, details: { path: 'messages[0].content[1].url' } });
    expect(await host.store.artifacts.get(id, host.clock.now())).toMatchObject({ session_id: null });
  });

  it('that is none is refused by what the bytes are, whatever the block says', async () => {
    const { url } = await uploaded(Buffer.from('%PDF-1.7'), { type: 'application/pdf', filename: 'a.pdf' });
    expect(await postImage(url)).toMatchObject({ status: 422 });
    expect((await postImage(url)).json()).toMatchObject({ message: 'binary content requires image mimeType' });
  });

  it('sent again under the same name is the same run, though its url has run out', async () => {
    const { url } = await uploaded();
    const first = await postImage(url, { runId: 'same' });
    expect(first.status).toBe(202);
    host.clock.advance(limits.attachment_url + 1000);
    expect((await postImage(url)).status).toBe(422);
    const again = await postImage(url, { runId: 'same' });
    expect([again.status, again.json()]).toEqual([202, first.json()]);
  });

  it('may be sent in two threads: each has a file of its own, with the same bytes', async () => {
    const { id, url } = await uploaded();
    const [first, second] = ['750e8400-e29b-41d4-a716-446655440000', '850e8400-e29b-41d4-a716-446655440000'];
    await postImage(url, { thread: first });
    await postImage(url, { thread: second });
    const files = host.session.submitted.slice(-2).map(({ payload }) => payload.input.attachments[0]?.artifact_id);
    expect(files[0]).toBe(id);
    expect(files[1]).not.toBe(id);
    expect(await host.store.artifacts.get(files[1] ?? '', host.clock.now())).toMatchObject({ session_id: second });
  });
});

describe('a fresh url', () => {
  it('is given to the owner of an upload, and to nobody else', async () => {
    const { id, url } = await uploaded();
    const own = await host.ask('POST', `${PATH}/${id}/url`, { key: ann });
    expect([own.status, own.json()]).toMatchObject([200, { id, mimeType: 'image/png' }]);
    expect((await fetch(String(own.json().url))).status).toBe(200);
    for (const [asked, key] of [
      [id, bob],
      [id, KEY],
      ['nothing', ann],
      ['..%2f..%2fx', ann],
    ] as const) {
      const other = await host.ask('POST', `${PATH}/${asked}/url`, { key });
      expect([other.status, other.json()]).toMatchObject([
        404,
        { code: 'not_found', message: 'there is no such attachment' },
      ]);
    }
    expect(url).not.toContain('ann');
  });
});
