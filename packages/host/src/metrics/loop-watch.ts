import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { limits } from '@rostra/protocol/wire/limits';
import type { Sample } from './instrument.ts';

const NANOSECONDS = 1e9;
/** How often the loop is looked at; what a healthy loop shows by it is no lag. Each look wakes an idle host. */
const RESOLUTION_MS = 200;

/** How late the event loop is. A loop that stood still is told once it turns again. */
export class LoopWatch {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #timer: NodeJS.Timeout;
  #expected: number;

  constructor(blocked: (ms: number) => void) {
    this.#histogram.enable();
    this.#expected = performance.now() + limits.loop_look;
    this.#timer = setInterval(() => {
      const now = performance.now();
      const late = now - this.#expected;
      this.#expected = now + limits.loop_look;
      if (late >= limits.loop_blocked) blocked(Math.round(late));
    }, limits.loop_look).unref();
  }

  /** Since the last time somebody asked. */
  lag(): Sample[] {
    const at = (nanoseconds: number) => Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000);
    const samples = [0.5, 0.99].map((quantile) => ({
      labels: { quantile },
      value: at(this.#histogram.percentile(quantile * 100)),
    }));
    samples.push({ labels: { quantile: 1 }, value: at(this.#histogram.max) });
    this.#histogram.reset();
    return samples;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#histogram.disable();
  }
}
