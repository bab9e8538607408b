import { TaskResponse } from '@rostra/protocol/run-api/task';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RUNS, TestHost, threadId } from './test-host.ts';

let host: TestHost;
beforeEach(async () => {
  host = await TestHost.start();
});
afterEach(() => host.stop());

describe('GET /api/v1/agent/runs/{taskId}', () => {
  it('tells the status of the task', async () => {
    host.session.addTurn(threadId, 't1');
    const answer = await host.ask('GET', `${RUNS}/t1`);
    expect(answer.status).toBe(200);
    expect(TaskResponse.strict().parse(JSON.parse(answer.text))).toMatchObject({
      taskId: 't1',
      status: 'running',
      error: null,
    });
  });

  it('tells why a task failed', async () => {
    const turn = host.session.addTurn(threadId, 't1');
    host.session.turns.set('t1', {
      ...turn,
      status: 'failed',
      code: 'demo.failed',
      message: 'no',
      ended_at: 1_700_000_000_500,
    });
    const answer = await host.ask('GET', `${RUNS}/t1`);
    expect(answer.json()).toMatchObject({
      status: 'failed',
      ended: '2023-11-14T22:13:20.500Z',
      error: { code: 'demo.failed', message: 'no', retryable: false },
    });
  });

  it.each(['t2', 'x'.repeat(5_000), '%00', '..%2f..'])('answers 404 for an unknown task: %.20s', async (id) => {
    const answer = await host.ask('GET', `${RUNS}/${id}`);
    expect(answer.status).toBe(404);
    expect(answer.json()).toMatchObject({ code: 'not_found', retryable: false });
  });
});

describe('POST …/cancel', () => {
  it('answers 202 for a running task and 200 for one that has ended, again and again', async () => {
    const turn = host.session.addTurn(threadId, 't1');
    for (const status of [202, 202]) expect((await host.ask('POST', `${RUNS}/t1/cancel`)).status).toBe(status);
    host.session.end(turn);
    for (const status of [200, 200]) {
      const answer = await host.ask('POST', `${RUNS}/t1/cancel`);
      expect(answer.status).toBe(status);
      expect(answer.json().status).toBe('completed');
    }
  });

  it('waits with wait=1 until the task has ended', async () => {
    const turn = host.session.addTurn(threadId, 't1');
    const other = host.session.addTurn(threadId, 't2');
    const { cancelTurn } = host.session;
    const asked = new Promise<void>((resolve) => {
      host.session.cancelTurn = async (row) => {
        resolve();
        return cancelTurn.call(host.session, row);
      };
    });
    let answered = false;
    const answer = host.ask('POST', `${RUNS}/t1/cancel?wait=1`).finally(() => {
      answered = true;
    });
    await asked;
    host.session.announce([host.session.end(other)]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(answered).toBe(false);
    host.session.announce([host.session.end(turn)]);
    expect((await answer).status).toBe(200);
    expect(host.bus.followed).toBe(0);
  });

  it('waits no longer than a minute', async () => {
    host.session.addTurn(threadId, 't1');
    const answer = host.ask('POST', `${RUNS}/t1/cancel?wait=1`);
    while (host.bus.followed === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    host.clock.advance(60_000);
    expect((await answer).status).toBe(202);
  });

  it('answers 404 for an unknown task', async () => {
    expect((await host.ask('POST', `${RUNS}/t9/cancel`)).status).toBe(404);
  });
});

describe('other paths', () => {
  it('are 404 with a hint', async () => {
    const answer = await host.ask('GET', '/api/v1/agent/walks');
    expect(answer.status).toBe(404);
    expect(answer.json().details.hint).toContain(RUNS);
    expect((await host.ask('GET', '/favicon.ico', { key: null })).status).toBe(404);
  });

  it.each([
    ['DELETE', RUNS, 'POST, GET'],
    ['DELETE', `${RUNS}/t1`, 'GET'],
    ['GET', `${RUNS}/t1/cancel`, 'POST'],
    ['POST', `${RUNS}/t1/events`, 'GET'],
    ['POST', '/', 'GET'],
    ['PUT', '/healthz', 'GET'],
  ])('%s %s is 405 and Allow says %s', async (method, path, allow) => {
    const answer = await host.ask(method, path);
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe(allow);
    expect(answer.json().code).toBe('invalid_argument');
  });
});

describe('probes', () => {
  it('/healthz and /readyz need no key, and say what is missing', async () => {
    expect((await host.ask('GET', '/healthz', { key: null })).status).toBe(200);
    expect((await host.ask('GET', '/readyz', { key: null })).status).toBe(200);
    host.status = { ...host.status, missing: ['the runner'] };
    const answer = await host.ask('GET', '/readyz', { key: null });
    expect(answer.status).toBe(503);
    expect(answer.json()).toMatchObject({ missing: ['the runner'] });
    expect((await host.ask('GET', '/healthz', { key: null })).status).toBe(200);
  });
});
