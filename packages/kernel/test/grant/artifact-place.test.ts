import { type ArtifactPlace, checkCall } from '@rostra/kernel/grant/check-call';
import { grantOf } from '@rostra/kernel/grant/grant';
import { grantTerms, nothingOffered } from '@rostra/kernel/grant/grant-terms';
import { AgentGrants } from '@rostra/protocol/config/agent-config';
import { AgentRunnerCapabilities, AgentRunnerPermissions } from '@rostra/protocol/runner/manifest';
import { ContextAPICapabilities } from '@rostra/protocol/runner/run-context';
import { describe, expect, it } from 'vitest';

function grantWith(artifacts: ('metadata' | 'read')[]) {
  const terms = grantTerms({
    manifest: {
      permissions: AgentRunnerPermissions.parse({ artifacts }),
      capabilities: AgentRunnerCapabilities.parse({}),
    },
    grants: AgentGrants.parse({}),
    steering: false,
    offers: { ...nothingOffered, apis: ContextAPICapabilities.keyof().options },
    identities: { bot: true, actor: true, subject: true },
  });
  const scope = {
    workspace_id: 'w',
    bot_id: 'b',
    conversation_id: 'c',
    thread_id: null,
    actor_id: 'a',
    subject_id: 's',
  };
  return grantOf(terms, { run_id: 'r', runner_id: 'x', agent_id: 'guide', scope, attachments: [] });
}

const grant = grantWith(['metadata', 'read']);
const here: ArtifactPlace = {
  workspace_id: 'w',
  bot_id: 'b',
  conversation_id: 'c',
  thread_id: null,
  run_id: 'other',
  agent_id: 'scout',
};
const bound = { ...here, conversation_id: null, bot_id: null, agent_id: 'guide' };
const own = { ...bound, agent_id: null, run_id: 'r' };

function code(target: ArtifactPlace | null): string | null {
  return checkCall(grant, { family: 'artifacts', operation: 'read', target })?.code ?? null;
}

describe('where an artifact may be read (CX-4.11)', () => {
  it('one of a conversation: there, whoever made it', () => {
    expect(code(here)).toBeNull();
    for (const change of [
      { workspace_id: 'x' },
      { bot_id: null },
      { conversation_id: 'd' },
      { thread_id: 't' },
      // Its own run wrote it for another conversation than the one that it is in now: then it is not its own.
      { conversation_id: 'd', run_id: 'r', agent_id: 'guide' },
    ]) {
      expect(code({ ...here, ...change })).toBe('not_found');
    }
  });

  it('one of a binding: by every run of that agent in that workspace', () => {
    expect(code(bound)).toBeNull();
    expect(code({ ...bound, agent_id: 'scout' })).toBe('not_found');
    expect(code({ ...bound, workspace_id: 'x' })).toBe('not_found');
  });

  it('one of a run: by that run', () => {
    expect(code(own)).toBeNull();
    expect(code({ ...own, run_id: 'q' })).toBe('not_found');
    expect(code({ ...own, run_id: null })).toBe('not_found');
  });

  it('one that is none: nowhere, in the same words', () => {
    const words = (target: ArtifactPlace | null) =>
      checkCall(grant, { family: 'artifacts', operation: 'read', target });
    expect(words(null)).toEqual(words({ ...here, conversation_id: 'd' }));
  });

  it('uploads are for runs that work with artifacts, or with storage', () => {
    const write = { family: 'artifacts', operation: 'write' } as const;
    expect(checkCall(grantWith(['read']), write)).toBeNull();
    expect(checkCall(grantWith([]), write)).toMatchObject({ code: 'unauthorized' });
    expect(checkCall(grant, { family: 'storage', area: null })).toMatchObject({ code: 'unauthorized' });
  });
});
