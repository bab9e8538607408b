import { closeMessage, completeMessage, openMessage } from '@rostra/kernel/run/message-cursor';
import { newRun } from '@rostra/kernel/run/run';
import { expect, test } from 'vitest';
import { identity } from './identity.ts';

const run = newRun(identity, 1000);

test('chunks of one channel share an id, the other channel begins the next message', () => {
  const thought = openMessage(run, 'reasoning');
  const more = openMessage(thought.run, 'reasoning');
  const text = openMessage(more.run, 'text');
  expect([thought, more, text].map(({ message_id }) => message_id)).toEqual(['t1.1.m1', 't1.1.m1', 't1.1.m2']);
  expect(more.run).toBe(thought.run);
});

test('a whole message closes the text that was streamed before it', () => {
  const { run: streamed } = openMessage(run, 'text');
  const whole = completeMessage(streamed);
  expect(whole.message_id).toBe('t1.1.m1');
  expect(whole.run).toMatchObject({ open: null, said: true, messages: 1 });
});

test('a whole message after reasoning, or after nothing, has an id of its own', () => {
  expect(completeMessage(openMessage(run, 'reasoning').run).message_id).toBe('t1.1.m2');
  expect(completeMessage(run).message_id).toBe('t1.1.m1');
});

test('text after a closed message is a new one', () => {
  const closed = closeMessage(openMessage(run, 'text').run);
  expect(openMessage(closed, 'text').message_id).toBe('t1.1.m2');
  expect(closeMessage(closed)).toBe(closed);
});
