import { narrowGrants } from '@rostra/kernel/grant/narrow-grants';
import { AgentGrants } from '@rostra/protocol/config/agent-config';
import { describe, expect, test } from 'vitest';

const narrow = (agent: object, binding: object) => narrowGrants(AgentGrants.parse(agent), AgentGrants.parse(binding));

describe('the grants of an agent within a binding', () => {
  test('are those of both, and a list that is left out asks for nothing less', () => {
    const both = narrow(
      { tools: ['a', 'b'], models: ['m'], storage: ['plugin', 'workspace'] },
      { tools: ['b', 'c'], storage: [], history: ['page'] },
    );
    expect(both).toMatchObject({ tools: ['b'], models: ['m'], storage: [], history: ['page'] });
    expect(both.events).toBeUndefined();
  });

  test.each([
    ['workspace', 'actor', 'actor'],
    ['actor', 'workspace', 'actor'],
    ['actor', 'bot', 'conversation'],
    ['conversation', 'workspace', 'conversation'],
    ['workspace', undefined, 'conversation'],
  ])('reach into history as far as both do: %s and %s is %s', (agent, binding, both) => {
    expect(narrow({ history_scope: agent }, { history_scope: binding }).history_scope).toBe(both);
  });

  test('hold the state that both open', () => {
    const both = narrow({ state_scopes: ['actor', 'runner'] }, { state_scopes: ['runner', 'binding'] });
    expect(both.state_scopes).toEqual(['runner']);
  });
});
