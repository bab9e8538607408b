import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Configuration } from '../../src/main/configuration.ts';
import { demoAgents } from '../../src/main/demo.ts';
import { HostAgents } from '../../src/main/host-agents.ts';
import { HostLog } from '../../src/main/host-log.ts';
import { demoRunner } from '../../src/main/official-runners.ts';
import { SystemClock } from '../../src/main/system-clock.ts';
import { folderWith } from '../config/config-folder.ts';

/** A runner in one file that only says what it is. */
function runnerFiles(folder: string, id: string, name: string, capabilities: object = {}): Record<string, string> {
  const manifest = { id, name, label: { en_US: name }, capabilities, permissions: {}, context: {} };
  const listing = JSON.stringify({ protocol_version: '1.0', runners: [manifest] });
  return {
    [`${folder}/rostra-runner.json`]: JSON.stringify({ name: folder, command: [process.execPath, 'main.mjs'] }),
    [`${folder}/main.mjs`]: `
import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'LIST_AGENT_RUNNERS') {
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: ${listing} }) + '\\n');
  }
}).on('close', () => process.exit(0));
`,
  };
}

const opened: HostAgents[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ runners }) => runners.stop()));
});

async function agentsOf(config: object, files: Record<string, string> = {}) {
  const cwd = folderWith({ ...files, 'rostra.yaml': JSON.stringify(config) });
  const sources = { env: { ROSTRA_DATA: path.join(cwd, 'data') }, flags: {}, cwd };
  const lines: string[] = [];
  const agents = new HostAgents({
    configuration: await Configuration.read(sources),
    stored: {},
    clock: new SystemClock(),
    log: new HostLog((text) => lines.push(text)),
    environment: process.env,
  });
  opened.push(agents);
  return { agents, lines, read: () => Configuration.read(sources) };
}

describe('the agents of a configuration', () => {
  it('are the demo’s when nothing is configured, and nobody waits for them', async () => {
    const { agents } = await agentsOf({});
    expect(agents.isAwaited).toBe(false);
    expect(agents.default_agents).toEqual(['guide', 'scout']);
    expect(agents.find('guide')?.policy.resumable).toBe(demoRunner.resumable);
    expect(agents.missing()).toEqual(['the runner rostra/demo/default of the agent guide']);
  });

  it('are steered only where the agent’s policy and its runner both say so (check 69)', async () => {
    const files = {
      ...runnerFiles('able', 'me/able/default', 'able', { steering: true }),
      ...runnerFiles('deaf', 'me/deaf/default', 'deaf'),
    };
    const policy = { steering: true };
    const config = {
      runners: ['./able', './deaf'],
      agents: {
        both: { runner: 'me/able/default', policy },
        deaf: { runner: 'me/deaf/default', policy },
        silent: { runner: 'me/able/default' },
      },
    };
    const { agents } = await agentsOf(config, files);
    await agents.start();
    const steered = ['both', 'deaf', 'silent'].map((id) => agents.find(id)?.policy.steering);
    expect(steered).toEqual([true, false, false]);
  });

  it('are what a runner in one line says that it is, before the demo’s', async () => {
    const files = runnerFiles('mine', 'me/mine/default', 'mine', { resumable: true });
    const { agents, lines } = await agentsOf({ runners: ['./mine'] }, files);
    expect(agents.isAwaited).toBe(true);
    await agents.start();
    expect(agents.default_agents).toEqual(['mine', 'guide', 'scout']);
    expect(agents.catalog.find('mine')).toMatchObject({ runner_id: 'me/mine/default', source: 'found' });
    expect(agents.find('mine')).toEqual({ agent_id: 'mine', policy: expect.objectContaining({ resumable: true }) });
    expect(agents.missing()).toEqual([]);
    expect(lines.filter((line) => line.includes('agent.unknown'))).toEqual([]);
  });

  it('whose runner nobody has are said once, and the host goes on', async () => {
    const files = runnerFiles('mine', 'me/mine/default', 'mine');
    const config = { runners: ['./mine'], demo: false, agents: { a: { runner: 'me/gone/default' } } };
    const { agents, lines, read } = await agentsOf(config, files);
    await agents.start();
    expect(agents.default_agents).toEqual(['a', 'mine']);
    expect(agents.missing()).toEqual(['the runner me/gone/default of the agent a']);
    await agents.apply(await read(), {});
    expect(lines.filter((line) => line.includes('me/gone/default'))).toHaveLength(1);
  });

  it('change with the configuration: a runner goes, an agent of the store comes', async () => {
    const { agents } = await agentsOf({ runners: ['./mine'] }, runnerFiles('mine', 'me/mine/default', 'mine'));
    await agents.start();
    const cwd = folderWith({ 'rostra.yaml': 'demo: true' });
    const stored = (await Configuration.read({ env: {}, flags: {}, cwd })).config.agents;
    const next = await Configuration.read({ env: {}, flags: {}, cwd });
    await agents.apply(next, { ...stored, s: { ...demoAgents(null).guide! } });
    expect(agents.catalog.list().map(({ agent_id, source }) => `${source} ${agent_id}`)).toEqual([
      'store s',
      'demo guide',
      'demo scout',
    ]);
  });

  it('of the demo are what its own manifest says', async () => {
    const { agents } = await agentsOf({});
    await agents.start();
    await agents.runners.discovered();
    const manifest = agents.runners.list().find(({ package_name }) => package_name === 'demo')?.manifest;
    expect(manifest?.capabilities.resumable).toBe(demoRunner.resumable);
    expect(agents.states()).toEqual({ ready: 1 });
    expect(agents.missing()).toEqual([]);
  });
});
