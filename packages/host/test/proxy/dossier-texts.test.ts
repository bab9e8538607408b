import { emptyState } from '@rostra/kernel/context/run-context';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { describe, expect, it } from 'vitest';
import type { ToldRun } from '../../src/orchestrator/run-dossier.ts';
import { DossierTexts } from '../../src/proxy/dossier-texts.ts';
import { overApi, runOf, termsOf, tool } from './told-run.ts';

const conceal = (config: JsonObject): JsonObject => ({ ...config, key: '…' });

function told({ context, grant }: ToldRun) {
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
