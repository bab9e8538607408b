import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { runContext } from './run-context.ts';

interface Line {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly run_id: string; readonly results: [number, string, Record<string, unknown>][] };
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

const built = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const source = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const args = existsSync(built) ? [built] : ['--conditions', 'rostra-source', '--import', 'tsx', source];

/** The demo as the host runs it: a process that speaks lines on its stdio. */
export function startDemo() {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: Line[] = [];
  const waiting = new Set<() => void>();
  let lastId = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line));
    for (const check of waiting) check();
  });

  function seen(found: (line: Line) => boolean): Promise<Line> {
    return new Promise((resolve) => {
      const check = () => {
        const line = lines.find(found);
        if (line === undefined) return;
        waiting.delete(check);
        resolve(line);
      };
      waiting.add(check);
      check();
    });
  }
  function request(method: string, params?: unknown): Promise<Line> {
    lastId += 1;
    const id = lastId;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return seen((line) => line.id === id);
  }
  const resultsOf = (runId: string) =>
    lines.flatMap(({ method, params }) => (method === 'RESULTS' && params?.run_id === runId ? params.results : []));

  return {
    lines,
    exit: once(child, 'close'),
    request,
    seen,
    resultsOf,
    run: (run_id: string, text: string) =>
      request('RUN_AGENT', {
        runner_id: 'rostra/demo/default',
        runner_name: 'default',
        context: { ...runContext(text), run_id },
      }),
    credit: (run_id: string, results: number, bytes: number) =>
      child.stdin.write(
        `${JSON.stringify({ jsonrpc: '2.0', method: 'RUN_CREDIT', params: { run_id, results, bytes } })}\n`,
      ),
    said: (runId: string) =>
      resultsOf(runId)
        .map(([, , { chunk }]) => (chunk as { content?: string } | undefined)?.content ?? '')
        .join(''),
    hangUp: () => child.stdin.end(),
    kill: () => child.kill('SIGKILL'),
  };
}
