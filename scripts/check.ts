/** `npm run check`: everything that is known without running the product. Steps may be named: `npm run check -- types`. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Two cores: a third step would only slow down the other two. */
const PARALLEL_MAX = 2;

interface Step {
  readonly name: string;
  /** A script of an installed package or of this repository, and its arguments. */
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

interface Outcome {
  readonly step: Step;
  readonly ok: boolean;
  readonly seconds: number;
  readonly output: string;
}

const tsc = ['node_modules/typescript/bin/tsc', '--pretty', '-p'];
const tsx = ['--conditions', 'rostra-source', '--import', 'tsx'];

/** Longest first, so that the short ones fill the gaps. */
const steps: readonly Step[] = [
  { name: 'types', command: [...tsc, 'tsconfig.json'] },
  { name: 'tidy', command: ['node_modules/vitest/vitest.mjs', 'run', 'test/tidy'], env: { ROSTRA_BUILD: 'skip' } },
  { name: 'types:console', command: [...tsc, 'tsconfig.console.json'] },
  { name: 'types:pure', command: [...tsc, 'tsconfig.pure.json'] },
  { name: 'lint', command: ['node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=off', '.'] },
  { name: 'knip', command: ['node_modules/knip/bin/knip.js', '--no-progress'] },
  { name: 'schema', command: [...tsx, 'scripts/emit-schema.ts', '--check'] },
  { name: 'docs', command: [...tsx, 'scripts/config-docs.ts', '--check'] },
  { name: 'API docs', command: [...tsx, 'scripts/api-docs.ts', '--check'] },
  { name: 'spec', command: [...tsx, 'scripts/spec-coverage.ts', '--check'] },
];

function run(step: Step): Promise<Outcome> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, step.command, {
      cwd: root,
      env: { ...process.env, ...step.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      const seconds = (performance.now() - start) / 1000;
      resolve({ step, ok: code === 0, seconds, output: Buffer.concat(chunks).toString('utf8').trim() });
    });
  });
}

function report({ step, ok, seconds, output }: Outcome): void {
  console.log(`${ok ? 'ok    ' : 'FAILED'}  ${step.name.padEnd(11)} ${seconds.toFixed(1).padStart(5)} s`);
  if (!ok) console.log(`${output.replace(/^/gm, '    ')}\n`);
}

/** Takes the next step whenever one ends, and collects those that failed. */
async function work(queue: Step[], failed: string[]): Promise<void> {
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
    const outcome = await run(step);
    report(outcome);
    if (!outcome.ok) failed.push(step.name);
  }
}

function chosen(names: readonly string[]): Step[] {
  if (names.length === 0) return [...steps];
  // `types` names both compilations.
  return steps.filter(({ name }) => names.includes(name) || names.includes(name.split(':')[0] ?? ''));
}

const queue = chosen(process.argv.slice(2));
if (queue.length === 0) {
  console.error(`No such step. Steps: ${steps.map(({ name }) => name).join(', ')}`);
  process.exit(1);
}
if (!existsSync(`${root}node_modules/typescript`))
  throw new Error('node_modules is incomplete: npm ci --ignore-scripts');

const start = performance.now();
const failed: string[] = [];
await Promise.all(Array.from({ length: PARALLEL_MAX }, () => work(queue, failed)));
console.log(
  `total ${((performance.now() - start) / 1000).toFixed(1)} s${failed.length > 0 ? `, failed: ${failed.join(', ')}` : ''}`,
);
process.exitCode = failed.length > 0 ? 1 : 0;
