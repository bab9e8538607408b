/** What the runner protocol leaves to runners, and what it leaves out. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { apiMethodNames } from '@rostra/protocol/api/api-methods';
import { StateScope } from '@rostra/protocol/config/agent-config';
import { PipelineQuery } from '@rostra/protocol/run-api/pipeline-query';
import { AgentRunState } from '@rostra/protocol/runner/run-context';
import { WireMethod } from '@rostra/protocol/wire/method';
import { describe, expect, test } from 'vitest';
import { isSource, isTypeScript, packageOf, repositoryFiles, root } from './tidy/repository.ts';

const sources = repositoryFiles().filter((file) => isSource(file) && isTypeScript(file));

/** Lines of the files below these folders in which the words occur, without what may stand there. */
function lines(folders: RegExp, words: RegExp, except: readonly string[] = []): string[] {
  return sources
    .filter((file) => folders.test(file.path))
    .flatMap((file) => file.text.split('\n').map((line) => ({ path: file.path, line })))
    .filter(({ line }) => words.test(except.reduce((rest, word) => rest.replaceAll(word, ''), line)))
    .map((found) => `${found.path}: ${found.line.trim()}`);
}

describe('the protocol', () => {
  test('is about discovery, the context of a run, its results and its calls, and nothing else (RP-1.1)', () => {
    const about: Record<string, readonly WireMethod[]> = {
      discovery: ['LIST_AGENT_RUNNERS'],
      context: ['CONTEXT_PART', 'RUN_AGENT', 'RUN_ACCEPTED'],
      results: ['RESULTS', 'RUN_CREDIT', 'RUN_ALIVE', 'RUN_SPAWNED', 'RUN_REAPED', 'CANCEL_RUN'],
      calls: ['CALL_CHUNK', 'CALL_CANCEL'],
      connection: ['PING'],
    };
    expect(Object.values(about).flat().sort()).toEqual([...WireMethod.options].sort());
    const families = new Set(apiMethodNames.map((name) => name.split('.')[0]));
    const expected = ['artifacts', 'events', 'history', 'interactions', 'knowledge', 'models', 'platform', 'prompt'];
    expect([...families].sort()).toEqual([...expected, 'runs', 'state', 'steering', 'storage', 'tools']);
    const document = readFileSync(path.join(root, 'docs/runner-wire.md'), 'utf8');
    expect(WireMethod.options.filter((method) => !document.includes(method))).toEqual([]);
  });

  test('knows no local agent, and of pipelines only that one is an entry (RP-1.4)', () => {
    const wire = /^packages\/(?:protocol\/src\/(?:runner|api|wire)|transport|runner-sdk)\//;
    expect(sources.filter((file) => wire.test(file.path)).length).toBeGreaterThan(40);
    expect(lines(wire, /local[-_ ]?agent/i)).toEqual([]);
    const named = ["'pipeline_adapter'", "that exist for the runs of a pipeline's query only"];
    expect(lines(wire, /pipeline/i, named)).toEqual([]);
  });

  test('leaves the configuration of a pipeline as it is, whatever that becomes (RP-1.4)', () => {
    const config = { ai: { runner: { id: 'a/b/c', later: [1] }, novel: { x: 1 } }, safety: { level: 'new' } };
    const { pipeline_config } = PipelineQuery.parse({ query_id: 1, pipeline_config: config });
    expect(pipeline_config).toEqual({ ...config, ai: { ...config.ai, runner_config: {} } });
  });
});

describe('the host', () => {
  test('has no state that only a local agent uses: five open scopes, in which no key is its own (CX-8.3)', () => {
    expect(Object.keys(AgentRunState.shape)).toEqual(StateScope.options);
    const anything = { 'whatever.a.runner': { likes: [1, null] } };
    const state = Object.fromEntries(StateScope.options.map((scope) => [scope, anything]));
    expect(AgentRunState.parse(state)).toEqual(state);
    const ours = sources.filter(({ path: file }) => /^packages\/(?:host|kernel)$/.test(packageOf(file) ?? ''));
    expect(ours.length).toBeGreaterThan(200);
    // Who puts the host together starts it like any other runner, and the doctor looks at it; nobody else knows of it.
    const starts =
      /^packages\/host\/src\/main\/(?:official-runners|programs|assistant|commands\/doctor\/model-looks)\.ts: /;
    const named = lines(/^packages\/(?:host|kernel|protocol)\//, /local[-_ ]?agent/i);
    expect(named.filter((line) => !starts.test(line))).toEqual([]);
  });
});
