import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { Uploads } from '../../src/proxy/uploads.ts';
import { RunnerDataWorld, refusalOf } from './runner-data-world.ts';

const piece = (offset: number, text: string, upload_id = 'u') => ({
  upload_id,
  offset,
  content_base64: Buffer.from(text).toString('base64'),
});

describe('an upload', () => {
  it('grows by pieces without a gap; one that came before is answered as it was then', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    const write = (offset: number, text: string) => world.call(run, 'artifacts.write', piece(offset, text));
    expect(await write(0, 'hello ')).toEqual({ upload_id: 'u', size_bytes: 6 });
    expect(await write(6, 'world')).toEqual({ upload_id: 'u', size_bytes: 11 });
    expect(await write(6, 'world')).toEqual({ upload_id: 'u', size_bytes: 11 });
    expect(await write(0, 'hello ')).toEqual({ upload_id: 'u', size_bytes: 6 });
    for (const [offset, text] of [
      [12, 'gap'],
      [6, 'WORLD'],
      [8, 'rld, overlapping'],
      [0, 'hello world and more'],
    ] as const) {
      expect(await refusalOf(write(offset, text))).toMatchObject({ code: 'invalid_argument', reason: 'BAD_RANGE' });
    }
    expect(await write(11, '!')).toEqual({ upload_id: 'u', size_bytes: 12 });
    const read = await world.uploads.use(run, 'artifacts', 'u', async (content) => {
      const pieces: Uint8Array[] = [];
      for await (const bytes of content.pieces()) pieces.push(bytes);
      return Buffer.concat(pieces).toString();
    });
    expect(read).toBe('hello world!');
  });

  it('takes pieces that come at once one after another', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    const writes = ['one ', 'two ', 'six '].map((text, n) => world.call(run, 'storage.write', piece(4 * n, text)));
    expect((await Promise.all(writes)).map(({ size_bytes }) => size_bytes)).toEqual([4, 8, 12]);
  });

  it('is nothing to another run, another purpose, or after it was used', async () => {
    const world = await RunnerDataWorld.open();
    const [run, other] = [world.run(), world.run()];
    await world.call(run, 'artifacts.write', piece(0, 'mine'));
    const use = (by: typeof run, purpose: 'artifacts' | 'storage') =>
      world.uploads.use(by, purpose, 'u', async ({ size_bytes }) => size_bytes);
    expect(await refusalOf(use(other, 'artifacts'))).toMatchObject({ code: 'not_found' });
    expect(await refusalOf(use(run, 'storage'))).toMatchObject({ code: 'not_found' });
    expect(await refusalOf(world.call(other, 'artifacts.write', piece(4, ' too')))).toMatchObject({
      reason: 'BAD_RANGE',
    });
    expect(await use(run, 'artifacts')).toBe(4);
    expect(await refusalOf(use(run, 'artifacts'))).toMatchObject({ code: 'not_found' });
    expect(world.uploaded()).toEqual([]);
  });

  it('that is used up takes no piece that came meanwhile, and nothing of it is left', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    await world.call(run, 'artifacts.write', piece(0, ''));
    const used = world.uploads.use(run, 'artifacts', 'u', async ({ size_bytes }) => size_bytes);
    const late = refusalOf(world.call(run, 'artifacts.write', piece(0, 'too late')));
    expect(await used).toBe(0);
    expect(await late).toMatchObject({ code: 'not_found' });
    run.end();
    await world.settled();
    expect([world.uploaded(), world.uploads.bytes]).toEqual([[], 0]);
  });

  it('that has taken no piece is none: it has no name, holds no place and becomes nothing', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    for (let n = 0; n <= limits.run_uploads; n += 1) {
      const refused = await refusalOf(world.call(run, 'artifacts.write', piece(1, 'x', `u${n}`)));
      expect(refused).toMatchObject({ reason: 'BAD_RANGE' });
    }
    const use = world.uploads.use(run, 'artifacts', 'u0', async ({ size_bytes }) => size_bytes);
    expect(await refusalOf(use)).toMatchObject({ code: 'not_found' });
  });

  it('stays when whoever used it failed', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    await world.call(run, 'artifacts.write', piece(0, 'mine'));
    const failing = world.uploads.use(run, 'artifacts', 'u', () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await world.uploads.use(run, 'artifacts', 'u', async ({ size_bytes }) => size_bytes)).toBe(4);
  });

  it('goes when its run is over, or when the host starts', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    await world.call(run, 'artifacts.write', piece(0, 'left behind'));
    expect([world.uploaded().length, world.uploads.bytes]).toEqual([1, 11]);
    run.end();
    await world.settled();
    expect([world.uploaded(), world.uploads.bytes]).toEqual([[], 0]);
    expect(await refusalOf(world.call(run, 'artifacts.write', piece(0, 'x')))).toMatchObject({ code: 'unauthorized' });

    const folder = path.join(mkdtempSync(path.join(tmpdir(), 'rostra-uploads-')), 'uploads');
    mkdirSync(folder);
    writeFileSync(path.join(folder, '1'), 'of a host that was killed');
    new Uploads({ folder, most: { artifacts: 1, storage: 1 } });
    expect(existsSync(folder)).toBe(false);
    rmSync(path.dirname(folder), { recursive: true });
  });

  it('is bounded in its bytes, in its number, and with all others together', async () => {
    const world = await RunnerDataWorld.open();
    const run = world.run();
    const folder = path.join(world.uploadsFolder, 'small');
    const uploads = new Uploads({ folder, most: { artifacts: 10, storage: 5 }, total: 16 });
    const write = (upload_id: string, size: number, purpose: 'artifacts' | 'storage' = 'artifacts') =>
      uploads.write(run, purpose, { upload_id, offset: 0, bytes: new Uint8Array(size) });
    expect(await refusalOf(write('a', 11))).toMatchObject({ code: 'payload_too_large', reason: 'VALUE_TOO_LARGE' });
    expect(await refusalOf(write('s', 6, 'storage'))).toMatchObject({ code: 'payload_too_large' });
    expect(await write('a', 10)).toBe(10);
    expect(await refusalOf(write('b', 7))).toMatchObject({ code: 'rate_limited', reason: 'TOO_MANY_UPLOADS' });
    expect(await write('b', 6)).toBe(6);
    for (let n = 2; n < limits.run_uploads; n += 1) await write(`more ${n}`, 0);
    expect(await refusalOf(write('one more', 0))).toMatchObject({ code: 'rate_limited', reason: 'TOO_MANY_UPLOADS' });
    await uploads.use(run, 'artifacts', 'a', async () => undefined);
    expect(await write('c', 10)).toBe(10);
  });

  it('takes base64 and nothing that only resembles it', async () => {
    const world = await RunnerDataWorld.open();
    for (const content_base64 of ['aGk', 'a*k=', 'aGk=aGk=', '====', 'aGk\n']) {
      const write = world.call(world.run(), 'artifacts.write', { upload_id: 'u', offset: 0, content_base64 });
      expect(await refusalOf(write), content_base64).toMatchObject({ code: 'invalid_argument' });
    }
    const large = 'A'.repeat(4 * Math.ceil(limits.piece_bytes / 3) + 4);
    const write = world.call(world.run(), 'artifacts.write', { upload_id: 'u', offset: 0, content_base64: large });
    expect(await refusalOf(write)).toMatchObject({ code: 'payload_too_large' });
  });
});
