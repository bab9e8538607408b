import { inParts, PARTS_SINCE } from '@rostra/protocol/runner/context-part';
import { everyResult } from '@rostra/protocol/runner/run-result';
import { ResultsParams } from '@rostra/protocol/runner/wire-params';
import { limits, timeouts } from '@rostra/protocol/wire/limits';
import type { WireMethod } from '@rostra/protocol/wire/method';
import type { Bench } from './bench.ts';
import type { Check } from './check.ts';
import { probeContext } from './probe-context.ts';
import type { ProbeRun } from './probe-run.ts';
import type { RunnerProbe } from './runner-probe.ts';
import { BrokenPromise, NotShown } from './wire-line.ts';

/** Characters of several scripts and widths: what is torn or guessed at shows. */
const SCRIPTS = '数据库的连接串 – Ωμέγα – здравствуйте – 🚀👩‍👩‍👧 – “quoted” \\ \u2028 ';
const BIG_CONTEXT_BYTES = 200 * 1024;
/** Near the largest frame, with room for its envelope. */
const LARGE_FRAME_BYTES = limits.frame_bytes - 64 * 1024;
/** A runner that has nothing more to say says nothing for this long. */
const QUIET_MS = 400;
const PROCESS_MS = 1000;

const plain: Check = {
  promise: 'a run is accepted, ends, and is answered',
  clause: 'RP-4.1',
  async try(bench) {
    const run = bench.run(await bench.ready());
    await run.accepted(timeouts.ack);
    await run.ended(bench.options.patience);
  },
};

const parts: Check = {
  promise: `a runner of protocol 1.${PARTS_SINCE} or newer puts the parts of a context together, and refuses a run whose part it was not told`,
  clause: 'RP-4.41',
  async try(bench) {
    const probe = await bench.ready();
    // An older one is told everything every time.
    if (bench.minor < PARTS_SINCE) return;
    const method: WireMethod = 'CONTEXT_PART';
    const { part } = inParts(probeContext('check-part', ''));
    probe.notify(method, { part: 0, context: part });
    const run = bench.runByPart(probe, 0);
    await run.accepted(timeouts.ack);
    await run.ended(bench.options.patience);
    const { frame, line } = await bench.runByPart(probe, 1).answered(bench.options.patience);
    if (frame.kind !== 'refusal') throw new BrokenPromise('a run with an unknown part was not refused', line);
  },
};

/** Lets a run use its credit up without giving any back. */
async function held(bench: Bench, probe: RunnerProbe): Promise<ProbeRun> {
  const run = bench.run(probe, bench.options.flood);
  await run.accepted(timeouts.ack);
  const isUsedUp = () => run.results.length >= limits.credit_results || run.bytes >= limits.credit_bytes;
  await probe.holds(() => isUsedUp() || run.isAnswered, bench.options.patience);
  return run;
}

const credit: Check = {
  promise: `without RUN_CREDIT a run sends no more than ${limits.credit_results} results or ${limits.credit_bytes / 1024} KiB, and goes on when it comes`,
  clause: 'RP-4.1',
  async try(bench) {
    const probe = await bench.ready();
    const run = await held(bench, probe);
    if (run.results.length < limits.credit_results && run.bytes < limits.credit_bytes) {
      throw new NotShown(
        'the run said less than its credit allows; --flood TEXT names an input that makes it say more',
      );
    }
    await probe.holds(() => run.results.length > limits.credit_results, QUIET_MS);
    const over = run.lines.find((_, index) => {
      const upTo = run.lines.slice(0, index + 1).reduce((sum, { frame }) => sum + countOf(frame), 0);
      return upTo > limits.credit_results;
    });
    if (over !== undefined) throw new BrokenPromise(`${run.results.length} results without credit`, over);
    await run.ended(bench.options.patience);
  },
};

function countOf(frame: unknown): number {
  if (typeof frame !== 'object' || frame === null || !('params' in frame)) return 0;
  const { params } = frame;
  const parsed = ResultsParams.safeParse(params);
  return parsed.success ? everyResult(parsed.data.results).length : 0;
}

