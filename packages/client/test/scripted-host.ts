import { operation } from '@rostra/protocol/run-api/operation';
import { JsonObject } from '@rostra/protocol/wire/json';
import { Caller } from '../src/caller.ts';
import { EventStream, type StreamOptions, type StreamSource } from '../src/event-stream.ts';
import type { Timing } from '../src/timing.ts';

export const follow = operation({
  id: 'follow',
  method: 'GET',
  path: '/api/v1/things/{thingId}/events',
  scope: 'runs',
  tag: 'Things',
  summary: 'Follows a thing',
  answers: { 200: null },
  events: JsonObject,
  refusals: [404],
});

/** Time stands still until it is moved; what waits is fired in order. */
export class ManualTiming implements Timing {
  readonly waiting: { ms: number; act: () => void }[] = [];
  chance = 1;

  after(ms: number, act: () => void): () => void {
    const entry = { ms, act };
    this.waiting.push(entry);
    return () => {
      const at = this.waiting.indexOf(entry);
      if (at >= 0) this.waiting.splice(at, 1);
    };
  }

  random(): number {
    return this.chance;
  }

  /** Fires the timer that was set for so long. */
  fire(ms: number): void {
    const at = this.waiting.findIndex((entry) => entry.ms === ms);
    const [entry] = at < 0 ? [] : this.waiting.splice(at, 1);
    if (entry === undefined) throw new Error(`nothing waits ${ms} ms, but ${this.waiting.map((each) => each.ms)}`);
    entry.act();
  }
}

/** Never waits, and remembers for how long it should have. Timers for the silence of a stream are not fired. */
export class HastyTiming implements Timing {
  readonly waits: number[] = [];

  after(ms: number, act: () => void): () => void {
    if (ms > 20_000) return () => undefined;
    this.waits.push(ms);
    queueMicrotask(act);
    return () => undefined;
  }

  random(): number {
    return 1;
  }
}

export interface Asked {
  url: string;
  method: string;
  headers: Headers;
  body: unknown;
}

/** Answers each request with the next of its answers, and keeps what was asked. */
export class ScriptedHost {
  readonly asked: Asked[] = [];
  readonly #answers: ((init: RequestInit) => Response | Promise<Response>)[];

  constructor(...answers: ((init: RequestInit) => Response | Promise<Response>)[]) {
    this.#answers = answers;
  }

  readonly fetch: typeof fetch = async (input, init = {}) => {
    this.asked.push({
      url: String(input),
      method: init.method ?? 'GET',
      headers: new Headers(init.headers),
      body: init.body,
    });
    const answer = this.#answers.shift();
    if (answer === undefined) throw new TypeError('fetch failed');
    return await answer(init);
  };

  get caller(): Caller {
    return new Caller({ baseUrl: 'http://host', key: 'a-key', fetch: this.fetch });
  }

  stream(
    timing: Timing,
    options: StreamOptions = {},
    isOver: StreamSource['isOver'] = (last) => last?.data === '{"n":9}',
  ) {
    const source = { operation: follow, params: { thingId: 'a/b' }, isOver };
    return new EventStream<{ n: number }>(this.caller, timing, source, options);
  }
}

export function frame(n: number, id = `${n}.0.1`): string {
  return `id: ${id}\ndata: {"n":${n}}\n\n`;
}

/** A stream of these pieces; then it ends in order, or breaks. */
export function events(pieces: readonly (string | Uint8Array)[], end: 'end' | 'cut' | 'open' = 'end'): () => Response {
  return () => {
    const encoder = new TextEncoder();
    const rest = [...pieces];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = rest.shift();
        if (piece !== undefined) controller.enqueue(typeof piece === 'string' ? encoder.encode(piece) : piece);
        else if (end === 'end') controller.close();
        else if (end === 'cut') controller.error(new TypeError('terminated'));
      },
    });
    return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
  };
}

export function refusal(status: number, body: object, headers: Record<string, string> = {}): () => Response {
  return () => Response.json(body, { status, headers });
}
