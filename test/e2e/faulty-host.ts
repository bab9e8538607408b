import { fileURLToPath } from 'node:url';
import { HostProcess } from './host-process.ts';

const runner = fileURLToPath(new URL('./fixtures/faulty-runner.mjs', import.meta.url));

/** Deadlines that a test can wait for. */
const quick = { ack: 500, cancel: 500, idle: 1000, turn: 3000 };

interface FaultyOptions {
  env?: Record<string, string>;
  timeouts?: Record<string, number>;
  session?: Record<string, unknown>;
}

/** A host whose first agent is executed by the faulty runner, with quick deadlines unless told. */
export function faultyHost({ env = {}, timeouts = quick, session = {} }: FaultyOptions = {}): HostProcess {
  return new HostProcess(
    { NODE_ENV: 'test', ...env },
    {
      runners: [{ name: 'faulty', command: [process.execPath, runner] }],
      agents: { faulty: { runner: 'test/faulty/default' } },
      session: { active: 'faulty', timeouts, ...session },
    },
  );
}

/** One number of the page for Prometheus; 0 when it has none of that name. */
export async function metric(host: HostProcess, name: string): Promise<number> {
  const { body } = await host.request('GET', '/metrics');
  const line = String(body.text)
    .split('\n')
    .find((each) => each.startsWith(`${name} `) || each.startsWith(`${name}{`));
  return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ') + 1));
}
