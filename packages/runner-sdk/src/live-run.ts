import type { AgentRunContext } from '@rostra/protocol/runner/run-context';
import type { RunResult } from '@rostra/protocol/runner/run-result';
import { limits } from '@rostra/protocol/wire/limits';
import type { WireMethod } from '@rostra/protocol/wire/method';
import type { RunFailure } from '@rostra/protocol/wire/reason';
import type { Peer } from '@rostra/transport/peer';
import type { Timers } from '@rostra/transport/timers';
import { ApiCaller } from './api-caller.ts';
import type { CallStreams } from './api-stream.ts';
import { CreditWindow } from './credit-window.ts';
import type { Gathering, Speaker } from './gathering.ts';
import type { NextTurn } from './next-turn.ts';
import { asked } from './question.ts';
import { completed, failed, isTerminal } from './result.ts';
import { ResultsLine, ResultTooLarge } from './results-line.ts';
import { RunAbort } from './run-abort.ts';
import { type RunApi, runApi } from './run-api.ts';
import { RunProcesses } from './run-processes.ts';
import type { Runner, RunTools } from './runner.ts';
import { Sleeps } from './sleeps.ts';
import { isIterable, refuseToIterate, sayingError } from './yielded.ts';

/** Where a run speaks to its host, and to whoever reads the log of this process. */
export interface RunSurroundings {
  readonly peer: Peer;
  readonly timers: Timers;
  readonly turn: NextTurn;
  readonly streams: CallStreams;
  readonly gathering: Gathering;
  readonly warn: (line: string) => void;
  readonly now: () => number;
}

/**
 * One run from RUN_ACCEPTED to the moment its generator has stopped.
 *
 * R1. RUN_ACCEPTED leaves before the first result, and exactly one terminal result is the last.
 * R2. The generator is pulled only while credit is left and the connection takes lines.
 * R3. Everything yielded in one turn of the event loop leaves as one RESULTS line; pieces of text that follow each other
 *     faster than anybody reads wait for each other, and nothing that is no text overtakes or waits with them.
 * R4. No process that the run started outlives it.
 */
export class LiveRun implements Speaker {
  readonly id: string;
  readonly #runner: Runner;
  readonly #context: AgentRunContext;
  readonly #world: RunSurroundings;
  readonly #abort = new RunAbort();
  readonly #credit = new CreditWindow();
  readonly #line: ResultsLine;
  /** Few runs start any. */
  #processes: RunProcesses | undefined;
  readonly #sleeps: Sleeps;
  #isQueued = false;
  /** What it says is told with the next of the gathering. */
  #isWaiting = false;
  /** The last that was said is a piece of text, which others may follow. */
  #isMidText = false;
  /** When something of it left last. */
  #sentAt = Number.NEGATIVE_INFINITY;
  #isTerminated = false;
  #resume: (() => void) | undefined;
  #stopped: Promise<void> | undefined;

  /** `isKin`: the host reads what runners of its own version write. */
  constructor(runner: Runner, context: AgentRunContext, world: RunSurroundings, isKin = false) {
    this.id = context.run_id;
    this.#runner = runner;
    this.#context = context;
    this.#world = world;
    this.#line = new ResultsLine(context.run_id, isKin);
    this.#sleeps = new Sleeps(this.#abort, world.timers, world.turn);
  }

  get isTerminated(): boolean {
    return this.#isTerminated;
  }

  /** Resolves when the generator has stopped and its last result is queued; never rejects. */
  start(): Promise<void> {
    this.#notify('RUN_ACCEPTED');
    this.#stopped = this.#runToEnd();
    return this.#stopped;
  }

  alive(): void {
    // A host that does not read would not see it anyway, and the lines would pile up.
    if (!this.#world.peer.congested) this.#notify('RUN_ALIVE');
  }

  giveBack(results: number, bytes: number): void {
    this.#credit.giveBack(results, bytes);
    if (this.#credit.isOpen) this.#wake();
  }

  /** Asks the generator to stop; resolves when it has. One that does not listen leaves the promise open. */
  async cancel(): Promise<void> {
    this.#abort.abort();
    this.#sleeps.interrupt();
    this.#processes?.interrupt();
    this.#wake();
    await this.#stopped;
  }

  /** Nothing is waited for any more: this process ends. */
  kill(): void {
    this.#processes?.kill();
  }

  async #runToEnd(): Promise<void> {
    try {
      await this.#pull();
      this.#conclude(completed());
    } catch (error) {
      this.#conclude(this.#failure(error));
    }
    if (this.#processes !== undefined) await this.#processes.end();
  }

  async #pull(): Promise<void> {
    const abort = this.#abort;
    if (abort.isAborted) return;
    const results = this.#runner.run(this.#context, this.#tools());
    if (!isIterable(results)) await refuseToIterate(results);
    for await (const result of results) {
      if (this.#isTerminated) {
        this.#world.warn(`run ${this.id}: ${result.type} after the terminal result was dropped`);
        break;
      }
      if (abort.isAborted && !isTerminal(result)) break;
      this.#say(result);
      while (!this.#mayPull()) await this.#turn();
      if (abort.isAborted && !this.#isTerminated) break;
    }
  }

  #mayPull(): boolean {
    if (this.#isTerminated || this.#abort.isAborted) return true;
    return this.#credit.isOpen && !this.#world.peer.congested;
  }

  /** Until credit, room or a cancel comes. */
  #turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve;
      if (this.#credit.isOpen) void this.#world.peer.room().then(resolve);
    });
  }

  #wake(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  /** What cannot be said is looked at only then: nearly everything can. */
  #say(result: RunResult): void {
    try {
      this.#emit(result);
    } catch (error) {
      throw sayingError(result, error);
    }
  }

