import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { ActiveRun } from '../orchestrator/run-charter.ts';

export interface CallRates {
  /** Calls of one run per second. */
  readonly calls: number;
  /** Bytes of all calls of one run and of their answers. */
  readonly bytes: number;
}

const usualRates: CallRates = { calls: limits.run_calls_second, bytes: limits.run_call_bytes };

/** One call, in thousandths of a call: as many as a second has milliseconds. */
const CALL = 1000;

interface Meter {
  /** Calls that may be made now, in thousandths, so that nothing is lost by rounding; they come back with time. */
  tokens: number;
  at: number;
  bytes: number;
}

/** How much each run asks of its host. What is known of a run goes with it. */
export class CallMeter {
  readonly #rates: CallRates;
  readonly #meters = new WeakMap<ActiveRun, Meter>();

  constructor(rates: CallRates = usualRates) {
    this.#rates = rates;
  }

  /** A call comes in; throws when it is one too many. */
  enter(run: ActiveRun, bytes: number, now: number): void {
    const meter = this.#of(run, now);
    const { calls } = this.#rates;
    meter.tokens = Math.min(calls * CALL, meter.tokens + (now - meter.at) * calls);
    meter.at = now;
    if (meter.tokens < CALL) {
      const retry_after_ms = Math.ceil((CALL - meter.tokens) / calls);
      const message = `A run may make ${calls} calls per second.`;
      throw new ApiError('rate_limited', message, { retryable: true, details: { retry_after_ms } });
    }
    meter.tokens -= CALL;
    this.#count(meter, bytes);
  }

  /** A piece of an answer is about to go out; throws when it is too much. */
  piece(run: ActiveRun, bytes: number, now: number): void {
    this.#count(this.#of(run, now), bytes);
  }

  /** An answer has been made: it goes out, and what is too much shows at the next call. */
  answered(run: ActiveRun, bytes: number, now: number): void {
    this.#of(run, now).bytes += bytes;
  }

  #count(meter: Meter, bytes: number): void {
    if (meter.bytes + bytes > this.#rates.bytes) {
      const message = `The calls of a run and their answers may have ${this.#rates.bytes} bytes together.`;
      throw new ApiError('rate_limited', message);
    }
    meter.bytes += bytes;
  }

  #of(run: ActiveRun, now: number): Meter {
    let meter = this.#meters.get(run);
    if (meter === undefined) {
      meter = { tokens: this.#rates.calls * CALL, at: now, bytes: 0 };
      this.#meters.set(run, meter);
    }
    return meter;
  }
}

/** Bytes that cross as base64 count as what they are, not as what they are written with. */
function written(value: object): number {
  let saved = 0;
  for (const key of ['content_base64', 'value_base64']) {
    const text: unknown = Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
    if (typeof text === 'string') saved += Math.floor(text.length / 4);
  }
  return saved;
}

/** What a call carries, by the length of its line. */
export function sizeOfCall(params: unknown, lineBytes: number): number {
  return typeof params === 'object' && params !== null ? Math.max(0, lineBytes - written(params)) : lineBytes;
}

export function sizeOfAnswer(answer: unknown): number {
  if (typeof answer !== 'object' || answer === null) return 0;
  const content = 'content_base64' in answer ? answer.content_base64 : null;
  if (typeof content !== 'string') return Buffer.byteLength(JSON.stringify(answer));
  // The bytes themselves are the largest part by far, and need not be written out to be counted.
  const rest = JSON.stringify({ ...answer, content_base64: '' });
  return Buffer.byteLength(rest) + Math.ceil((content.length * 3) / 4);
}
