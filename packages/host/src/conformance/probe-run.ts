import { inParts } from '@rostra/protocol/runner/context-part';
import { everyResult, type RunResultTuple, type RunResultType } from '@rostra/protocol/runner/run-result';
import { ResultsParams, RunRef } from '@rostra/protocol/runner/wire-params';
import type { JsonObject } from '@rostra/protocol/wire/json';
import type { WireMethod } from '@rostra/protocol/wire/method';
import { probeContext } from './probe-context.ts';
import type { RunnerProbe } from './runner-probe.ts';
import { BrokenPromise, type WireLine } from './wire-line.ts';

export interface RunnerName {
  readonly id: string;
  readonly name: string;
}

export interface Asked {
  readonly run_id: string;
  readonly text: string;
  readonly data?: JsonObject;
  /** The part of its context that is named instead of told. */
  readonly part?: number;
}

/** One run that a check drives over a probe. */
export class ProbeRun {
  readonly id: string;
  /** Every RESULTS line of this run so far. */
  readonly lines: WireLine[] = [];
  readonly results: RunResultTuple[] = [];
  /** What its RESULTS lines measure together: what credit in bytes is counted in. */
  bytes = 0;
  isAccepted = false;
  isAnswered = false;
  readonly #probe: RunnerProbe;
  readonly #request: number;
  #givenResults = 0;
  #givenBytes = 0;

  constructor(probe: RunnerProbe, runner: RunnerName, { run_id, text, data, part }: Asked) {
    this.id = run_id;
    this.#probe = probe;
    const whole = probeContext(run_id, text, data);
    const context = part === undefined ? { context: whole } : { part, context: inParts(whole).own };
    const method: WireMethod = 'RUN_AGENT';
    probe.follow((line) => this.#hear(line));
    this.#request = probe.request(method, { runner_id: runner.id, runner_name: runner.name, ...context });
  }

  /** The answer to RUN_AGENT, or its refusal. */
  async answered(ms: number) {
    return this.#probe.answer(this.#request, `the answer to RUN_AGENT of ${this.id}`, ms);
  }

  async accepted(ms: number): Promise<void> {
    if (!this.isAccepted)
      await this.#probe.line((line) => this.#is(line, 'RUN_ACCEPTED'), `RUN_ACCEPTED of ${this.id}`, ms);
  }

  get terminal(): RunResultTuple | undefined {
    return this.results.find(([, type]) => terminals.has(type));
  }

  /** Gives back everything that was used so far. */
  giveCredit(): void {
    const [results, bytes] = [this.results.length - this.#givenResults, this.bytes - this.#givenBytes];
    if (results === 0) return;
    this.#givenResults += results;
    this.#givenBytes += bytes;
    const method: WireMethod = 'RUN_CREDIT';
    this.#probe.notify(method, { run_id: this.id, results, bytes });
  }

  /** Until the answer to RUN_AGENT; credit is given back all the way. */
  async ended(ms: number): Promise<void> {
    await this.#probe.holds(() => {
      if (!this.isAnswered) this.giveCredit();
      return this.isAnswered;
    }, ms);
    await this.answered(0);
    if (this.terminal !== undefined) return;
    const last = this.lines.at(-1);
    throw new BrokenPromise(`${this.id} has neither run.completed nor run.failed`, last);
  }

  #hear(line: WireLine): void {
    if (line.from === 'host') return;
    const { frame } = line;
    if (isAnswerTo(frame, this.#request)) this.isAnswered = true;
    if (this.#is(line, 'RUN_ACCEPTED')) this.isAccepted = true;
    if (!this.#is(line, 'RESULTS') || frame?.kind !== 'notification') return;
    this.lines.push(line);
    this.bytes += line.bytes;
    const parsed = ResultsParams.safeParse(frame.params);
    if (parsed.success) this.results.push(...everyResult(parsed.data.results));
  }

  #is({ frame }: WireLine, method: WireMethod): boolean {
    if (frame?.kind !== 'notification' || frame.method !== method) return false;
    const ref = RunRef.safeParse(frame.params);
    return ref.success && ref.data.run_id === this.id;
  }
}

const terminals: ReadonlySet<string> = new Set<RunResultType>(['run.completed', 'run.failed']);

function isAnswerTo(frame: WireLine['frame'], id: number): boolean {
  return (frame?.kind === 'answer' || frame?.kind === 'refusal') && frame.id === id;
}
