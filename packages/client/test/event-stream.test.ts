import { describe, expect, test, vi } from 'vitest';
import type { RostraError } from '../src/rostra-error.ts';
import { Run } from '../src/run.ts';
import { events, frame, HastyTiming, ManualTiming, refusal, ScriptedHost } from './scripted-host.ts';

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = [];
  for await (const each of stream) seen.push(each);
  return seen;
}

const numbers = async (stream: AsyncIterable<{ n: number }>) => (await all(stream)).map(({ n }) => n);

const error = (code: string, details: object = {}, retryable = false) => ({ code, message: 'no', retryable, details });

describe('a stream that is cut', () => {
  test('goes on behind the last event that was handed out', async () => {
    const host = new ScriptedHost(events([frame(1), frame(2)], 'cut'), events([frame(3), frame(9)]));
    const stream = host.stream(new HastyTiming());
    expect(await numbers(stream)).toEqual([1, 2, 3, 9]);
    expect(host.asked.map(({ headers }) => headers.get('last-event-id'))).toEqual([null, '2.0.1']);
    expect(host.asked[0]?.url).toBe('http://host/api/v1/things/a%2Fb/events');
    expect(stream.lastEventId).toBe('9.0.1');
  });

  test('that ended in order without its last event counts as cut', async () => {
    const host = new ScriptedHost(events([frame(1)]), events([frame(9)]));
    expect(await numbers(host.stream(new HastyTiming()))).toEqual([1, 9]);
  });

  test('hands out an event once, although the host sends it again', async () => {
    const host = new ScriptedHost(events([frame(1), frame(2)], 'cut'), events([frame(1), frame(2), frame(9)]));
    expect(await numbers(host.stream(new HastyTiming()))).toEqual([1, 2, 9]);
  });

  test('several events of one record are told apart by their second number', async () => {
    const host = new ScriptedHost(
      events([frame(1, '7.0.1'), frame(2, '7.1.1')], 'cut'),
      events([frame(2, '7.1.1'), frame(3, '7.2.1'), frame(9, '10.0.2')]),
    );
    expect(await numbers(host.stream(new HastyTiming()))).toEqual([1, 2, 3, 9]);
  });

  test('in the middle of a frame, or of a letter, loses nothing', async () => {
    const bytes = new TextEncoder().encode('id: 1.0.1\ndata: {"n":"ö"}\n\n');
    const host = new ScriptedHost(
      events([bytes.slice(0, 24), bytes.slice(24), 'id: 2.0.1\ndata: {"n"'], 'cut'),
      events([frame(2), frame(9)]),
    );
    expect(await numbers(host.stream(new HastyTiming()))).toEqual(['ö', 2, 9]);
  });

  test('waits longer each time, at most ten seconds, and begins anew after an event', async () => {
    const failing = () => Promise.reject(new TypeError('fetch failed'));
    const host = new ScriptedHost(
      ...Array.from({ length: 9 }, () => failing),
      events([frame(1)], 'cut'),
      events([frame(9)]),
    );
    const timing = new HastyTiming();
    expect(await numbers(host.stream(timing))).toEqual([1, 9]);
    expect(timing.waits).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 100]);
  });

  test('tells that a connection stands again before anything has come over it', async () => {
    const host = new ScriptedHost(events([frame(1)], 'cut'), events([frame(9)]));
    const told: unknown[] = [];
    const listeners = { onOpen: () => told.push('open'), onRetry: () => told.push('retry') };
    for await (const { n } of host.stream(new HastyTiming(), listeners)) told.push(n);
    expect(told).toEqual(['open', 1, 'retry', 'open', 9]);
  });

  test('waits as long as a busy host asks, and tells who listens', async () => {
    const host = new ScriptedHost(
      refusal(429, error('rate_limited', {}, true), { 'Retry-After': '3' }),
      events([frame(9)]),
    );
    const timing = new HastyTiming();
    const onRetry = vi.fn();
    expect(await numbers(host.stream(timing, { onRetry }))).toEqual([9]);
    expect(timing.waits).toEqual([3000]);
    expect(onRetry).toHaveBeenCalledWith(expect.objectContaining({ attempt: 1, delay: 3000 }));
  });

  test('is given up after as many attempts as were allowed', async () => {
    const host = new ScriptedHost();
    const failure = all(host.stream(new HastyTiming(), { attempts: 2 }));
    await expect(failure).rejects.toMatchObject({ status: 0, retryable: true });
    expect(host.asked).toHaveLength(3);
  });

  test('that says nothing for 36 seconds, not even a ping, counts as cut', async () => {
    const host = new ScriptedHost(events([frame(1)], 'open'), events([frame(9)]));
    const timing = new ManualTiming();
    const stream = host.stream(timing);
    const seen = numbers(stream);
    await vi.waitFor(() => expect(stream.lastEventId).toBe('1.0.1'));
    await vi.waitFor(() => expect(timing.waiting.map(({ ms }) => ms)).toEqual([36_000]));
    timing.fire(36_000);
    await vi.waitFor(() => expect(timing.waiting.map(({ ms }) => ms)).toEqual([100]));
    timing.fire(100);
    expect(await seen).toEqual([1, 9]);
    expect(timing.waiting).toEqual([]);
  });
});

