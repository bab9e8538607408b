import { nothingOffered } from '@rostra/kernel/grant/grant-terms';
import { AgentBootstrap } from '@rostra/protocol/config/agent-config';
import { AgentRunnerManifest } from '@rostra/protocol/runner/manifest';
import { AgentEventEnvelope, ContextAPICapabilities } from '@rostra/protocol/runner/run-context';
import { Json, JsonObject } from '@rostra/protocol/wire/json';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RunPlans } from '../../src/orchestrator/run-plan.ts';
import { agent } from './world.ts';

const manifest = AgentRunnerManifest.parse({
  id: 'plugin:acme/pack/default',
  name: 'default',
  label: {},
  capabilities: { steering: true },
  permissions: { history: ['page'], storage: ['plugin'] },
  context: { ownership: 'host_bootstrap', bootstrap: 'recent_tail' },
});
const event = AgentEventEnvelope.parse({
  event: { event_id: 'e', event_type: 'message.received', source: 'api' },
  actor: { actor_type: 'user', actor_id: 'ada' },
});
const binding = agent('guide', manifest.id, { bootstrap: AgentBootstrap.parse({ mode: 'recent_tail' }) });

function partsOf(change: Partial<AgentRunnerManifest>) {
  const offers = { ...nothingOffered, apis: ContextAPICapabilities.keyof().options };
  return new RunPlans(offers).of(binding, { ...manifest, ...change }).partsFor(event);
}

/** What might tempt somebody to decide by it. */
const names = fc.constantFrom('permissions', 'capabilities', 'context', 'trusted', 'isolation', 'state', 'config', 'x');

test('whatever its metadata says, a runner gets what it gets without it (RP-3.6)', () => {
  const plain = partsOf({});
  expect(plain.terms.apis).toMatchObject({ history_page: true, history_search: false, storage: true });
  const metadata = fc.dictionary(
    names,
    fc.jsonValue().map((value) => Json.parse(value)),
  );
  fc.assert(
    fc.property(metadata, (said) => {
      expect(partsOf({ metadata: JsonObject.parse({ ...said, permissions: { history: ['search'] } }) })).toEqual(plain);
    }),
  );
});

test('the form of a configuration fills in nothing: a run has what its agent says, and no state of a package (RP-3.5)', () => {
  const form = [
    { name: 'persona', type: 'string', default: 'another' },
    { name: 'model', type: 'string', required: true, default: 'large' },
  ];
  const { agent: parts, ...rest } = partsOf({ config_schema: form });
  expect(parts.config).toEqual({ persona: 'guide' });
  expect({ agent: parts, ...rest }).toEqual(partsOf({ config_schema: [] }));
});
