import { emptyState } from '@rostra/kernel/context/run-context';
import { type Grant, type GrantTerms, grantOf } from '@rostra/kernel/grant/grant';
import type { ToolResource } from '@rostra/protocol/runner/resources';
import { AgentRunContext } from '@rostra/protocol/runner/run-context';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { describe, expect, it } from 'vitest';
import { agentTexts, contextText } from '../../src/orchestrator/context-text.ts';
import { DossierTexts } from '../../src/proxy/dossier-texts.ts';

const tool: ToolResource = {
  tool_name: 'time',
  tool_type: 'host',
  owner: 'host',
  description: 'Tells the time.',
  parameters: {},
  operations: ['call'],
};

function contextOf(run_id: string): AgentRunContext {
  return AgentRunContext.parse({
    run_id,
    trigger: { type: 'message.received', source: 'api' },
    event: { event_id: run_id, event_type: 'message.received', source: 'api' },
    input: { text: 'hello' },
    delivery: { surface: 'api' },
    resources: {},
    context: { inline_policy: { mode: 'current_event' }, available_apis: {} },
    state: {},
    runtime: { host: 'rostra', trace_id: run_id },
    config: {},
  });
}

function termsOf(): GrantTerms {
  const { resources, context } = contextOf('r');
  return Object.freeze({
    resources: { ...resources, tools: [tool] },
    apis: context.available_apis,
    state_scopes: ['conversation' as const],
    artifacts: [],
    interactions: [],
    files: [],
    platform_api: [],
    client_tools: [],
    handover_to: null,
  });
}

const scope = { workspace_id: 'w', bot_id: null, thread_id: null, actor_id: 'a', subject_id: null };

const overApi = contextOf('r').delivery;

function runOf(
  run_id: string,
  terms: GrantTerms,
  tools: readonly ToolResource[] = [],
  own_parts: Partial<AgentRunContext> = {},
) {
  const run = { run_id, runner_id: 'demo', agent_id: 'guide', attachments: [], tools };
  const grant: Grant = grantOf(terms, { ...run, scope: { ...scope, conversation_id: `c-${run_id}` } });
  const base = contextOf(run_id);
  const static_refs = { policy: { ref: 'x', version: '1', hash: 'h' } };
  const context: AgentRunContext = {
    ...base,
    resources: grant.resources,
    context: { ...base.context, available_apis: grant.apis },
    runtime: { ...base.runtime, static_refs },
    config: { name: 'guide', key: 'secret' },
    delivery: overApi,
    state: emptyState,
    ...own_parts,
  };
  const { own } = contextText(context, agentTexts(terms, { config: context.config, static_refs }));
  return { context, own, grant, terms };
}

const conceal = (config: JsonObject): JsonObject => ({ ...config, key: '…' });

function told({ context, grant }: ReturnType<typeof runOf>) {
  return JSON.parse(JSON.stringify({ context: { ...context, config: conceal(context.config) }, grant })) as unknown;
}

describe('a dossier as text', () => {
  it('gives back what the run was told, without secrets', () => {
    const texts = new DossierTexts(conceal);
    const run = runOf('r1', termsOf());
    const entry = texts.write(run);
    expect(JSON.stringify(entry)).not.toContain('secret');
    expect(texts.read(entry)).toEqual(told(run));
  });

  it('names what all runs of an agent are told alike, and does not repeat it', () => {
    const texts = new DossierTexts(conceal);
    const terms = termsOf();
    const [one, two] = [texts.write(runOf('r1', terms)), texts.write(runOf('r2', terms))];
    expect(one.terms).toBe(two.terms);
    expect(one.context + one.grant).not.toContain('Tells the time.');
    expect(texts.write(runOf('r3', { ...terms, files: ['read'] })).terms?.id).not.toBe(one.terms?.id);
  });

  it('keeps what one run alone was granted with that run', () => {
    const texts = new DossierTexts(conceal);
    const run = runOf('r1', termsOf(), [{ ...tool, tool_name: 'own', tool_type: 'client' }]);
    const entry = texts.write(run);
    expect(entry.terms).toBeNull();
    expect(texts.read(entry)).toEqual(told(run));
  });

  it('does not repeat what says nothing of the run alone: its id, who runs, the usual delivery, an empty state', () => {
    const texts = new DossierTexts(conceal);
    const { context, grant } = texts.write(runOf('r1', termsOf()));
    expect(Object.keys(JSON.parse(grant))).toEqual(['scope']);
    for (const field of ['run_id', 'delivery', 'state']) expect(JSON.parse(context)).not.toHaveProperty(field);
  });

  it('keeps a delivery and a state of its own with a run, and shares no delivery to anybody', () => {
    const texts = new DossierTexts(conceal);
    const terms = termsOf();
    const delivery = { ...overApi, reply_target: { chat: 'of somebody' } };
    const state = { ...emptyState, actor: { mood: 'good' } };
    const runs = [
      runOf('r1', terms, [], { delivery, state }),
      runOf('r2', terms),
      runOf('r3', terms, [], { delivery: { ...overApi, surface: 'chat' } }),
    ];
    for (const run of runs) {
      const entry = texts.write(run);
      expect(entry.terms?.text).not.toContain('of somebody');
      expect(texts.read(entry)).toEqual(told(run));
    }
  });

  it('reads what older hosts kept, which shared less', () => {
    const texts = new DossierTexts(conceal);
    const run = runOf('r1', termsOf());
    const { resources, config: _config, context: access, runtime, ...rest } = run.context;
    const { available_apis: _apis, ...own_access } = access;
    const { static_refs, ...own_runtime } = runtime;
    const { runner_id, agent_id, scope: of, run_id } = run.grant;
    const { run_id: _run, runner_id: _runner, agent_id: _agent, scope: _scope, ...granted } = run.grant;
    expect(resources).toBe(granted.resources);
    const entry = {
      run_id,
      context: JSON.stringify({ ...rest, context: own_access, runtime: own_runtime }),
      grant: JSON.stringify({ run_id, runner_id, agent_id, scope: of }),
      terms: { id: 'x', text: JSON.stringify({ granted, static_refs, config: conceal(run.context.config) }) },
    };
    expect(texts.read(entry)).toEqual(told(run));
  });
});
