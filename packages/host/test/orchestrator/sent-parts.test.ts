import type { GrantTerms } from '@rostra/kernel/grant/grant';
import { AgentResources } from '@rostra/protocol/runner/resources';
import { ContextAPICapabilities } from '@rostra/protocol/runner/run-context';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { JsonText } from '@rostra/transport/json-text';
import { expect, test } from 'vitest';
import { agentTexts } from '../../src/orchestrator/context-text.ts';
import { SentParts } from '../../src/orchestrator/sent-parts.ts';

const terms: GrantTerms = {
  resources: AgentResources.parse({}),
  apis: ContextAPICapabilities.parse({}),
  state_scopes: [],
  artifacts: [],
  interactions: [],
  files: [],
  platform_api: [],
  client_tools: [],
  handover_to: null,
};

function stage() {
  const sent: { part: number; name: unknown }[] = [];
  const fault: { error?: Error } = {};
  const parts = new SentParts({
    notify(method, params) {
      if (fault.error !== undefined) throw fault.error;
      expect(method).toBe('CONTEXT_PART');
      if (!(params instanceof JsonText)) throw new Error('it is text already');
      const { part, context } = JSON.parse(params.text);
      sent.push({ part, name: context.config.name });
    },
  });
  return { parts, sent, fault };
}

const textsOf = (name: string) => agentTexts(terms, { config: { name }, static_refs: {} });

test('what runs of an agent are told alike is sent once', () => {
  const { parts, sent } = stage();
  const [guide, scout] = [textsOf('guide'), textsOf('scout')];
  expect([guide, scout, guide, scout].map((texts) => parts.placeOf(texts))).toEqual([0, 1, 0, 1]);
  expect(sent).toEqual([
    { part: 0, name: 'guide' },
    { part: 1, name: 'scout' },
  ]);
});

test('when all places are taken the first that was sent gives its own away, and is sent again', () => {
  const { parts, sent } = stage();
  const all = Array.from({ length: limits.context_parts }, (_, index) => textsOf(`${index}`));
  expect(all.map((texts) => parts.placeOf(texts))).toEqual(all.map((_, index) => index));
  const [first] = all;
  if (first === undefined) throw new Error('there are places');
  expect(parts.placeOf(textsOf('one more'))).toBe(0);
  expect(parts.placeOf(first)).toBe(1);
  expect(sent.slice(-2)).toEqual([
    { part: 0, name: 'one more' },
    { part: 1, name: '0' },
  ]);
});

test('a large part is told with every run, and so is one that could not be sent', () => {
  const { parts, sent, fault } = stage();
  expect(parts.placeOf(textsOf('x'.repeat(limits.context_part_bytes)))).toBeNull();
  const guide = textsOf('guide');
  fault.error = new ApiError('rate_limited', 'The other side does not read what is sent to it.');
  expect(parts.placeOf(guide)).toBeNull();
  fault.error = new Error('a bug');
  expect(() => parts.placeOf(guide)).toThrow('a bug');
  delete fault.error;
  expect(parts.placeOf(guide)).toBe(0);
  expect(sent).toEqual([{ part: 0, name: 'guide' }]);
});
