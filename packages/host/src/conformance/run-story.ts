import { RunResultData, type RunResultType } from '@rostra/protocol/runner/run-result';
import { ResultsParams, RunRef } from '@rostra/protocol/runner/wire-params';
import { limits } from '@rostra/protocol/wire/limits';
import type { Violation, WireLine } from './wire-line.ts';

/** The promises of the result stream, each judged over everything that a runner said in all checks. */
export type StreamPromise = 'frames' | 'sizes' | 'accepted' | 'shape' | 'sequence' | 'terminal' | 'closing' | 'owner';
export type StreamViolations = Map<StreamPromise, Violation[]>;

interface Story {
  readonly request: number | string;
  isAccepted: boolean;
  lastSequence: number;
  terminal: string | undefined;
  isAnswered: boolean;
}

const terminals: ReadonlySet<string> = new Set<RunResultType>(['run.completed', 'run.failed']);

/** Reads one connection line by line and notes what the protocol does not allow. */
export class StreamJudge {
  readonly found: StreamViolations;
  readonly #stories = new Map<string, Story>();

  constructor(found: StreamViolations) {
    this.found = found;
  }

  read(lines: readonly WireLine[]): void {
    for (const line of lines) {
      if (line.from === 'host') this.#asked(line);
      else this.#heard(line);
    }
  }

  #asked({ frame }: WireLine): void {
    if (frame?.kind !== 'request' || frame.method !== 'RUN_AGENT') return;
    const run_id = runIdOf(frame.params);
    if (run_id === undefined) return;
    const story: Story = {
      request: frame.id,
      isAccepted: false,
      lastSequence: -1,
      terminal: undefined,
      isAnswered: false,
    };
    this.#stories.set(run_id, story);
  }

  #heard(line: WireLine): void {
    const { frame, bytes } = line;
    if (bytes > limits.frame_bytes) {
      this.#note('sizes', `a line of more than ${limits.frame_bytes} bytes`, line);
      return;
    }
    if (frame === undefined) {
      this.#note('frames', 'a line on stdout that is no frame; print to stderr instead', line);
      return;
    }
    if (frame.kind === 'answer' || frame.kind === 'refusal') this.#closed(line, frame.id, frame.kind);
    else if (frame.kind === 'notification' && frame.method === 'RUN_ACCEPTED') this.#accepted(line, frame.params);
    else if (frame.kind === 'notification' && frame.method === 'RESULTS') this.#results(line, frame.params);
  }

  #accepted(line: WireLine, params: unknown): void {
    const ref = RunRef.safeParse(params);
    const story = ref.success ? this.#stories.get(ref.data.run_id) : undefined;
    if (story === undefined) this.#note('owner', 'RUN_ACCEPTED of a run that this host did not start', line);
    else story.isAccepted = true;
  }

  #results(line: WireLine, params: unknown): void {
    const parsed = ResultsParams.safeParse(params);
    if (!parsed.success) {
      this.#note('shape', 'RESULTS is {run_id, results: [[sequence, type, data], …]}', line);
      return;
    }
    const { run_id, results } = parsed.data;
    const story = this.#stories.get(run_id);
    if (story === undefined) {
      this.#note('owner', `results of ${JSON.stringify(run_id)}, which this host did not start`, line);
      return;
    }
    if (!story.isAccepted) this.#note('accepted', `results of ${run_id} before its RUN_ACCEPTED`, line);
    if (story.isAnswered) this.#note('closing', `results of ${run_id} after the answer to its RUN_AGENT`, line);
    for (const [sequence, type, data] of results) this.#result(line, story, { run_id, sequence, type, data });
  }

  #result(
    line: WireLine,
    story: Story,
    result: { run_id: string; sequence: number; type: string; data: unknown },
  ): void {
    const { run_id, sequence, type, data } = result;
    if (sequence <= story.lastSequence) {
      this.#note('sequence', `${run_id}: ${sequence} follows ${story.lastSequence}; numbers only rise`, line);
    }
    story.lastSequence = Math.max(sequence, story.lastSequence);
    if (story.terminal !== undefined) this.#note('terminal', `${run_id}: ${type} after ${story.terminal}`, line);
    else if (terminals.has(type)) story.terminal = type;
    if (!isResultType(type)) {
      this.#note('shape', `there is no result type ${JSON.stringify(type)}; a host ignores it`, line);
      return;
    }
    const checked = RunResultData[type].safeParse(data);
    if (!checked.success) {
      const [issue] = checked.error.issues;
      this.#note('shape', `${type}: data.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is wrong'}`, line);
    }
    const bytes = Buffer.byteLength(JSON.stringify(data));
    if (bytes > limits.result_bytes)
      this.#note('sizes', `${type} of ${bytes} bytes; a result has ${limits.result_bytes}`, line);
  }

  #closed(line: WireLine, id: number | string, kind: 'answer' | 'refusal'): void {
    for (const [run_id, story] of this.#stories) {
      if (story.request !== id || story.isAnswered) continue;
      story.isAnswered = true;
      if (kind === 'answer' && story.terminal === undefined) {
        this.#note(
          'closing',
          `RUN_AGENT of ${run_id} was answered without run.completed or run.failed before it`,
          line,
        );
      }
    }
  }

  #note(promise: StreamPromise, problem: string, line: WireLine): void {
    const earlier = this.found.get(promise);
    if (earlier === undefined) this.found.set(promise, [{ problem, line }]);
    else earlier.push({ problem, line });
  }
}

function isResultType(type: string): type is RunResultType {
  return Object.hasOwn(RunResultData, type);
}

function runIdOf(params: unknown): string | undefined {
  const context = typeof params === 'object' && params !== null && 'context' in params ? params.context : undefined;
  const ref = RunRef.safeParse(context);
  return ref.success ? ref.data.run_id : undefined;
}
