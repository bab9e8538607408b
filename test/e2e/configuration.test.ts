import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess } from './host-process.ts';
import { textOf } from './sse-client.ts';

const bin = fileURLToPath(new URL('../../packages/host/bin/rostra.cjs', import.meta.url));

interface Ending {
  code: number;
  stdout: string;
  stderr: string;
}

function rostra(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Ending> {
  const { cwd = folder, env = {} } = options;
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...args], { cwd, env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}

/** A runner without the SDK: it answers everything with one word. */
function writeRunner(name: string, word: string): void {
  const manifest = {
    id: `test/${name}/default`,
    name,
    label: { en_US: name },
    capabilities: {},
    permissions: {},
    context: {},
  };
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, 'rostra-runner.json'), JSON.stringify({ command: [process.execPath, 'main.mjs'] }));
  writeFileSync(
    join(folder, name, 'main.mjs'),
    `
import { createInterface } from 'node:readline';
const say = (frame) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...frame }) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'LIST_AGENT_RUNNERS') say({ id, result: ${JSON.stringify({ protocol_version: '1.0', runners: [manifest] })} });
  if (method === 'PING') say({ id, result: {} });
  if (method !== 'RUN_AGENT') return;
  const { run_id } = params.context;
  say({ method: 'RUN_ACCEPTED', params: { run_id } });
  const results = [[1, 'message.delta', { chunk: { role: 'assistant', content: ${JSON.stringify(word)} } }], [2, 'run.completed', {}]];
  say({ method: 'RESULTS', params: { run_id, results } });
  say({ id, result: { run_id } });
}).on('close', () => process.exit(0));
`,
  );
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rostra-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('rostra config', () => {
  test('check says in one sentence that a file is right, or names its mistakes and fails', async () => {
    writeFileSync(join(folder, 'good.yaml'), 'server: { port: 0 }');
    writeFileSync(join(folder, 'bad.yaml'), 'server:\n  prot: 0\n');
    expect(await rostra(['config', 'check', '--config', 'good.yaml'])).toEqual({
      code: 0,
      stdout: 'good.yaml is right.\n',
      stderr: '',
    });
    expect((await rostra(['config', 'check'])).stdout).toBe('There is no rostra.yaml here; the defaults are right.\n');
    const bad = await rostra(['config', 'check'], { env: { ROSTRA_CONFIG: 'bad.yaml' } });
    expect(bad).toMatchObject({ code: 1, stdout: '' });
    expect(bad.stderr).toMatch(/^bad\.yaml:2:3: server\.prot is not a key .* Did you mean "port"\?\n→ /);
  });

  test('show prints what holds and where it comes from, without secrets', async () => {
    writeFileSync(join(folder, 'secret.yaml'), 'auth: { api_key: a-long-random-text }\nlog: { level: warn }\n');
    const { stdout } = await rostra(['config', 'show', '--config', 'secret.yaml', '--port', '1']);
    expect(stdout).toMatch(/^auth\.api_key +\(secret\) +file secret\.yaml:1$/m);
    expect(stdout).toMatch(/^server\.port +1 +flag --port$/m);
    expect(stdout).toMatch(/^log\.level +"warn" +file secret\.yaml:2$/m);
    expect(stdout).not.toContain('a-long-random-text');
  });

  test('schema prints the JSON Schema', async () => {
    const { stdout } = await rostra(['config', 'schema']);
    expect(Object.keys(JSON.parse(stdout).properties)).toContain('runners');
  });

  test('a wrong command or option is refused with the usage', async () => {
    const wrong = await rostra(['stat']);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toMatch(/^There is no command "stat"\. Did you mean "start"\?\n\nUsage: rostra/);
    expect((await rostra(['start', '--prot', '1'])).stderr).toContain('Did you mean "--port"?');
  });

  test('a start with a wrong file stops before anything else', async () => {
    const { code, stderr, stdout } = await rostra(['start', '--config', 'bad.yaml', '--data', 'never']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('bad.yaml:2:3');
  });
});

describe('npx rostra', () => {
  test('says in a checkout that is not built what to do', async () => {
    const copy = join(folder, 'clone/packages/host/bin/rostra.cjs');
    mkdirSync(join(copy, '..'), { recursive: true });
    copyFileSync(bin, copy);
    const ending = await new Promise<Ending>((resolve) => {
      execFile(process.execPath, [copy, 'config', 'check'], (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
      });
    });
    expect(ending).toMatchObject({ code: 1, stdout: '' });
    expect(ending.stderr).toMatch(/^Rostra is not built yet\.\n→ Run `npm run build` in .*clone, or `npm start`/);
  });

  test('is this program', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(join(fileURLToPath(new URL('../..', import.meta.url)), manifest.bin.rostra)).toBe(bin);
  });
});

describe('a host with a configuration', () => {
  let host: HostProcess;
  const file = () => join(folder, 'rostra.yaml');

  beforeAll(async () => {
    writeRunner('mine', 'one');
    writeRunner('other', 'two');
    writeFileSync(file(), 'runners: [./mine]\n');
    host = new HostProcess({ ROSTRA_CONFIG: file() });
    await host.start();
  });
  afterAll(() => host.dispose());

  const answer = async () => textOf(await host.events(await host.accept('hello')));
  const reload = () => rostra(['reload', '--data', host.data]);

  test('one line is enough: its runner answers', async () => {
    expect(await answer()).toBe('one');
  });

  test('a reload that finds a mistake names its line and changes nothing', async () => {
    writeFileSync(file(), 'runners: [./other]\nlgo: {}\n');
    const { code, stdout, stderr } = await reload();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('nothing was changed');
    expect(stderr).toContain(':2:1: lgo is not a key of the configuration. Did you mean "log"?');
    expect(await answer()).toBe('one');
  });

  test('a reload applies what it can to new sessions, and says what needs a restart', async () => {
    writeFileSync(file(), 'runners: [./other]\nserver: { public_url: https://agents.example }\nlog: { level: warn }\n');
    expect(await reload()).toEqual({
      code: 0,
      stdout: 'Reloaded; new runs see: runners, log.level.\nNeeds a restart: server.public_url.\n',
      stderr: '',
    });
    expect(await answer()).toBe('two');
    expect(host.isUp).toBe(true);
  });

  test('a reload that cannot be told of ends no host', async () => {
    mkdirSync(join(host.data, `reload.json.${host.pid}`));
    process.kill(host.pid, 'SIGHUP');
    await expect.poll(() => host.output).toContain('reload.failed');
    expect(await answer()).toBe('two');
    expect(host.isUp).toBe(true);
  });

  test('a reload without a host says so', async () => {
    const { code, stderr } = await rostra(['reload', '--data', join(folder, 'nobody')]);
    expect(code).toBe(1);
    expect(stderr).toContain('No host is running in');
  });
});
