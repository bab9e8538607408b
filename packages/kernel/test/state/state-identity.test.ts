import { type GrantScope, grantOf } from '@rostra/kernel/grant/grant';
import { grantTerms, nothingOffered } from '@rostra/kernel/grant/grant-terms';
import { stateIdentity } from '@rostra/kernel/state/state-identity';
import { AgentGrants, StateScope } from '@rostra/protocol/config/agent-config';
import { AgentRunnerCapabilities, AgentRunnerPermissions } from '@rostra/protocol/runner/manifest';
import { expect, it } from 'vitest';

function grant(own: Partial<GrantScope> = {}, who: { runner_id?: string; agent_id?: string } = {}) {
  const scope = {
    workspace_id: 'w',
    bot_id: 'b',
    conversation_id: 'c',
    thread_id: null,
    actor_id: 'a',
    subject_id: 's',
  };
  const terms = grantTerms({
    manifest: { permissions: AgentRunnerPermissions.parse({}), capabilities: AgentRunnerCapabilities.parse({}) },
    grants: AgentGrants.parse({}),
    steering: false,
    offers: { ...nothingOffered, apis: ['state'] },
    identities: { bot: true, actor: true, subject: true },
  });
  const run = { run_id: 'r', runner_id: 'runner', agent_id: 'guide', attachments: [], ...who };
  return grantOf(terms, { ...run, scope: { ...scope, ...own } });
}

it('whose state a run means follows from its grant, scope by scope', () => {
  const place = { workspace_id: 'w', runner_id: 'runner', agent_id: 'guide', bot_id: 'b' };
  const of = (scope: StateScope) => stateIdentity(grant(), scope);
  expect(of('conversation')).toEqual({ ...place, scope: 'conversation', scope_id: '["c",null]', session_id: 'c' });
  expect(of('actor')).toEqual({ ...place, scope: 'actor', scope_id: 'a', session_id: null });
  expect(of('subject')).toEqual({ ...place, scope: 'subject', scope_id: 's', session_id: null });
  expect(of('runner')).toEqual({ ...place, scope: 'runner', scope_id: null, session_id: null });
  expect(of('binding')).toEqual({ ...place, scope: 'binding', scope_id: null, session_id: null });
});

it('a missing identity makes its scope unavailable', () => {
  expect(stateIdentity(grant({ actor_id: null }), 'actor')).toBeNull();
  expect(stateIdentity(grant({ subject_id: null }), 'subject')).toBeNull();
});

it('another workspace, bot, agent or runner is another owner in every scope; a thread that is none is not one (check 45)', () => {
  const others = [
    grant({ workspace_id: 'x' }),
    grant({ bot_id: null }),
    grant({}, { agent_id: 'scout' }),
    grant({}, { runner_id: 'other' }),
  ];
  for (const scope of StateScope.options) {
    for (const other of others) expect(stateIdentity(other, scope)).not.toEqual(stateIdentity(grant(), scope));
  }
  const threads = [grant(), grant({ thread_id: 'null' }), grant({ thread_id: '' })];
  const ids = threads.map((each) => stateIdentity(each, 'conversation')?.scope_id);
  expect(new Set(ids).size).toBe(3);
});
