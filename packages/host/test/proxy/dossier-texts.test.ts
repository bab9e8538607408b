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

function runOf(run_id: string, terms: GrantTerms, tools: readonly ToolResource[] = []) {
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
});
