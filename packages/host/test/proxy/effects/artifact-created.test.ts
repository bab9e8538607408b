import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { RunnerDataWorld, type TestRun } from '../runner-data-world.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

function saying(content: Buffer | string, change: { [key: string]: Json } = {}): JsonObject {
  const content_base64 = Buffer.from(content).toString('base64');
  return { name: 'a.txt', mime_type: 'text/plain', content_base64, ...change };
}

async function told(world: RunnerDataWorld, run: TestRun, data: JsonObject): Promise<JsonObject> {
  const outcome = await world.effects.artifact(run, data);
  if (!('tell' in outcome)) throw new Error(outcome.drop);
  return outcome.tell;
}

describe('artifact.created', () => {
  it('is stored before it is told, and told without its bytes (RP-6.7)', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    const sha256 = createHash('sha256').update(png).digest('hex');
    const data = saying(png, {
      name: 'dot.png',
      mime_type: 'image/png',
      metadata: { by: 'test' },
    });
    const tell = await told(world, run, { ...data, sha256: sha256.toUpperCase(), size_bytes: png.byteLength });
    expect(tell).toEqual({
      artifact_id: expect.any(String),
      name: 'dot.png',
      mime_type: 'image/png',
      size_bytes: png.byteLength,
      sha256,
      conversation_id: 'c',
      run_id: run.run_id,
      created_at: Math.floor(world.clock.now() / 1000),
      expires_at: null,
      metadata: { by: 'test' },
    });
    const artifact_id = String(tell.artifact_id);
    const read = await world.call(world.run(), 'artifacts.read_range', { artifact_id });
    expect(Buffer.from(read.content_base64, 'base64').equals(png)).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ['another size', saying('x', { size_bytes: 2 })],
    ['another hash', saying('x', { sha256: 'a'.repeat(64) })],
    ['no hash', saying('x', { sha256: '../../etc/passwd' })],
    ['neither content nor upload', { name: 'a', mime_type: 'text/plain' }],
    ['both', saying('x', { upload_id: 'u' })],
    ['an upload of nobody', { name: 'a', mime_type: 'text/plain', upload_id: 'nobody' }],
    ['no name', { mime_type: 'text/plain', content_base64: '' }],
    ['an end before its beginning', saying('x', { expires_at: 1 })],
    ['no base64', saying('x', { content_base64: 'a*k=' })],
    ['more content than a result carries', saying(Buffer.alloc(limits.artifact_inline_bytes + 1))],
    ['much to say', saying('x', { metadata: { text: 'x'.repeat(limits.artifact_metadata_bytes) } })],
    ['a reader that there is not', saying('x', { visibility: 'world' })],
  ])('with %s is dropped, and nothing is stored', async (_, data) => {
    const world = await RunnerDataWorld.open();
    expect(await world.effects.artifact(world.run({ conversation_id: `only ${_}` }), data)).toEqual({
      drop: expect.any(String),
    });
    expect((await world.store.artifacts.page(`only ${_}`, 0)).rows).toEqual([]);
  });

  it('keeps an upload whose description was wrong for a better one', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    await world.upload(run, 'artifacts.write', 'u', Buffer.from('bytes'));
    const data = { name: 'a', mime_type: 'text/plain', upload_id: 'u' };
    expect(await world.effects.artifact(run, { ...data, size_bytes: 6 })).toMatchObject({ drop: expect.any(String) });
    expect(await told(world, run, { ...data, size_bytes: 5 })).toMatchObject({ size_bytes: 5 });
  });

  it.each<[string, Buffer | string, string, string]>([
    ['a picture', png, 'image/png', 'image/png'],
    ['a picture called a text', png, 'text/plain', 'image/png'],
    ['a picture called a page', png, 'text/html; charset=utf-8', 'image/png'],
    ['a page called a picture', '<!DOCTYPE html><script>alert(1)</script>', 'image/png', 'text/html'],
    ['a page called a page', ' <html></html>', 'Text/HTML; charset=utf-8', 'text/html'],
    ['a drawing that can carry a script', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml', 'text/plain'],
    ['a script called a picture', '#!/bin/sh\nrm -rf /', 'image/jpeg', 'text/plain'],
    ['data', '{"a": 1}', 'application/json', 'application/json'],
    ['a text of nobody', 'héllo', 'application/octet-stream', 'text/plain'],
    ['a document', Buffer.from('%PDF-1.7 …'), 'application/pdf', 'application/pdf'],
    [
      'a document in an archive',
      Buffer.from('PK\u0003\u0004'),
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ],
    ['an archive called a picture', Buffer.from('PK\u0003\u0004'), 'image/gif', 'application/zip'],
    ['sound', Buffer.from([0xff, 0xfb, 0x90, 0x64, 0, 0]), 'audio/mp3', 'audio/mp3'],
    ['sound in a wave', Buffer.from('RIFF\u0000\u0000\u0000\u0000WAVEfmt '), 'audio/mpeg', 'audio/wav'],
    ['a film', Buffer.from('\u0000\u0000\u0000\u0018ftypmp42'), 'video/mp4', 'video/mp4'],
    ['bytes called a picture', Buffer.from([0, 1, 2, 255]), 'image/png', 'application/octet-stream'],
    ['bytes called a text', Buffer.from([0, 1, 2, 255]), 'text/plain', 'application/octet-stream'],
    ['bytes of their own kind', Buffer.from([0, 1, 2, 255]), 'application/x-sqlite3', 'application/x-sqlite3'],
    ['bytes with a header in their type', Buffer.from([0, 1]), 'image/png\r\nX-Evil: 1', 'application/octet-stream'],
  ])('that is %s is kept as what it is (RP-7.22)', async (_, content, claimed, kept) => {
    const world = await RunnerDataWorld.open();
    expect(await told(world, world.run(), saying(content, { mime_type: claimed }))).toMatchObject({ mime_type: kept });
  });

  it('keeps no path, no device, no control character and no trick of direction as a name (case 27)', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    const named = async (name: string) => (await told(world, run, saying('x', { name }))).name;
    expect(await named('../../etc/cron.d/x')).toBe('x');
    expect(await named('C:\\temp\\x.txt')).toBe('x.txt');
    expect(await named('con')).toBe('_con');
    expect(await named('a\r\nSet-Cookie: x')).toBe('aSet-Cookie_ x');
    expect(await named('invoice\u202Efdp.exe')).toBe('invoicefdp.exe');
    expect(await named('..')).toBe('artifact');
    const long = String(await named(`${'é'.repeat(2000)}.png`));
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(limits.artifact_name_bytes);
    expect(long.endsWith('é.png')).toBe(true);
  });

  it(`is refused after ${limits.run_artifacts} of one run`, async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run({ conversation_id: 'many' });
    for (let n = 0; n < limits.run_artifacts; n += 1) await told(world, run, saying('the same'));
    expect(await world.effects.artifact(run, saying('the same'))).toMatchObject({ drop: expect.stringMatching(/100/) });
    await told(world, world.run(), saying('the same'));
  });

  it('of a run that was granted nothing of artifacts is dropped, by the check of the upload', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run({ conversation_id: 'ungranted', grants: { artifacts: [] } });
    expect(await world.effects.artifact(run, saying('x'))).toEqual({ drop: expect.stringContaining('not granted') });
    expect((await world.store.artifacts.page('ungranted', 0)).rows).toEqual([]);
  });

  it('of a run that is over, or that ends meanwhile, leaves nothing behind', async () => {
    const world = await RunnerDataWorld.open();
    const [over, ending] = [world.run({ conversation_id: 'over' }), world.run({ conversation_id: 'ending' })];
    over.end();
    expect(await world.effects.artifact(over, saying('x'))).toEqual({ drop: 'The run is over.' });
    const making = world.effects.artifact(ending, saying('x'));
    ending.end();
    expect(await making).toEqual({ drop: 'The run is over.' });
    for (const session_id of ['over', 'ending']) {
      expect((await world.store.artifacts.page(session_id, 0)).rows).toEqual([]);
    }
  });
});