const cancel: Check = {
  promise: `CANCEL_RUN is answered within ${timeouts.cancel / 1000} s, after the last result; the run ends`,
  clause: 'RP-9.5',
  async try(bench) {
    const probe = await bench.ready();
    const run = await held(bench, probe);
    const wasLive = !run.isAnswered;
    const method: WireMethod = 'CANCEL_RUN';
    const id = probe.request(method, { run_id: run.id });
    const { line } = await probe.answer(id, 'the answer to CANCEL_RUN', timeouts.cancel);
    await run.ended(bench.options.patience);
    const late = run.lines.find(({ number }) => number > line.number);
    if (late !== undefined) throw new BrokenPromise('results after the cancel was answered', late);
    if (!wasLive)
      throw new NotShown('the run was over before the cancel; --flood TEXT names an input that takes longer');
    const [, type, data] = run.terminal ?? [0, '', {}];
    if (type === 'run.failed' && data.code !== 'cancelled') {
      throw new BrokenPromise(`the run failed as ${JSON.stringify(data.code)}, not as "cancelled"`, run.lines.at(-1));
    }
  },
};

const earlyCancel: Check = {
  promise: 'a cancel that overtakes its run is answered, and the run ends as cancelled before it says anything',
  clause: 'RP-9.4',
  async try(bench) {
    const probe = await bench.ready();
    const method: WireMethod = 'CANCEL_RUN';
    const id = probe.request(method, { run_id: bench.nextRunId() });
    const run = bench.run(probe);
    await probe.answer(id, 'the answer to CANCEL_RUN', timeouts.cancel);
    await run.ended(bench.options.patience);
    const [, type, data] = run.terminal ?? [0, '', {}];
    if (type !== 'run.failed' || data.code !== 'cancelled' || run.results.length > 1) {
      throw new BrokenPromise('the cancelled run was run', run.lines[0]);
    }
  },
};

const apart: Check = {
  promise: 'two runs at once are kept apart: each ends, and an end of one is no end of the other',
  clause: 'RP-6.13',
  async try(bench) {
    const probe = await bench.ready();
    const first = await held(bench, probe);
    const second = bench.run(probe);
    await second.accepted(timeouts.ack);
    await second.ended(bench.options.patience);
    await first.ended(bench.options.patience);
  },
};

const bigContext: Check = {
  promise: `a context of ${BIG_CONTEXT_BYTES / 1024} KiB in many scripts is read, and what comes back is not torn`,
  clause: 'RP-4.3',
  async try(bench) {
    const probe = await bench.ready();
    const data = { text: SCRIPTS.repeat(Math.ceil(BIG_CONTEXT_BYTES / Buffer.byteLength(SCRIPTS))) };
    const run = bench.run(probe, `${bench.options.input} ${SCRIPTS}`, data);
    await run.ended(bench.options.patience);
    const torn = run.lines.find(({ text }) => text.includes('\ufffd'));
    if (torn !== undefined)
      throw new BrokenPromise('it holds U+FFFD: the line is not UTF-8, or was read as something else', torn);
    if (run.terminal?.[1] !== 'run.completed') throw new BrokenPromise('the run did not complete', run.lines.at(-1));
  },
};

const largeFrame: Check = {
  promise: `a frame of nearly ${limits.frame_bytes / 1024 / 1024} MiB is read, and the connection stays usable`,
  clause: 'RP-8.5',
  async try(bench) {
    const probe = await bench.ready();
    const run = bench.run(probe, bench.options.input, { blob: 'x'.repeat(LARGE_FRAME_BYTES) });
    await run.ended(bench.options.patience);
    await bench.run(probe).ended(bench.options.patience);
  },
};

const hangUp: Check = {
  promise: `at the end of its input the process ends within ${limits.runner_stop / 1000} s, even in the middle of a run`,
  clause: 'RP-9.4',
  async try(bench) {
    const probe = await bench.ready();
    await held(bench, probe);
    probe.hangUp();
    // A moment more than a run is given: the process itself must also come down.
    const isGone = await probe.holds(() => probe.hasEnded, limits.runner_stop + PROCESS_MS);
    if (!isGone) throw new BrokenPromise('the process is still there');
  },
};

export const checksOfRuns: readonly Check[] = [
  plain,
  parts,
  credit,
  cancel,
  earlyCancel,
  apart,
  bigContext,
  largeFrame,
  hangUp,
];
