import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { TokenThread } from '../../../src/capabilities/models/token-counter.ts';
import { sampledCount } from '../../../src/capabilities/models/token-sample.ts';
import { programs } from '../../../src/main/programs.ts';
import { ManualClock } from '../../manual-clock.ts';

function threadOf(program: URL = programs.tokenWorker) {
  const clock = new ManualClock();
  const thread = new TokenThread({ program, clock });
  onTestFinished(() => thread.close());
  return { clock, thread };
}

describe('the thread that counts', () => {
  it('counts what it is given at once, and others meanwhile, without holding up the host', async () => {
    const { thread } = threadOf();
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
    }, 5);
    const counts = await Promise.all([
      thread.count(['hello world']),
      thread.count(['用户', 'a', 'b']),
      thread.count([]),
    ]);
    clearInterval(turning);
    expect(counts).toEqual([2, 3, 0]);
    expect(turns).toBeGreaterThan(3);
  });

  it('is gone when nobody counts, and comes back', async () => {
    const { thread, clock } = threadOf();
    const started = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
    const before = started();
    expect(await thread.count(['one two three'])).toBe(3);
    clock.advance(limits.counter_idle);
    await vi.waitFor(() => expect(started()).toBeLessThanOrEqual(before));
    expect(await thread.count(['one two'])).toBe(2);
  });

  it('takes what looks like a sign of a model for text', async () => {
    const { thread } = threadOf();
    const [sign, other] = await Promise.all([thread.count(['stop at <|endoftext|> now']), thread.count(['hello'])]);
    expect(sign).toBeGreaterThan(5);
    expect(other).toBe(1);
  });

  it.each(['漢', 'a', ' ', '!?'])('is not held up by a text without end or space: %s', async (sign) => {
    const { thread } = threadOf();
    await thread.count(['x']);
    const begun = performance.now();
    expect(await thread.count([sign.repeat(100_000)])).toBeGreaterThan(300);
    expect(performance.now() - begun).toBeLessThan(5000);
  });

  it('that cannot be started fails those who wait', async () => {
    const { thread } = threadOf(new URL('no-such-worker.js', programs.tokenWorker));
    await expect(thread.count(['hello'])).rejects.toMatchObject({ code: 'runtime_error' });
  });
});

describe('a very long text', () => {
  it('is counted by a part of it', () => {
    const page = 'The quick brown fox jumps over the lazy dog. ';
    const read: number[] = [];
    const count = (part: string) => {
      read.push(part.length);
      return part.length / 5;
    };
    const text = page.repeat(100_000);
    expect(sampledCount(text, count)).toBe(text.length / 5);
    expect(read.reduce((sum, length) => sum + length, 0)).toBe(limits.count_chars);
    expect(sampledCount(page, count)).toBe(page.length / 5);
  });
});
