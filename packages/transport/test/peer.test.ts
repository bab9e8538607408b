import { once } from 'node:events';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { expect, test } from 'vitest';
import type { CloseReason } from '../src/close-reason.ts';
import { ManualTimers } from '../src/manual-timers.ts';
import { memoryChannels } from '../src/memory-channel.ts';
import { Peer, type PeerOptions } from '../src/peer.ts';

function pair(options: PeerOptions = {}) {
  const [left, right] = memoryChannels();
  return { a: new Peer(left, options), b: new Peer(right, options), left, right };
}

/** A peer whose other side is played by the test, in raw bytes. */
function alone(options: PeerOptions = {}) {
  const [left, right] = memoryChannels();
  const written: string[] = [];
  right.readable.on('data', (chunk: Buffer) => written.push(...chunk.toString().trimEnd().split('\n')));
  return { peer: new Peer(left, options), raw: right, written };
}
const tick = () => new Promise((resolve) => setImmediate(resolve));

test('requests are answered by the handler of their method, each to its own caller', async () => {
  const { a, b } = pair();
  b.onRequest('double', (n) => Number(n) * 2);
  b.onRequest('later', (n) => tick().then(() => n));
  expect(await Promise.all([a.request('later', 1), a.request('double', 2), a.request('double', 3)])).toEqual([1, 4, 6]);
});

test('both ends may ask at the same time', async () => {
  const { a, b } = pair();
  a.onRequest('who', () => 'a');
  b.onRequest('who', async () => `b, asked by ${await b.request('who')}`);
  expect(await a.request('who')).toBe('b, asked by a');
});

test('a refusal arrives as the ApiError that was thrown', async () => {
  const { a, b } = pair();
  b.onRequest('x', () => {
    throw new ApiError('unauthorized', 'not yours', { retryable: true, details: { hint: 'Ask the owner.' } });
  });
  const refusal = { code: 'unauthorized', message: 'not yours', retryable: true, details: { hint: 'Ask the owner.' } };
  await expect(a.request('x')).rejects.toMatchObject(refusal);
});

test('an unknown method is refused with −32601 and the connection stays usable', async () => {
  const { peer, raw, written } = alone();
  peer.onRequest('known', () => 'yes');
  raw.writable.write('{"jsonrpc":"2.0","id":9,"method":"nope"}\n{"jsonrpc":"2.0","id":10,"method":"known"}\n');
  await once(raw.readable, 'data');
  expect(JSON.parse(written[0]!)).toMatchObject({ id: 9, error: { code: -32_601, data: { code: 'not_found' } } });
  expect(JSON.parse(written[1]!)).toEqual({ jsonrpc: '2.0', id: 10, result: 'yes' });
});

test('a bug in a handler is reported here and answered without its text', async () => {
  const faults: unknown[] = [];
  const { a, b } = pair({ onFault: (error) => void faults.push(error) });
  const bug = new Error('secret connection string');
  b.onRequest('x', () => {
    throw bug;
  });
  await expect(a.request('x')).rejects.toMatchObject({ code: 'runtime_error' });
  await expect(a.request('x')).rejects.not.toThrow(/secret/);
  expect(faults).toEqual([bug, bug]);
});

test('a bug in a notification handler does not stop the lines behind it', async () => {
  const faults: unknown[] = [];
  const seen: unknown[] = [];
  const { a, b } = pair({ onFault: (_, method) => void faults.push(method) });
  b.onNotification('bad', () => {
    throw new Error('bug');
  });
  b.onNotification('good', (params) => void seen.push(params));
  a.notify('bad');
  a.notify('unheard of');
  a.notify('good', [1]);
  await tick();
  await tick();
  expect({ faults, seen }).toEqual({ faults: ['bad'], seen: [[1]] });
});

test('a notification says how many bytes its line had', async () => {
  const { a, b } = pair();
  const line = '{"jsonrpc":"2.0","method":"RESULTS","params":"日程"}';
  const bytes = new Promise((resolve) => b.onNotification('RESULTS', (_, size) => resolve(size)));
  a.notifyRaw(line);
  expect(await bytes).toBe(Buffer.byteLength(line));
});

