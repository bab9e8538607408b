import { fileURLToPath } from 'node:url';
import type { Timers } from '@rostra/transport/timers';
import pc from 'picocolors';
import { expect, test } from 'vitest';
import { allChecks, checkRunner } from '../../src/conformance/check-runner.ts';
import { summaryText, verdictText } from '../../src/conformance/verdict-text.ts';

const fixture = fileURLToPath(new URL('./fixtures/broken.mjs', import.meta.url));
const words = Array.from({ length: 600 }, (_, n) => `word-${n}`).join(' ');

/** Silence is waited for; here it need not be waited for so long. */
function hasty(factor: number): Timers {
  return {
    after(ms, wake) {
      const timer = setTimeout(wake, ms / factor);
      return () => clearTimeout(timer);
    },
  };
}

function options(fault: string, factor = 1) {
  return {
    command: { file: process.execPath, args: [fixture, fault], env: { PATH: process.env.PATH ?? '' } },
    timers: hasty(factor),
    patience: 10_000,
    input: 'hello',
    flood: words,
  };
}

/** The promises that a fault breaks, when only those checks are done whose promise holds one of the words. */
async function broken(fault: string, about: RegExp, factor?: number) {
  const checks = allChecks.filter(({ promise }, index) => index === 0 || about.test(promise));
  const verdicts = await checkRunner(options(fault, factor), () => undefined, checks);
  return verdicts.filter(({ outcome }) => outcome === 'broken');
}

test('a runner that keeps every promise passes', async () => {
  const verdicts = await checkRunner(options('none'), () => undefined);
  expect(verdicts.filter(({ outcome }) => outcome !== 'holds')).toEqual([]);
  expect(summaryText(verdicts)).toBe('23 hold.');
});

test.each([
  ['late-accept', /accepted, ends/, 'RUN_ACCEPTED comes before', /before its RUN_ACCEPTED/, 'RESULTS'],
  ['repeat', /kept apart/, 'numbers of results rise', /1 follows 1/, 'RESULTS'],
  ['after-end', /accepted, ends/, 'nothing follows', /message\.delta after run\.completed/, 'and another thing'],
  ['no-terminal', /accepted, ends/, 'after all results', /without run\.completed or run\.failed/, '"result"'],
  ['stray', /accepted, ends/, 'frames and nothing else', /no frame/, 'loading the model'],
  ['unknown-type', /accepted, ends/, 'the protocol knows', /message\.sung/, 'message.sung'],
  ['no-parts', /parts of a context/, 'puts the parts', /unknown part was not refused/, '"result"'],
  ['bad-manifest', /manifest/, 'every manifest is valid', /runners\.0\.label/, '"label":7'],
  ['flood', /RUN_CREDIT/, 'without RUN_CREDIT', /results without credit/, '[257,'],
  ['latin1', /scripts/, 'in many scripts', /U\+FFFD/, '\ufffd'],
])('%s is found, with the line that shows it', async (fault, about, promise, problem, shown) => {
  const found = await broken(fault, about);
  const verdict = found.find((each) => each.promise.includes(promise));
  expect(verdict?.violations[0]?.problem).toMatch(problem);
  expect(verdict?.violations[0]?.line?.text).toContain(shown);
  if (verdict === undefined) throw new Error('not found');
  expect(verdictText(verdict, pc.createColors(false))).toMatch(/^✗ .*\n.*\n {4}line \d+ ← /);
});

test.each([
  ['deaf', /CANCEL_RUN is/, /the answer to CANCEL_RUN: nothing within/],
  ['silent', /unknown method/, /the refusal of an unknown method: nothing within/],
  ['stays', /end of its input/, /still there/],
  ['mixes', /accepted, ends/, /neither run\.completed nor run\.failed/],
])('%s is found by what does not come', async (fault, about, problem) => {
  const found = await broken(fault, about, 5);
  expect(found.map(({ violations }) => violations[0]?.problem)).toContainEqual(expect.stringMatching(problem));
});

test('results of a run that nobody started are found', async () => {
  const found = await broken('mixes', /accepted, ends/, 5);
  expect(found.map(({ promise }) => promise)).toContain('results belong to runs that the host started');
});

test('of a runner that does not even start only that is said, with its last words', async () => {
  const verdicts = await checkRunner(options('dies'), () => undefined);
  expect(verdicts).toHaveLength(1);
  expect(verdicts[0]?.violations[0]?.problem).toMatch(/the runner ended first \(exit code 1; .*TypeError: no model/);
});

test('what a runner gives no occasion to see is not counted against it', async () => {
  const checks = allChecks.filter(({ promise }, index) => index === 0 || /RUN_CREDIT/.test(promise));
  const verdicts = await checkRunner({ ...options('none'), flood: 'short' }, () => undefined, checks);
  const [verdict] = verdicts.filter(({ outcome }) => outcome === 'not shown');
  expect(verdict?.reason).toContain('--flood');
  expect(summaryText(verdicts)).toBe('9 hold, 1 not shown.');
});