describe('a host that begins no answer', () => {
  /** As fetch does it: nothing comes, until it is called off. */
  const silence = ({ signal }: RequestInit) =>
    new Promise<Response>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });

  test('for 36 seconds when a stream is opened counts as cut', async () => {
    const host = new ScriptedHost(silence, events([frame(9)]));
    const timing = new ManualTiming();
    const errors: unknown[] = [];
    const seen = numbers(host.stream(timing, { onRetry: ({ error }) => errors.push(error.cause) }));
    await vi.waitFor(() => expect(timing.waiting.map(({ ms }) => ms)).toEqual([36_000]));
    timing.fire(36_000);
    await vi.waitFor(() => expect(timing.waiting.map(({ ms }) => ms)).toEqual([100]));
    timing.fire(100);
    expect(await seen).toEqual([9]);
    expect(errors).toEqual([new Error('no answer came')]);
    expect(timing.waiting).toEqual([]);
  });

  test('when it is asked whether all was told does not keep whoever leaves', async () => {
    const leaving = new AbortController();
    const host = new ScriptedHost(events([frame(1)]), silence);
    const isOver = async (_: unknown, signal: AbortSignal) => {
      await host.fetch('http://host/status', { signal });
      return true;
    };
    const seen = numbers(host.stream(new ManualTiming(), { signal: leaving.signal }, isOver));
    await vi.waitFor(() => expect(host.asked).toHaveLength(2));
    leaving.abort();
    expect(await seen).toEqual([1]);
  });

  test('when it is asked whether all was told is asked again', async () => {
    const unsure = JSON.stringify({ type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts: [] } });
    const host = new ScriptedHost(
      events([`id: 1.0.1\ndata: ${unsure}\n\n`]),
      silence,
      () => new Response(null, { status: 204 }),
    );
    const timing = new ManualTiming();
    const seen = all(new Run(host.caller, timing, 't').frames());
    await vi.waitFor(() => expect(host.asked).toHaveLength(2));
    timing.fire(36_000);
    await vi.waitFor(() => expect(timing.waiting.map(({ ms }) => ms)).toEqual([100]));
    timing.fire(100);
    expect((await seen).map(({ id }) => id)).toEqual(['1.0.1']);
  });
});