test('lines that are no frames are handed over, empty ones ignored, and the frames between them work', async () => {
  const stray: string[] = [];
  const { peer, raw } = alone({ onStray: (line) => void stray.push(line) });
  const seen = new Promise((resolve) => peer.onNotification('ok', resolve));
  raw.writable.write('hello\n\n{"a":1}\n{"jsonrpc":"2.0","method":"ok","params":1}\n');
  expect(await seen).toBe(1);
  expect(stray).toEqual(['hello', '{"a":1}']);
});

test('a frame over the limit is refused here and nothing of it is sent', async () => {
  const { a, b } = pair();
  b.onRequest('echo', (params) => params);
  const huge = '界'.repeat(limits.frame_bytes / 3);
  await expect(a.request('echo', huge)).rejects.toMatchObject({ code: 'payload_too_large' });
  expect(() => a.notify('echo', huge)).toThrowError(expect.objectContaining({ code: 'payload_too_large' }));
  expect(await a.request('echo', 'small')).toBe('small');
});

test('an answer over the limit becomes a refusal', async () => {
  const { a, b } = pair();
  b.onRequest('huge', () => 'x'.repeat(limits.frame_bytes));
  await expect(a.request('huge')).rejects.toMatchObject({ code: 'payload_too_large' });
});

test('a frame of just under the limit crosses unharmed', async () => {
  const { a, b } = pair();
  b.onRequest('length', (params) => String(params).length);
  const large = 'x'.repeat(limits.frame_bytes - 100);
  expect(await a.request('length', large)).toBe(large.length);
});

test.each([
  ['a line over the limit', `${'x'.repeat(limits.frame_bytes + 1)}\n`],
  ['bytes without a newline', 'x'.repeat(limits.frame_bytes + 1)],
])('%s ends the connection, and pending requests fail', async (_, bytes) => {
  const { peer, raw } = alone();
  const reasons: CloseReason[] = [];
  peer.onClose((reason) => reasons.push(reason));
  const pending = peer.request('x');
  raw.writable.write(bytes);
  await expect(pending).rejects.toMatchObject({ code: 'runtime_error', details: { connection: 'framing' } });
  expect(reasons.map(({ why }) => why)).toEqual(['framing']);
});

test('closing rejects every pending request, once, and later ones at once', async () => {
  const { a, b } = pair();
  b.onRequest('never', () => new Promise(() => undefined));
  const pending = [a.request('never'), a.request('never')];
  a.close('enough');
  a.close('again');
  for (const request of [...pending, a.request('never')]) {
    await expect(request).rejects.toMatchObject({ message: 'enough', retryable: true });
  }
});

test('both ends learn of a close, and what was said before it still arrives', async () => {
  const { a, b } = pair();
  const seen: unknown[] = [];
  b.onNotification('last words', (params) => void seen.push(params));
  const reason = new Promise<CloseReason>((resolve) => b.onClose(resolve));
  a.notify('last words', 1);
  a.close();
  expect((await reason).why).toBe('ended');
  expect(seen).toEqual([1]);
  const late = new Promise<CloseReason>((resolve) => a.onClose(resolve));
  expect((await late).why).toBe('closed');
});

test('frames that follow a close in the same chunk are not delivered', async () => {
  const { peer, raw } = alone();
  const seen: unknown[] = [];
  peer.onNotification('n', (params) => {
    seen.push(params);
    peer.close();
  });
  raw.writable.write([1, 2].map((n) => `{"jsonrpc":"2.0","method":"n","params":${n}}\n`).join(''));
  await new Promise<void>((resolve) => peer.onClose(() => resolve()));
  expect(seen).toEqual([1]);
});

