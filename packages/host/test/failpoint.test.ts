import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { failpoints, hit, readOrders } from '../src/failpoint.ts';

const source = path.resolve(import.meta.dirname, '../src');

function program(text: string, env: Record<string, string>) {
  const file = path.join(source, 'failpoint.ts');
  const script = `import { hit } from ${JSON.stringify(file)};\n${text}`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
  return spawnSync(process.execPath, args, { env: { ...process.env, ...env }, encoding: 'utf8', cwd: source });
}

describe('a failpoint', () => {
  it('does nothing in a host that was not started for a test', () => {
    expect(hit('commit.begin')).toBeUndefined();
    const text = "hit('commit.begin'); process.stdout.write('alive');";
    const { stdout } = program(text, { NODE_ENV: 'production', ROSTRA_FAILPOINTS: 'commit.begin:kill' });
    expect(stdout).toBe('alive');
  });

  it('kills at the pass that it was told', () => {
    const text = "for (const n of [1, 2, 3, 4]) { hit('commit.done'); process.stdout.write(String(n)); }";
    const { stdout, signal } = program(text, { NODE_ENV: 'test', ROSTRA_FAILPOINTS: 'commit.done:kill:3' });
    expect({ stdout, signal }).toEqual({ stdout: '12', signal: 'SIGKILL' });
  });

  it('throws once, stalls each time, and knows its names', () => {
    const orders = readOrders('commit.begin:throw,commit.done:delay=1,publish.done:kill:7');
    expect([...orders].map(([name, [first]]) => [name, first?.nth])).toEqual([
      ['commit.begin', 1],
      ['commit.done', null],
      ['publish.done', 7],
    ]);
    expect(() => orders.get('commit.begin')?.[0]?.act()).toThrow('failpoint commit.begin');
    expect(() => readOrders('commit.never:kill')).toThrow('there is no failpoint commit.never');
    expect(() => readOrders('commit.done:explode')).toThrow('a failpoint cannot explode');
  });

  it('of each name stands in the source exactly once', () => {
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const text = files.map((file) => readFileSync(path.join(source, file), 'utf8')).join('\n');
    const placed = [...text.matchAll(/\bhit\('([^']+)'\)/g)].map(([, name]) => name);
    expect(placed.sort()).toEqual([...failpoints].sort());
  });
});
