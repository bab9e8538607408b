import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testHost } from '@rostra/runner-sdk/testing';
import { runner } from '../src/runner.ts';

test('it says what it was told', async () => {
  const host = testHost(runner);
  const run = host.run('hello there');
  const [, type] = await run.ended;
  assert.equal(type, 'run.completed');
  assert.equal(run.text, 'hello there ');
  await host.close();
});
