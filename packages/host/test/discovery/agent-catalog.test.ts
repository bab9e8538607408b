import { AgentBootstrap, AgentGrants } from '@rostra/protocol/config/agent-config';
import { AgentPolicy } from '@rostra/protocol/session/roster';
import { limits } from '@rostra/protocol/wire/limits';
import { expect, test } from 'vitest';
import { type AgentBinding, AgentCatalog, bindAgent } from '../../src/discovery/agent-catalog.ts';

const parts = {
  runner_id: 'r',
  config: { tone: 'dry', depth: 2 },
  policy: AgentPolicy.parse({}),
  grants: AgentGrants.parse({}),
  bootstrap: AgentBootstrap.parse({}),
  source: 'file' as const,
};
const binding = (agent_id: string): AgentBinding => bindAgent({ ...parts, agent_id });

test('agents are found by their exact id and listed in order', () => {
  const catalog = new AgentCatalog([binding('scout'), binding('guide')]);
  expect(catalog.find('guide')).toEqual(binding('guide'));
  expect(catalog.find('Guide')).toBeNull();
  expect(catalog.find('constructor')).toBeNull();
  expect(catalog.list().map(({ agent_id }) => agent_id)).toEqual(['scout', 'guide']);
});

test('two agents cannot have one id', () => {
  expect(() => new AgentCatalog([binding('guide'), binding('guide')])).toThrow('same id');
});

test('replacing leaves what was found before as it was', () => {
  const catalog = new AgentCatalog([binding('guide')]);
  const held = catalog.find('guide');
  catalog.replace([bindAgent({ ...parts, agent_id: 'guide', config: {} }), binding('scout')]);
  expect(held).toEqual(binding('guide'));
  expect(catalog.find('guide')?.config).toEqual({});
  expect(() => catalog.replace([binding('a'), binding('a')])).toThrow('same id');
  expect(catalog.list()).toHaveLength(2);
});

test('a revision changes with any part and not with the order of keys', () => {
  const { revision } = binding('guide');
  const sameInOtherOrder = bindAgent({ ...parts, agent_id: 'guide', config: { depth: 2, tone: 'dry' } });
  expect(sameInOtherOrder.revision).toBe(revision);
  expect(bindAgent({ ...parts, agent_id: 'guide', config: { tone: 'dry', depth: 3 } }).revision).not.toBe(revision);
  expect(bindAgent({ ...parts, agent_id: 'guide', label: 'Guide' }).revision).not.toBe(revision);
});

test('an agent within a binding has what both grant, and nothing where the binding is gone', () => {
  const wide = bindAgent({ ...parts, agent_id: 'guide', grants: AgentGrants.parse({ tools: ['a', 'b'] }) });
  const grants = new Map([['night', AgentGrants.parse({ tools: ['b', 'c'], storage: [] })]]);
  const catalog = new AgentCatalog([wide], grants);
  const bound = catalog.find('guide', 'night');
  expect(bound?.grants).toMatchObject({ tools: ['b'], storage: [] });
  expect(bound?.revision).not.toBe(wide.revision);
  expect(catalog.find('guide', 'night')).toBe(bound);
  expect(catalog.find('guide', 'day')).toBeNull();
  expect(catalog.find('guide')).toBe(wide);
  catalog.replace([wide], new Map());
  expect(catalog.find('guide', 'night')).toBeNull();
});

test('a lent agent is found and not listed; the oldest are forgotten', () => {
  const catalog = new AgentCatalog([binding('guide')]);
  for (let n = 0; n <= limits.lent_agents; n += 1) catalog.lend(binding(`pipeline:${n}`));
  expect(catalog.find(`pipeline:${limits.lent_agents}`)).not.toBeNull();
  expect(catalog.find('pipeline:0')).toBeNull();
  expect(catalog.list()).toHaveLength(1);
});

test('a lent agent is the one that was lent, by the name that lending it gave', () => {
  const lent = (tool: string) =>
    bindAgent({ ...parts, agent_id: 'pipeline:p', grants: AgentGrants.parse({ tools: [tool] }) });
  const catalog = new AgentCatalog([binding('guide')]);
  const [first, second] = [catalog.lend(lent('a')), catalog.lend(lent('b'))];
  expect(catalog.find('pipeline:p', first)?.grants.tools).toEqual(['a']);
  expect(catalog.find('pipeline:p', second)?.grants.tools).toEqual(['b']);
  expect(catalog.find('pipeline:p')?.grants.tools).toEqual(['b']);
  const held = catalog.find('pipeline:p', first);
  expect(catalog.lend(lent('a'))).toBe(first);
  expect(catalog.find('pipeline:p', first)).toBe(held);
  // Whom it hands over to has no more than it had itself.
  expect(catalog.find('guide', first)?.grants.tools).toEqual(['a']);
});

test('a lent agent that is lent again is not among the oldest', () => {
  const catalog = new AgentCatalog([]);
  for (let n = 0; n < limits.lent_agents; n += 1) catalog.lend(binding(`pipeline:${n}`));
  catalog.lend(binding('pipeline:0'));
  catalog.lend(binding('one more'));
  expect(catalog.find('pipeline:0')).not.toBeNull();
  expect(catalog.find('pipeline:1')).toBeNull();
});
