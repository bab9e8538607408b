import { expect, test } from 'vitest';
import { eventAnswer } from '../src/event.ts';
import { runContext } from './run-context.ts';

function context(event_type: string, data: Record<string, string> = {}) {
  const made = runContext(null);
  return { ...made, event: { ...made.event, event_type, source: 'ci', data } };
}

test('whoever takes over says so, why, and what was said last', () => {
  const data = { from_agent_id: 'guide', reason: 'needs  detail', output: `${'word '.repeat(60)}` };
  const words = eventAnswer(context('session.handover', data), 'en', 'scout');
  expect(words).toMatch(
    /^I am scout, and I go on from here\. guide handed .+, because: needs detail\. .+“word word .+…”$/,
  );
  expect(eventAnswer(context('session.handover', { from_agent_id: 'guide' }), 'zh', 'scout')).toBe(
    '我是 scout，从这里由我继续。guide 把对话交给了我。',
  );
});

test('another event is told to be here, and never taken for words of a person', () => {
  expect(eventAnswer(context('build.finished'), 'en', 'guide')).toBe(
    'The event build.finished came from ci. Nobody said a word, so I only say that it is here.',
  );
  expect(eventAnswer(runContext('hello'), 'en', 'guide')).toBeNull();
});
