import { describe, expect, it } from 'vitest';
import { apiMethods } from '../../src/api/api-methods.ts';
import { availableApiOf } from '../../src/api/available-apis.ts';
import { ContextAPICapabilities } from '../../src/runner/run-context.ts';
import { limits } from '../../src/wire/limits.ts';

const run = { run_id: 'r1' };

describe('the table of proxied calls', () => {
  it('has the calls that the contract names, each by its family', () => {
    for (const method of [
      'models.invoke',
      'models.stream',
      'models.rerank',
      'tools.get_detail',
      'tools.call',
      'knowledge.retrieve',
      'history.page',
      'history.search',
      'events.get',
      'events.page',
      'artifacts.metadata',
      'artifacts.read_range',
      'artifacts.open_stream',
      'state.get',
      'state.set',
      'state.delete',
      'storage.get',
      'storage.set',
      'storage.delete',
      'storage.list',
      'platform.request_action',
    ]) {
      expect(Object.keys(apiMethods)).toContain(method);
    }
  });

  it.each(Object.entries(apiMethods))('%s is refused without a run (RP-7.1)', (_, { params }) => {
    expect(params.safeParse({}).success).toBe(false);
    const issues = params.safeParse({}).error?.issues ?? [];
    expect(issues.map(({ path }) => path.join('.'))).toContain('run_id');
  });

  it('streams exactly what the contract streams', () => {
    const streams = Object.entries(apiMethods).filter(([, definition]) => 'stream' in definition);
    expect(streams.map(([method]) => method)).toEqual(['models.stream', 'artifacts.open_stream']);
  });

  it('fills in the defaults of the contract', () => {
    expect(apiMethods['history.page'].params.parse(run)).toEqual({
      ...run,
      conversation_id: null,
      before_cursor: null,
      after_cursor: null,
      limit: 50,
      direction: 'backward',
      include_artifacts: false,
    });
    expect(apiMethods['history.search'].params.parse({ ...run, query: 'x' })).toMatchObject({ top_k: 10 });
    expect(apiMethods['knowledge.retrieve'].params.parse({ ...run, kb_id: 'k', query_text: 'x' }).top_k).toBe(5);
    const range = apiMethods['artifacts.read_range'].params.parse({ ...run, artifact_id: 'a' });
    expect(range).toMatchObject({ offset: 0, length: 65_536 });
    expect(apiMethods['events.page'].params.parse(run).limit).toBe(50);
  });

  it.each(['history.page', 'events.page', 'runs.list'] as const)(
    '%s clamps a limit above the cap (case 44)',
    (method) => {
      expect(apiMethods[method].params.parse({ ...run, limit: 1_000_000_000 }).limit).toBe(limits.page_items);
      expect(apiMethods[method].params.parse({ ...run, limit: limits.page_items }).limit).toBe(limits.page_items);
    },
  );

  it.each([
    ['history.page', { limit: 0 }],
    ['history.page', { limit: -1 }],
    ['history.page', { limit: Number.NaN }],
    ['history.page', { limit: '50' }],
    ['events.page', { limit: 1.5 }],
    ['history.search', { query: '' }],
    ['history.search', { query: 'x', top_k: limits.search_top_k + 1 }],
    ['artifacts.read_range', { artifact_id: 'a', offset: -1 }],
    ['artifacts.read_range', { artifact_id: 'a', length: limits.piece_bytes + 1 }],
    ['state.set', { scope: 'galaxy', key: 'k', value: 1 }],
    ['state.set', { scope: 'runner', key: 'k'.repeat(limits.state_key_bytes + 1), value: 1 }],
    ['storage.list', { area: '../plugin' }],
    ['models.rerank', { model_id: 'm', query: 'q', documents: Array(limits.rerank_documents + 1).fill('d') }],
  ] as const)('%s refuses %o', (method, params) => {
    expect(apiMethods[method].params.safeParse({ ...run, ...params }).success).toBe(false);
  });
});

describe('available_apis', () => {
  it('every flag opens a call, and every flag that is named exists', () => {
    expect(new Set<string>(Object.values(availableApiOf))).toEqual(new Set(Object.keys(ContextAPICapabilities.shape)));
  });
});
