import { expect, test } from 'vitest';
import { type AgentBinding, AgentCatalog } from '../../src/discovery/agent-catalog.ts';

const policy = { queue: 'enqueue' as const, interruptible: true, steering: false };
const binding = (agent_id: string): AgentBinding => ({ agent_id, runner_id: 'r', config: {}, policy });

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
