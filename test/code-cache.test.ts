import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';

const built = fileURLToPath(new URL('../packages/host/dist/code-cache.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'rostra-code-'));
const compiled = join(folder, 'compiled');
/** Ends only when what it compiled has been written down. */
const entry =
  'require("./code-cache.js").keepCode(__filename); console.log(require("./part.js")); setTimeout(() => {}, 700);';

function run(flags: string[] = []): string {
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, join(folder, 'main.js')], { encoding: 'utf8' });
  return stdout + stderr;
}

function kept(): string[] {
  return readdirSync(compiled)
    .map((name) => join(compiled, name))
    .sort();
}

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  cpSync(built, join(folder, 'code-cache.js'));
  writeFileSync(join(folder, 'main.js'), entry);
  writeFileSync(join(folder, 'part.js'), 'module.exports = [1].map((n) => "one " + n)[0];');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Node's own cache, where there is one, has its own tests.
describe.runIf(process.versions.node.startsWith('20.'))('compiled code', () => {
  it('is written by the first start and left alone by the next', () => {
    expect(run()).toBe('one 1\n');
    const [file = ''] = kept();
    const first = readFileSync(file);
    expect(run()).toBe('one 1\n');
    expect(readFileSync(file)).toEqual(first);
  });

  it('of another source of the same length is not used, and replaced', () => {
    run();
    const [file = ''] = kept();
    const first = readFileSync(file);
    writeFileSync(join(folder, 'part.js'), 'module.exports = [2].map((n) => "two " + n)[0];');
    expect(run()).toBe('two 2\n');
    expect(readFileSync(file)).not.toEqual(first);
  });

  it('that is torn or altered is not used', () => {
    run();
    const [file = ''] = kept();
    const whole = readFileSync(file);
    writeFileSync(file, whole.subarray(0, whole.length - 40));
    expect(run()).toBe('one 1\n');
    writeFileSync(file, Buffer.from('no code'));
    expect(run()).toBe('one 1\n');
    const altered = Buffer.from(whole);
    altered.writeUInt8(altered.readUInt8(altered.length - 20) ^ 0xff, altered.length - 20);
    writeFileSync(file, altered);
    expect(run()).toBe('one 1\n');
  });

  it('of bundles that this start did without stays', () => {
    run();
    const [file = ''] = kept();
    writeFileSync(join(folder, 'other.js'), 'module.exports = "other";');
    writeFileSync(join(folder, 'main.js'), entry.replace('part.js', 'other.js'));
    expect(run()).toBe('other\n');
    expect(readFileSync(file).includes('part.js')).toBe(true);
    expect(readFileSync(file).includes('other.js')).toBe(true);
  });

  it('is kept for each set of flags', () => {
    run();
    expect(run(['--max-semi-space-size=8'])).toBe('one 1\n');
    expect(kept()).toHaveLength(2);
  });

  it('that cannot be written is done without', () => {
    writeFileSync(compiled, 'not a folder');
    expect(run()).toBe('one 1\n');
  });
});
