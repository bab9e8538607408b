import type { Attachment } from '@rostra/protocol/run-api/attachment';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UrlSigner } from '../../src/attachments/url-signer.ts';
import { TestHost } from './test-host.ts';
import { keyOf, PATH, picture, UploadScene } from './upload-scene.ts';

const scene = new UploadScene();
const { uploaded } = scene;
const address = () => scene.address;
let host: TestHost;
beforeAll(async () => {
  host = await scene.start();
});
afterAll(() => scene.stop());

describe('a signed url (case 22)', () => {
  const refused = [403, { code: 'unauthorized', message: 'this address is not signed, or not any more' }] as const;
  const answerTo = async (url: string) => {
    const answer = await fetch(url);
    return [answer.status, await answer.json()];
  };
  const altered = (url: string, change: (url: URL) => void) => {
    const copy = new URL(url);
    change(copy);
    return copy.href;
  };
  const shifted = (text: string | null) => `${text?.startsWith('A') ? 'B' : 'A'}${text?.slice(1)}`;

  it.each<[string, (url: URL, other: Attachment) => void]>([
    ['its path', (url, { id }) => (url.pathname = `${PATH}/${id}`)],
    ['its expiry', (url) => url.searchParams.set('expires', String(Number(url.searchParams.get('expires')) + 1))],
    ['its reader', (url) => url.searchParams.set('for', shifted(url.searchParams.get('for')))],
    ['its key', (url) => url.searchParams.set('key', 'oldkey12')],
    ['its signature', (url) => url.searchParams.set('signature', shifted(url.searchParams.get('signature')))],
    [
      'a shorter signature',
      (url) => url.searchParams.set('signature', url.searchParams.get('signature')?.slice(0, -1) ?? ''),
    ],
    ['no signature', (url) => url.searchParams.delete('signature')],
    ['a parameter twice', (url) => url.searchParams.append('expires', url.searchParams.get('expires') ?? '')],
    ['a size', (url) => url.searchParams.append('size', '1')],
    ['a type', (url) => url.searchParams.append('mime', 'text/html')],
    ['nothing but its path', (url) => (url.search = '')],
  ])('with %s changed is refused', async (_, change) => {
    const [one, other] = [await uploaded(), await uploaded()];
    expect((await fetch(one.url)).status).toBe(200);
    expect(await answerTo(altered(one.url, (url) => change(url, other)))).toMatchObject(refused);
  });

  it('is kept apart for those who show it and those who read it: an image of a page can be fetched by it too', async () => {
    const { url } = await uploaded();
    const shown = await fetch(url);
    const read = await fetch(url, { headers: { origin: 'http://localhost:5173' } });
    const known = await fetch(url, { headers: { 'if-none-match': String(shown.headers.get('etag')) } });
    expect([shown.status, read.status, known.status]).toEqual([200, 200, 304]);
    expect([shown, read, known].map(({ headers }) => headers.get('vary'))).toEqual(['Origin', 'Origin', 'Origin']);
    const allowed = [shown, read].map(({ headers }) => headers.get('access-control-allow-origin'));
    expect(allowed).toEqual([null, 'http://localhost:5173']);
  });

  it('that was signed for HEAD is none for GET', async () => {
    const { id } = await uploaded();
    const { url } = host.attachments.sign({ workspace_id: 'local', user_id: 'ann' }, id, 'HEAD');
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    expect(await answerTo(url)).toMatchObject(refused);
  });

  it('is good up to its last second, and not one longer', async () => {
    const other = await TestHost.start({}, {}, [keyOf('ann')]);
    const { clock } = other;
    const row = {
      artifact_id: 'file-1',
      workspace_id: 'local',
      session_id: null,
      bot_id: null,
      thread_id: null,
      run_id: null,
    };
    const about = {
      agent_id: null,
      user_id: 'ann',
      name: 'a',
      mime_type: 'image/png',
      created_at: 1,
      expires_at: null,
      metadata: {},
    };
    await other.store.artifacts.create({ ...row, ...about }, picture);
    const { url, expiresAt } = other.attachments.sign({ workspace_id: 'local', user_id: 'ann' }, 'file-1');
    clock.advance(Date.parse(expiresAt) - clock.now() - 1);
    expect((await fetch(url)).status).toBe(200);
    clock.advance(1);
    expect(await answerTo(url)).toMatchObject(refused);
    await other.stop();
  });

  it('of another secret is refused', async () => {
    const { id, url } = await uploaded();
    const old = new UrlSigner('another secret');
    const expires_at = Number(new URL(url).searchParams.get('expires'));
    const reader = old.readerOf('local', 'ann');
    const what = {
      origin: address(),
      object: id,
      method: 'GET',
      expires_at,
      workspace_id: 'local',
      session_id: null,
      reader,
    } as const;
    expect(await answerTo(`${address()}${PATH}/${id}?${old.sign(what)}`)).toMatchObject(refused);
  });

  it('for a session leads to no file that lies elsewhere', async () => {
    const { id } = await uploaded();
    const { url } = host.attachments.sign(
      { workspace_id: 'local', user_id: 'bob' },
      id,
      'GET',
      address(),
      'some-session',
    );
    expect(await answerTo(url)).toMatchObject(refused);
  });
});
