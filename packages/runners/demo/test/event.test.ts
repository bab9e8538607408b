import { testHost, testKeep } from '@rostra/runner-sdk/testing';
import { expect, test } from 'vitest';
import { demoRunner } from '../src/runner.ts';
import { asked } from './asked.ts';
import { runContext } from './run-context.ts';

function context(
  event_type: string,
  data: Record<string, string> = {},
  agent = 'scout',
  summary: string | null = null,
) {
  const made = runContext(summary, { config: { name: agent } });
  return { ...made, event: { ...made.event, event_type, source: 'ci', data } };
}

test('whoever takes over says so, why, and what was said last', async () => {
  const data = { from_agent_id: 'guide', reason: 'needs  detail', output: `${'word '.repeat(60)}` };
  const { said } = await asked(context('session.handover', data));
  expect(said).toMatch(
    /^I am scout, and I go on from here\. guide handed .+, because: needs detail\. .+“word word .+…”$/,
  );
  const chinese = await asked(context('session.handover', { from_agent_id: 'guide' }, 'scout', '时钟'));
  expect(chinese.said).toBe('我是 scout，从这里由我继续。guide 把对话交给了我。');
});

test('whoever takes over quotes what the person said, not what agents did', async () => {
  const demo = demoRunner({ now: () => new Date(0), roll: (sides) => sides, exit: () => undefined });
  const host = testHost(demo, { keep: testKeep({ history: ['hello', 'well', 'show me the depths', 'gladly'] }) });
  const { event } = context('session.handover', { from_agent_id: 'guide', output: 'gladly' });
  const run = host.run({ context: { event, config: { name: 'scout' } } });
  await run.ended;
  await host.close();
  expect(run.text).toMatch(/ You said: “show me the depths” The last words of guide were: “gladly”$/);
});

test('another event is told to be here, and never taken for words of a person', async () => {
  const { said } = await asked(context('build.finished', {}, 'guide'));
  expect(said).toBe('The event build.finished came from ci. Nobody said a word, so I only say that it is here.');
});

test('a number in an event is no choice', async () => {
  const { said } = await asked(context('build.finished', {}, 'guide', '3'));
  expect(said).toMatch(/^The event build\.finished/);
});
