import { createHash } from 'node:crypto';
import { type StaticContent, staticRefs } from '@rostra/kernel/context/static-refs';
import { grantTerms, nothingOffered } from '@rostra/kernel/grant/grant-terms';
import { AgentGrants } from '@rostra/protocol/config/agent-config';
import { AgentRunnerCapabilities, AgentRunnerPermissions } from '@rostra/protocol/runner/manifest';
import { ToolResource } from '@rostra/protocol/runner/resources';
import { StaticContextRef } from '@rostra/protocol/runner/run-context';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { expect, test } from 'vitest';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function refs(config: JsonObject, tools: string[] = [], grants: object = {}) {
  const parsed = AgentGrants.parse(grants);
  const terms = grantTerms({
    manifest: {
      permissions: AgentRunnerPermissions.parse({ tools: ['call'] }),
      capabilities: AgentRunnerCapabilities.parse({}),
    },
    grants: parsed,
    steering: false,
    offers: {
      ...nothingOffered,
      tools: tools.map((tool_name) => ToolResource.parse({ tool_name, operations: ['call'] })),
    },
    identities: { bot: false, actor: true, subject: true },
  });
  const content: StaticContent = { agent_id: 'a b', runner_id: 'r', config, grants: parsed, terms };
  return staticRefs(content, sha256);
}

test('are a reference, a version and a sha256 of each static part (RP-4.37)', () => {
  const all = refs({ persona: 'guide' });
  expect(Object.keys(all)).toEqual(['system_policy', 'platform_policy', 'tool_schemas', 'resource_manifest']);
  for (const [name, ref] of Object.entries(all)) {
    expect(StaticContextRef.parse(ref)).toEqual(ref);
    expect(ref).toMatchObject({ ref: `rostra:agents/a%20b/${name}`, version: '1' });
    expect(ref.hash).toMatch(/^[0-9a-f]{64}$/);
  }
});

test('are equal for equal content, in whatever order its keys were written', () => {
  expect(refs({ a: 1, b: { c: [1, { d: 2, e: 3 }] } })).toEqual(refs({ b: { c: [1, { e: 3, d: 2 }] }, a: 1 }));
});

test('change where the content changes and nowhere else (CX-6.3)', () => {
  const before = refs({ persona: 'guide' });
  const after = refs({ persona: 'scout' });
  expect(after.system_policy).not.toEqual(before.system_policy);
  expect(after.tool_schemas).toEqual(before.tool_schemas);
  expect(after.resource_manifest).toEqual(before.resource_manifest);
  const tooled = refs({ persona: 'guide' }, ['weather']);
  expect(tooled.tool_schemas).not.toEqual(before.tool_schemas);
  expect(tooled.system_policy).toEqual(before.system_policy);
  const narrowed = refs({ persona: 'guide' }, [], { handover_to: ['scout'] });
  expect(narrowed.platform_policy).not.toEqual(before.platform_policy);
  expect(narrowed.tool_schemas).toEqual(before.tool_schemas);
});
