import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestHost } from './test-host.ts';

let host: TestHost;
beforeAll(async () => {
  host = await TestHost.start();
});
afterAll(() => host.http.close());

it('the metrics need the owner’s key', async () => {
  expect((await host.ask('GET', '/metrics', { key: 'no-key-at-all-here' })).status).toBe(401);
});

it('the metrics are Prometheus text', async () => {
  const answer = await host.ask('GET', '/metrics');
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(answer.text).toBe('# HELP up 1\n');
  expect((await host.ask('POST', '/metrics')).status).toBe(405);
});