  #emit(result: RunResult): void {
    this.#credit.charge(1, this.#line.add(result));
    this.#isTerminated = isTerminal(result);
    const isText = result.type === 'message.delta';
    const follows = isText && this.#isMidText;
    this.#isMidText = isText;
    if (this.#isQueued) return;
    // Whoever waits for credit gets none for what has not left.
    const mayWait = follows && this.#credit.isOpen;
    if (mayWait) this.#sendSoon();
    else this.send();
  }

  #sendSoon(): void {
    const { gathering, now } = this.#world;
    if (this.#isWaiting && !gathering.isLonely) return;
    if (now() - this.#sentAt >= limits.gather) this.send();
    else if (!this.#isWaiting) {
      this.#isWaiting = true;
      gathering.add(this);
    }
  }

  send(): void {
    if (this.#isWaiting) this.#world.gathering.remove(this);
    this.#isWaiting = false;
    if (this.#isQueued || this.#line.isEmpty) return;
    this.#isQueued = true;
    this.#world.peer.notifyRaw(() => {
      this.#isQueued = false;
      this.#sentAt = this.#world.now();
      return this.#line.take();
    });
  }

  #conclude(last: RunResult): void {
    if (this.#isTerminated) return;
    this.#emit(this.#abort.isAborted ? ended('cancelled', 'The run was cancelled.') : last);
  }

  #failure(error: unknown): RunResult {
    if (error instanceof ResultTooLarge) return ended('payload_too_large', error.message);
    const { said, logged } = wordsOf(error);
    if (!this.#abort.isAborted) this.#world.warn(`run ${this.id}: ${logged}`);
    return ended('runner.error', said.slice(0, limits.log_line_chars));
  }

  #tools(): RunTools {
    const abort = this.#abort;
    const { peer } = this.#world;
    let api: RunApi | undefined;
    // Most runs of most runners call nothing.
    const theApi = () => {
      api ??= this.#api();
      return api;
    };
    return {
      get signal() {
        return abort.signal;
      },
      get api() {
        return theApi();
      },
      ask: (question, options) => asked(theApi(), question, options),
      spawn: (command, args, options) => {
        abort.throwIfAborted();
        return this.#ownProcesses().spawn(command, args, options);
      },
      flushed: () => {
        this.send();
        return peer.flushed();
      },
      sleep: (ms) => this.#sleeps.sleep(ms),
    };
  }

  #ownProcesses(): RunProcesses {
    const { peer, timers } = this.#world;
    const notify = (method: WireMethod, params: unknown) => peer.notify(method, params);
    this.#processes ??= new RunProcesses(this.id, { timers, notify });
    return this.#processes;
  }

  #api(): RunApi {
    const { peer, streams, now } = this.#world;
    const world = {
      request: (...call: Parameters<Peer['request']>) => {
        // What was said before is told before.
        this.send();
        return peer.request(...call);
      },
      notify: peer.notify.bind(peer),
      streams,
      now,
    };
    return runApi(new ApiCaller(this.#context, this.#abort.signal, world));
  }

  #notify(method: WireMethod): void {
    this.#world.peer.notify(method, { run_id: this.id });
  }
}

/** What a person is told of what was thrown, and what its log is told: anything can be thrown, and no run ends others. */
function wordsOf(error: unknown): { said: string; logged: string } {
  try {
    if (!(error instanceof Error)) return { said: String(error), logged: String(error) };
    // Some have no words of their own, such as that of a connection that no address took; then they have a name.
    const said = error.message === '' ? String(error) : error.message;
    return { said, logged: error.stack ?? said };
  } catch {
    const said = 'What was thrown cannot be read.';
    return { said, logged: said };
  }
}

function ended(code: RunFailure, sentence: string): RunResult {
  return failed(code, sentence);
}
