import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { helpText } from './command-line.ts';

const root = new URL('..', import.meta.url);

function type(script: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test.each([
  ['crash', 'test/crash/main.ts'],
  ['sim', 'test/simulation/main.ts'],
  ['fuzz', 'test/fuzz/main.ts'],
])('npm run %s says what it takes', (name, script) => {
  const { status, stdout } = type(script, '--help');
  expect(status).toBe(0);
  expect(stdout).toContain(`npm run ${name} -- [options]`);
  expect(stdout).toMatch(/--seed … +\S/);
});

test('an option that there is not is named, and so is the way to those that there are', () => {
  const { status, stderr } = type('test/crash/main.ts', '--kill', '3');
  expect(status).toBe(2);
  expect(stderr).toBe("npm run crash: Unknown option '--kill'.\nWhat it takes: npm run crash -- --help\n");
});

test('a number that is none is named', () => {
  const { status, stderr } = type('test/crash/main.ts', '--clients', '0');
  expect(status).toBe(2);
  expect(stderr).toContain('--clients takes a whole number of at least 1, not "0".');
});

test('help stands in two columns, with what is usual', () => {
  const options = {
    cases: { type: 'string', default: '7', about: 'how many' },
    json: { type: 'boolean', about: 'as JSON' },
  } as const;
  expect(helpText('x', 'Does x.', options)).toBe(
    'Does x.\n\n  npm run x -- [options]\n\n  --cases …  how many (7)\n  --json     as JSON\n',
  );
});
