import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { bench, everyMethod, servingAll } from './every-method.ts';
import { activeRun, GateBench, refusal } from './gate-bench.ts';

describe('rates', () => {
  it('the 51st call within a second is refused, and time brings calls back', async () => {
    const { gate, ask } = bench();
    const run = activeRun('r1');
    for (let n = 0; n < limits.run_calls_second; n += 1) await ask(run, 'prompt.get');
    expect(await refusal(ask(run, 'prompt.get'))).toMatchObject({
      code: 'rate_limited',
      retryable: true,
      details: { retry_after_ms: 20 },
    });
    expect(await ask(activeRun('r2'), 'prompt.get')).toEqual({ done: true });
    gate.clock.advance(20);
    expect(await ask(run, 'prompt.get')).toEqual({ done: true });
    expect(await refusal(ask(run, 'prompt.get'))).toMatchObject({ code: 'rate_limited' });
    expect(gate.failed).toEqual([]);
  });

  it('a run that reads page after page runs out of bytes (case 87)', async () => {
    const items = 'x'.repeat(1_000_000);
    const gate = new GateBench(servingAll(() => ({ items })));
    const run = activeRun('r1');
    let pages = 0;
    let refused: unknown = null;
    while (refused === null) {
      gate.clock.advance(1000);
      refused = await gate.call(run, 'history.page', { limit: 200, include_artifacts: true }).then(
        () => null,
        (error: unknown) => error,
      );
      pages += 1;
      if (pages > 40) break;
    }
    expect(refused).toMatchObject({ code: 'rate_limited', retryable: false });
    expect(pages).toBe(Math.ceil(limits.run_call_bytes / 1_000_012) + 1);
    expect(await gate.call(activeRun('r2'), 'history.page', {})).toEqual({ items });
  });

  it('bytes that cross as base64 count as what they are: 15 MiB in and out fit into one run', async () => {
    const content_base64 = Buffer.alloc(limits.piece_bytes).toString('base64');
    const gate = new GateBench(
      servingAll((method) => (method === 'artifacts.write' ? {} : { offset: 0, content_base64 })),
    );
    const run = activeRun('r1');
    for (let n = 0; n < 15; n += 1) {
      const params = { upload_id: 'u', offset: n * limits.piece_bytes, content_base64 };
      await gate.call(run, 'artifacts.write', params, { bytes: JSON.stringify(params).length });
      await gate.call(run, 'artifacts.read_range', { artifact_id: 'a' });
    }
    expect(gate.rows.every(({ result }) => result === 'ok')).toBe(true);
  });

  it('pieces of an answer count too, and the stream ends where the bytes do', async () => {
    const gate = new GateBench({
      'artifacts.open_stream': {
        asks: () => everyMethod['artifacts.open_stream'].asks,
        async serve(_params, _run, push) {
          const content_base64 = Buffer.alloc(limits.piece_bytes).toString('base64');
          for (let n = 0; n < 40; n += 1) await push({ offset: n * limits.piece_bytes, content_base64 });
          throw new Error('it was served in full');
        },
      },
    });
    expect(await refusal(gate.call(activeRun('r1'), 'artifacts.open_stream', { artifact_id: 'a' }))).toMatchObject({
      code: 'rate_limited',
    });
    expect(gate.pushed).toHaveLength(31);
  });
});