describe('a stream that is refused', () => {
  test.each([401, 403, 404, 422])('with %i ends with the refusal', async (status) => {
    const host = new ScriptedHost(refusal(status, error('not_found', { hint: 'Do it.' })));
    const failure: RostraError = await all(host.stream(new HastyTiming())).catch((thrown) => thrown);
    expect(failure).toMatchObject({ name: 'RostraError', status, code: 'not_found', message: 'no', retryable: false });
    expect(failure.details).toEqual({ hint: 'Do it.' });
    expect(host.asked).toHaveLength(1);
  });

  const reset = (last_event_id: string | null) =>
    refusal(409, error('invalid_argument', { reason: 'cursor_reset', last_event_id }));

  test('because its place is gone goes on from the last one that the host has, and says so first', async () => {
    const order: string[] = [];
    const host = new ScriptedHost(
      events([frame(1), frame(2), frame(3)], 'cut'),
      reset('1.0.1'),
      events([frame(2, '2.0.2'), frame(9)]),
    );
    const onReset = ({ lastEventId }: { lastEventId: string | null }) => void order.push(`reset to ${lastEventId}`);
    for await (const { n } of host.stream(new HastyTiming(), { onReset })) order.push(String(n));
    expect(order).toEqual(['1', '2', '3', 'reset to 1.0.1', '2', '9']);
    expect(host.asked.map(({ headers }) => headers.get('last-event-id'))).toEqual([null, '3.0.1', '1.0.1']);
  });

  test('because nothing of it is left is read from the start', async () => {
    const host = new ScriptedHost(events([frame(4)], 'cut'), reset(null), events([frame(1), frame(9)]));
    const onReset = vi.fn();
    expect(await numbers(host.stream(new HastyTiming(), { onReset }))).toEqual([4, 1, 9]);
    expect(onReset).toHaveBeenCalledExactlyOnceWith({ lastEventId: null });
    expect(host.asked[2]?.headers.get('last-event-id')).toBeNull();
  });

  test('because its place is gone ends where nobody would drop what is void', async () => {
    const host = new ScriptedHost(events([frame(4)], 'cut'), reset(null));
    await expect(all(host.stream(new HastyTiming()))).rejects.toMatchObject({ status: 409 });
  });

  test('twice for the same place ends, and does not go in a circle', async () => {
    const host = new ScriptedHost(reset('1.0.1'), reset('1.0.1'));
    const failure = all(host.stream(new HastyTiming(), { after: '5.0.1', onReset: () => undefined }));
    await expect(failure).rejects.toMatchObject({ status: 409 });
    expect(host.asked).toHaveLength(2);
  });
});

describe('whoever leaves', () => {
  test('by the signal hands out nothing more, although more has come', async () => {
    const leaving = new AbortController();
    const host = new ScriptedHost(events([frame(1) + frame(2) + frame(3)], 'open'));
    const seen: number[] = [];
    for await (const { n } of host.stream(new HastyTiming(), { signal: leaving.signal })) {
      seen.push(n);
      leaving.abort();
    }
    expect(seen).toEqual([1]);
  });

  test('by the signal ends the iteration without an error and closes the connection', async () => {
    const leaving = new AbortController();
    let cancelled = false;
    const host = new ScriptedHost(({ signal }) => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(frame(1)));
          signal?.addEventListener('abort', () => {
            cancelled = true;
            controller.error(signal.reason);
          });
        },
      });
      return new Response(body);
    });
    const seen: number[] = [];
    for await (const { n } of host.stream(new HastyTiming(), { signal: leaving.signal })) {
      seen.push(n);
      setTimeout(() => leaving.abort());
    }
    expect(seen).toEqual([1]);
    expect(cancelled).toBe(true);
  });

  test('by a break closes the connection', async () => {
    let reason: unknown = null;
    const host = new ScriptedHost(({ signal }) => {
      signal?.addEventListener('abort', () => {
        reason = signal.reason;
      });
      return events([frame(1), frame(2)], 'open')();
    });
    for await (const _ of host.stream(new HastyTiming())) break;
    expect(reason).not.toBeNull();
  });

  test('while it waits for another attempt is not kept waiting', async () => {
    const leaving = new AbortController();
    const timing = new ManualTiming();
    const seen = all(new ScriptedHost().stream(timing, { signal: leaving.signal }));
    await vi.waitFor(() => expect(timing.waiting).toHaveLength(1));
    leaving.abort();
    expect(await seen).toEqual([]);
    expect(timing.waiting).toEqual([]);
  });

  test('before the beginning asks nothing', async () => {
    const host = new ScriptedHost();
    expect(await all(host.stream(new HastyTiming(), { signal: AbortSignal.abort() }))).toEqual([]);
    expect(host.asked).toEqual([]);
  });
});

test('a reader that does not ask for more is not read ahead for', async () => {
  let pulled = 0;
  const host = new ScriptedHost(() => {
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulled += 1;
          controller.enqueue(new TextEncoder().encode(frame(pulled)));
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body);
  });
  const reading = host.stream(new HastyTiming())[Symbol.asyncIterator]();
  await reading.next();
  await reading.next();
  await new Promise((resolve) => setTimeout(resolve));
  expect(pulled).toBe(2);
  await reading.return();
});
