import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '@rostra/protocol/wire/limits';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { png } from '../attachments/sample-images.ts';
import { KEY, RUNS, run, type TestHost } from './test-host.ts';
import { PATH, UploadScene } from './upload-scene.ts';

const scene = new UploadScene();
let host: TestHost;
beforeAll(async () => {
  host = await scene.start();
});
afterAll(() => scene.stop());

const json = JSON.stringify(run());
const picture = png(10, 10);
const part = '--x\r\nContent-Disposition: form-data; name="f"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n';
const form = Buffer.concat([Buffer.from(part), picture, Buffer.from('\r\n--x--\r\n')]);

interface Sender {
  readonly socket: Socket;
  readonly told: Promise<string>;
}

/** Sends the head of a request, and then nothing until told. */
async function begin(path: string, type: string, bytes: number): Promise<Sender> {
  const waiting = host.clock.armed;
  const socket = connect(host.port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  const told = once(socket, 'close').then(() => text);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: ${type}\r\nContent-Length: ${bytes}\r\nConnection: close\r\n\r\n`,
  );
  await vi.waitFor(() => expect(host.clock.armed).toBeGreaterThan(waiting));
  return { socket, told };
}

/** Sends bytes, and waits until the host has them. */
async function give(socket: Socket, bytes: string | Uint8Array): Promise<void> {
  socket.write(bytes);
  await sleep(30);
}

describe('a body of JSON', () => {
  const start = () => begin(RUNS, 'application/json', Buffer.byteLength(json));

  it('that is not there in time is refused with 408 though it goes on coming (case 30)', async () => {
    const { socket, told } = await start();
    await give(socket, json.slice(0, 5));
    host.clock.advance(limits.body_timeout - 1);
    await give(socket, json.slice(5, 10));
    host.clock.advance(1);
    await give(socket, json.slice(10, 12));
    host.clock.advance(limits.linger);
    const answer = await told;
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout/);
    expect(answer).toContain('"code":"deadline_exceeded","message":"the request took too long to arrive"');
    expect(host.audit.at(-1)).toMatchObject({ resource: RUNS, result: 'deadline_exceeded' });
  });

  it('that comes in time is taken, and nothing waits for it any more', async () => {
    const armed = host.clock.armed;
    const { socket, told } = await start();
    host.clock.advance(limits.body_timeout - 1);
    await give(socket, json);
    expect(await told).toMatch(/^HTTP\/1\.1 202 /);
    expect(host.clock.armed).toBe(armed);
  });

  it('whose sender goes away is not waited for', async () => {
    const armed = host.clock.armed;
    const { socket } = await start();
    socket.destroy();
    await vi.waitFor(() => expect(host.clock.armed).toBe(armed));
  });
});

describe('a file', () => {
  const start = () => begin(PATH, 'multipart/form-data; boundary=x', form.length);

  it('may take longer than that as long as it comes', async () => {
    const armed = host.clock.armed;
    const { socket, told } = await start();
    for (let at = 0; at < form.length; at += 40) {
      host.clock.advance(limits.body_timeout - 1);
      await give(socket, form.subarray(at, at + 40));
    }
    expect(await told).toMatch(/^HTTP\/1\.1 201 /);
    expect(host.clock.armed).toBe(armed);
  });

  it('of which nothing comes any more is refused with 408, and nothing is kept of it (case 30)', async () => {
    const before = await host.store.artifacts.unclaimed('local', 'owner');
    const { socket, told } = await start();
    await give(socket, form.subarray(0, part.length + 8));
    host.clock.advance(limits.body_timeout);
    await sleep(30);
    host.clock.advance(limits.linger);
    const answer = await told;
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout/);
    expect(answer).toContain('"message":"nothing of the file has come for 30 seconds"');
    expect(await host.store.artifacts.unclaimed('local', 'owner')).toBe(before);
  });
});
