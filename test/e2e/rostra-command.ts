import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const cli = fileURLToPath(new URL('../../packages/host/dist/cli.js', import.meta.url));

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

interface Around {
  readonly input?: string;
  readonly env?: Record<string, string>;
  /** Where its output goes, when not to the test. */
  readonly stdout?: number;
}

function environment(data: string, more: Record<string, string>): NodeJS.ProcessEnv {
  return { ...process.env, ROSTRA_DATA: data, ROSTRA_PORT: '0', ROSTRA_DETECT: 'off', ...more };
}

/** A command of the built `rostra` in a process of its own, as it runs. */
export function begin(data: string, args: readonly string[], env: Record<string, string> = {}) {
  return spawn(process.execPath, [cli, ...args], { cwd: data, env: environment(data, env) });
}

/** The same to its end. */
export function rostraIn(data: string, args: readonly string[], around: Around = {}): Promise<Ended> {
  const { input = '', env = {}, stdout = 'pipe' } = around;
  const child = spawn(process.execPath, [cli, ...args], {
    cwd: data,
    env: environment(data, env),
    stdio: ['pipe', stdout, 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  child.stdin?.end(input);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
}
