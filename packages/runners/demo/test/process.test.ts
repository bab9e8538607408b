import { afterEach, expect, test } from 'vitest';
import { startDemo } from './demo-process.ts';

const started: { kill(): void }[] = [];

function demo() {
  const process = startDemo();
  started.push(process);
  return process;
}

afterEach(() => {
  for (const process of started.splice(0)) process.kill();
});

test('the demo lists one runner', async () => {
  const { request } = demo();
  const { result } = await request('LIST_AGENT_RUNNERS', { protocol_version: '1.1', host: 'rostra' });
  expect(result).toMatchObject({ protocol_version: '1.2', runners: [{ id: 'rostra/demo/default', name: 'default' }] });
});

test('the demo does what its capabilities say: it streams, and it ends when it is interrupted (RP-3.8, RP-3.14)', async () => {
  const { request, run, seen, resultsOf } = demo();
  const { result } = await request('LIST_AGENT_RUNNERS', { protocol_version: '1.1', host: 'rostra' });
  expect(result).toMatchObject({ runners: [{ capabilities: { streaming: true, interrupt: true } }] });
  const running = run('r1', '/slow 1000 40');
  await seen(() => resultsOf('r1').length >= 2);
  expect(resultsOf('r1').map(([, type]) => type)).toEqual(resultsOf('r1').map(() => 'message.delta'));
  await request('CANCEL_RUN', { run_id: 'r1' });
  await running;
  const said = resultsOf('r1').length;
  expect(said).toBeLessThan(1000);
  expect(resultsOf('r1').at(-1)).toMatchObject([said, 'run.failed', { code: 'cancelled' }]);
});

test('/stream 50 leaves as one line with its end, after it was accepted and before it is answered', async () => {
  const { run, lines, said } = demo();
  await run('r1', '/stream 50');
  expect(lines.map(({ method }) => method ?? 'answer')).toEqual(['RUN_ACCEPTED', 'RESULTS', 'answer']);
  expect(lines[1]?.params?.results).toHaveLength(51);
  expect(said('r1').split(' ')).toHaveLength(51);
});

test('/stream 10000 waits for credit and arrives whole', async () => {
  const { run, resultsOf, credit, seen, said } = demo();
  const running = run('r1', '/stream 10000');
  let given = 0;
  while (given < 10_000) {
    const wanted = Math.min(given + 256, 10_000);
    await seen(() => resultsOf('r1').length >= wanted);
    credit('r1', resultsOf('r1').length - given, 1024 * 1024);
    given = resultsOf('r1').length;
  }
  await running;
  expect(said('r1')).toBe(Array.from({ length: 10_000 }, (_, k) => `chunk-${k + 1} `).join(''));
  expect(resultsOf('r1').at(-1)).toMatchObject([10_001, 'run.completed', {}]);
});

test('/slow is cancelled half way', async () => {
  const { run, request, seen, resultsOf } = demo();
  const running = run('r1', '/slow 1000 20');
  await seen(() => resultsOf('r1').length >= 2);
  expect(await request('CANCEL_RUN', { run_id: 'r1' })).toMatchObject({ result: { run_id: 'r1' } });
  await running;
  expect(resultsOf('r1').at(-1)).toMatchObject([expect.any(Number), 'run.failed', { code: 'cancelled' }]);
});

test('/crash has written its three chunks when it dies', async () => {
  const { run, exit, said, resultsOf } = demo();
  void run('r1', '/crash');
  expect(await exit).toEqual([1, null]);
  expect(said('r1')).toBe('chunk-1 chunk-2 chunk-3 ');
  expect(resultsOf('r1')).toHaveLength(3);
});

test('/hang ends when it is cancelled; /hang hard does not, while its neighbours are served', async () => {
  const { run, request, lines, seen } = demo();
  const soft = run('soft', '/hang');
  void run('hard', '/hang hard');
  await seen(({ method, params }) => method === 'RUN_ACCEPTED' && params?.run_id === 'hard');
  void request('CANCEL_RUN', { run_id: 'hard' });
  const unanswered = 3;
  await Promise.all([request('CANCEL_RUN', { run_id: 'soft' }), soft]);
  await run('r3', '/stream 2');
  await request('PING');
  expect(lines.some(({ id }) => id === unanswered)).toBe(false);
});

test('the demo ends with its host, even in the middle of a run', async () => {
  const { run, seen, resultsOf, hangUp, exit } = demo();
  void run('r1', '/slow 1000 20');
  await seen(() => resultsOf('r1').length >= 1);
  hangUp();
  expect(await exit).toEqual([0, null]);
});
