import { describe, expect, it } from 'vitest';
import {
  AgentRunnerContextPolicy,
  AgentRunnerManifest,
  type AgentRunnerManifestInput,
  AgentRunnerPermissions,
} from '../../src/runner/manifest.ts';

const least: AgentRunnerManifestInput = {
  id: 'plugin:author/name/runner',
  name: 'default',
  label: { en_US: 'Runner' },
  capabilities: {},
  permissions: {},
  context: {},
};

describe('a manifest', () => {
  it('is whole with its required fields, and has defaults for the others', () => {
    expect(AgentRunnerManifest.parse(least)).toMatchObject({
      id: 'plugin:author/name/runner',
      name: 'default',
      description: null,
      config_schema: [],
      metadata: {},
    });
  });

  it.each(Object.keys(least))('without %s is none', (field) => {
    expect(AgentRunnerManifest.safeParse({ ...least, [field]: undefined }).success).toBe(false);
  });
});

describe('permissions', () => {
  const every = {
    models: ['invoke', 'stream', 'rerank'],
    tools: ['detail', 'call'],
    knowledge_bases: ['list', 'retrieve'],
    history: ['page', 'search'],
    events: ['get', 'page'],
    artifacts: ['metadata', 'read'],
    storage: ['plugin', 'workspace', 'binding'],
    platform_api: ['message.edit'],
  };

  it('are lists of what the contract names, each empty when it is absent', () => {
    expect(AgentRunnerPermissions.parse(every)).toMatchObject(every);
    for (const list of Object.values(AgentRunnerPermissions.parse({}))) expect(list).toEqual([]);
  });

  it.each(Object.keys(every).filter((list) => list !== 'platform_api'))('of %s have no other names', (list) => {
    expect(AgentRunnerPermissions.safeParse({ [list]: ['everything'] }).success).toBe(false);
  });
});

describe('the context policy', () => {
  it('leaves the context to the runner by default', () => {
    expect(AgentRunnerContextPolicy.parse({})).toEqual({
      ownership: 'self_managed',
      bootstrap: 'current_event',
      max_inline_events: 0,
      max_inline_bytes: 0,
      supports_history_pull: true,
      supports_history_search: false,
      supports_artifact_pull: true,
      owns_compaction: true,
      wants_static_context_refs: true,
    });
  });

  it('knows three owners and four kinds of bootstrap', () => {
    const isPolicy = (policy: object) => AgentRunnerContextPolicy.safeParse(policy).success;
    for (const ownership of ['self_managed', 'host_bootstrap', 'hybrid']) expect(isPolicy({ ownership })).toBe(true);
    for (const bootstrap of ['none', 'current_event', 'recent_tail', 'summary_tail']) {
      expect(isPolicy({ bootstrap })).toBe(true);
    }
    expect([isPolicy({ ownership: 'host' }), isPolicy({ bootstrap: 'everything' })]).toEqual([false, false]);
  });
});
