import { AgentConfig } from '@rostra/protocol/config/agent-config';
import { HostConfig } from '@rostra/protocol/config/host-config';
import { describe, expect, it } from 'vitest';
import { type AgentSources, agentBindings, defaultRoster, unknownAgents } from '../../src/config/agent-bindings.ts';

const agent = (runner: string, more: object = {}) => AgentConfig.parse({ runner, ...more });
const found = (package_name: string, id: string, name: string) => ({ package_name, manifest: { id, name } });
const demo = { guide: agent('rostra/demo/default'), scout: agent('rostra/demo/default') };
const none: AgentSources = { file: {}, store: {}, found: [], demo: {} };
const session = (more: object = {}) => HostConfig.parse({ session: more }).session;

function ids(sources: Partial<AgentSources>): string[] {
  return agentBindings({ ...none, ...sources }).map(({ agent_id, source }) => `${source} ${agent_id}`);
}

describe('the agents of a host', () => {
  it('are those of the file, of the store, of runners that nobody names, and the demo’s, in this order', () => {
    const sources = {
      demo,
      file: { b: agent('p/b/x'), a: agent('p/a/x') },
      store: { s: agent('p/s/x') },
      found: [found('p', 'p/a/x', 'a'), found('q', 'q/echo/x', 'echo'), found('demo', 'rostra/demo/default', 'demo')],
    };
    expect(ids(sources)).toEqual(['file b', 'file a', 'store s', 'found echo', 'demo guide', 'demo scout']);
  });

  it('of a found runner take the package’s name in front when theirs is taken', () => {
    const sources = {
      demo,
      file: { echo: agent('p/other/x') },
      found: [found('p', 'p/echo/x', 'echo'), found('q', 'q/guide/x', 'guide'), found('r', 'r/guide/x', 'guide')],
    };
    expect(ids(sources)).toEqual(['file echo', 'found p.echo', 'found guide', 'found r.guide', 'demo scout']);
  });

  it('of the store give way to those of the file', () => {
    const [only] = agentBindings({ ...none, file: { a: agent('f/a/x') }, store: { a: agent('s/a/x') } });
    expect(only).toMatchObject({ runner_id: 'f/a/x', source: 'file' });
  });

  it('have limits and a prompt only where these were written', () => {
    const limits = { run: { tokens: 5 }, day: { cost: 0.5 } };
    const bound = (config: AgentConfig) => agentBindings({ ...none, file: { a: config } })[0];
    expect(bound(agent('p/a/x', { policy: { limits } }))?.limits).toEqual(limits);
    expect(bound(agent('p/a/x', { policy: { limits: { run: {} } } }))).not.toHaveProperty('limits');
    expect(bound(agent('p/a/x', { prompt: 'Be brief.' }))?.prompt).toEqual([{ role: 'system', content: 'Be brief.' }]);
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ];
    expect(bound(agent('p/a/x', { prompt: messages }))?.prompt).toEqual(messages);
    expect(bound(agent('p/a/x'))).not.toHaveProperty('prompt');
  });

  it('have another revision whenever anything in them is another, whatever the order of their keys', () => {
    const revision = (config: AgentConfig) => agentBindings({ ...none, file: { a: config } })[0]?.revision;
    const one = revision(agent('p/a/x', { config: { x: 1, y: 2 } }));
    expect(revision(agent('p/a/x', { config: { y: 2, x: 1 } }))).toBe(one);
    const others = [{ config: { x: 1 } }, { grants: { tools: [] } }, { policy: { queue: 'reject' } }, { label: 'A' }];
    const revisions = others.map((more) => revision(agent('p/a/x', { config: { x: 1, y: 2 }, ...more })));
    expect(new Set([one, ...revisions]).size).toBe(others.length + 1);
  });
});

describe('the default roster', () => {
  const bindings = agentBindings({ ...none, demo, file: { a: agent('p/a/x'), b: agent('p/b/x') } });

  it('is everybody, or those that are named, in their order', () => {
    expect(defaultRoster(session(), bindings)).toEqual(['a', 'b', 'guide', 'scout']);
    expect(defaultRoster(session({ agents: ['scout', 'a'] }), bindings)).toEqual(['scout', 'a']);
  });

  it('has the active one at its front, and nobody that is not there', () => {
    expect(defaultRoster(session({ active: 'guide' }), bindings)).toEqual(['guide', 'a', 'b', 'scout']);
    expect(defaultRoster(session({ active: 'gone' }), bindings)).toEqual(['a', 'b', 'guide', 'scout']);
    expect(defaultRoster(session({ agents: ['gone', 'a'] }), bindings)).toEqual(['a']);
  });

  it('never has more than a session may', () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`a${n}`, agent(`p/a${n}/x`)]));
    expect(defaultRoster(session(), agentBindings({ ...none, file: many }))).toHaveLength(32);
  });
});

describe('what is asked for and not there', () => {
  it('is said by name: an agent of the roster, a runner of an agent', () => {
    const bindings = agentBindings({ ...none, demo, file: { a: agent('p/gone/x') } });
    expect(unknownAgents(session({ agents: ['nobody'] }), bindings, [])).toEqual([
      'There is no agent "nobody", which the session\'s defaults name.',
      'The agent "a" needs the runner "p/gone/x", which no package offers; its runs fail.',
    ]);
    expect(unknownAgents(session(), bindings, [found('p', 'p/gone/x', 'gone')])).toEqual([]);
  });
});
