import { fileURLToPath } from 'node:url';
import { spawnChild } from '@rostra/transport/child-process';
import { Peer } from '@rostra/transport/peer';
import { expect, test } from 'vitest';
import { runContext } from './run-context.ts';

const fixture = fileURLToPath(new URL('./fixtures/noisy.ts', import.meta.url));

test('what a runner prints goes to stderr and never between the frames; it ends with its host', async () => {
  const stderr: string[] = [];
  const stray: string[] = [];
  const results: unknown[] = [];
  const args = ['--conditions', 'rostra-source', '--import', 'tsx', fixture];
  const command = { file: process.execPath, args, env: { PATH: process.env.PATH ?? '' } };
  const child = spawnChild(command, { onStderr: (line) => void stderr.push(line) });
  const peer = new Peer(child, { onStray: (line) => void stray.push(line) });
  peer.onNotification('RESULTS', (params) => void results.push(params));
  const request = { runner_id: 'test/noisy/default', runner_name: 'default', context: runContext('r1') };
  expect(await peer.request('RUN_AGENT', request)).toEqual({ run_id: 'r1' });
  peer.close();
  expect(await child.exited).toMatchObject({ code: 0 });
  expect(results).toHaveLength(1);
  expect(stray).toEqual([]);
  expect(stderr).toEqual(['from console.log', "{ from: 'console.info' }", 'from stdout.write', 'from console.error']);
});