test('a broken pipe does not lose what the other side had said before', async () => {
  const { peer, raw, left } = (() => {
    const [left, right] = memoryChannels();
    return { peer: new Peer(left), raw: right, left };
  })();
  const seen = new Promise((resolve) => peer.onNotification('n', resolve));
  left.writable.destroy(new Error('EPIPE'));
  await tick();
  await expect(peer.request('x')).rejects.toMatchObject({ code: 'runtime_error' });
  raw.writable.write('{"jsonrpc":"2.0","method":"n","params":"still heard"}\n');
  expect(await seen).toBe('still heard');
});

test('a request that is not answered in time fails, and its late answer is ignored', async () => {
  const timers = new ManualTimers();
  const { a, b } = pair({ timers });
  let answer: (value: string) => void = () => undefined;
  b.onRequest('slow', () => new Promise((resolve) => (answer = resolve)));
  b.onRequest('quick', () => 'ok');
  const slow = a.request('slow', null, { timeout: 1000 });
  expect(await a.request('quick', null, { timeout: 1000 })).toBe('ok');
  timers.advance(999);
  expect(timers.waiting).toBe(1);
  timers.advance(1);
  await expect(slow).rejects.toMatchObject({ code: 'deadline_exceeded', retryable: true });
  answer('too late');
  expect(await a.request('quick')).toBe('ok');
});

test('a request is given up when its signal aborts, before or after it was sent', async () => {
  const { a, b } = pair();
  b.onRequest('never', () => new Promise(() => undefined));
  const abort = new AbortController();
  const pending = a.request('never', null, { signal: abort.signal });
  abort.abort(new Error('no longer needed'));
  await expect(pending).rejects.toThrow('no longer needed');
  await expect(a.request('never', null, { signal: abort.signal })).rejects.toThrow('no longer needed');
});

test('more requests at once than the limit are refused as busy while the others finish', async () => {
  const { a, b } = pair();
  const open: (() => void)[] = [];
  b.onRequest('hold', () => new Promise((resolve) => open.push(() => resolve('done'))));
  b.onRequest('PING', () => ({}));
  const held = Array.from({ length: limits.peer_requests }, () => a.request('hold'));
  await expect(a.request('hold')).rejects.toMatchObject({ code: 'rate_limited', retryable: true });
  expect(await a.request('PING')).toEqual({});
  for (const finish of open) finish();
  expect(new Set(await Promise.all(held))).toEqual(new Set(['done']));
  const again = a.request('hold');
  while (open.length === limits.peer_requests) await tick();
  open.at(-1)?.();
  expect(await again).toBe('done');
});

test('control lines and the answer to PING go before queued data', async () => {
  const { peer, raw, written } = alone();
  peer.onRequest('PING', () => ({}));
  peer.onRequest('other', () => ({}));
  raw.writable.write('{"jsonrpc":"2.0","id":1,"method":"other"}\n{"jsonrpc":"2.0","id":2,"method":"PING"}\n');
  await new Promise((resolve) => setImmediate(resolve));
  peer.notify('RESULTS', {});
  peer.notify('RUN_CREDIT', {});
  void peer.request('CANCEL_RUN', {}).catch(() => undefined);
  while (written.length < 5) await tick();
  const names = written.map((line) => JSON.parse(line).method ?? JSON.parse(line).id);
  expect(names.indexOf(2)).toBeLessThan(names.indexOf(1));
  expect(names.indexOf('RUN_CREDIT')).toBeLessThan(names.indexOf('RESULTS'));
  expect(names.indexOf('CANCEL_RUN')).toBeLessThan(names.indexOf('RESULTS'));
});

test('a peer that asks but never reads is refused, then cut off, instead of filling the memory', async () => {
  const [left, right] = memoryChannels();
  const peer = new Peer(left);
  peer.onRequest('big', () => 'x'.repeat(1024 * 1024));
  const reason = new Promise<CloseReason>((resolve) => peer.onClose(resolve));
  const request = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"big"}\n`;
  right.writable.write(Array.from({ length: 60_000 }, (_, id) => request(id)).join(''));
  expect((await reason).why).toBe('stalled');
});
