import { bootstrapPlan } from '@rostra/kernel/context/bootstrap-plan';
import { envelopeOf, type RunTrigger } from '@rostra/kernel/context/event-envelope';
import { buildRunContext, emptyState, type RunContextInput } from '@rostra/kernel/context/run-context';
import { clientTools } from '@rostra/kernel/grant/client-tool';
import { type GrantScope, grantOf } from '@rostra/kernel/grant/grant';
import { grantTerms, nothingOffered } from '@rostra/kernel/grant/grant-terms';
import { AgentBootstrap, AgentGrants } from '@rostra/protocol/config/agent-config';
import {
  AgentRunnerCapabilities,
  AgentRunnerContextPolicy,
  AgentRunnerPermissions,
} from '@rostra/protocol/runner/manifest';
import { AgentEventEnvelope, AgentRunContext, ContextAPICapabilities } from '@rostra/protocol/runner/run-context';
import { RunResume } from '@rostra/protocol/runner/run-resume';
import type { MessageEnvelope } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { describe, expect, test } from 'vitest';
import { cursors, earlier } from './earlier.ts';

const envelope: MessageEnvelope = {
  id: 'run:r1/0',
  session_id: 'session-1',
  sender: { kind: 'session', id: 'session-1' },
  target: 'AGENT',
  target_id: 'guide',
  turn_id: 'turn-1',
  trace_id: 'trace-1',
  run_id: 'turn-1.1',
  visibility: 'both',
  ts: 1_700_000_000_500,
  seq: 7,
  epoch: 2,
};

const input = { text: 'hello', contents: [], attachments: [], message_chain: null };
const asked = MessageFactory.userInput(
  { input, client_message_id: 'm-1', data: { client_messages: ['x'] } },
  { ...envelope, requested_by: 'owner' },
);
const handedOver = MessageFactory.control(
  'HANDOVER_CONTEXT',
  { from_agent_id: 'guide', reason: 'maps', summary: '', output: 'so far' },
  { ...envelope, target_id: 'scout' },
);

const terms = grantTerms({
  manifest: { permissions: AgentRunnerPermissions.parse({}), capabilities: AgentRunnerCapabilities.parse({}) },
  grants: AgentGrants.parse({}),
  steering: false,
  offers: nothingOffered,
  identities: { bot: false, actor: true, subject: true },
});
const scope: GrantScope = {
  workspace_id: 'default',
  bot_id: null,
  conversation_id: 'session-1',
  thread_id: null,
  actor_id: 'owner',
  subject_id: 'm-1',
};
const runner_id = 'plugin:rostra/demo/default';
const grant = grantOf(terms, { run_id: 'turn-1.1', runner_id, agent_id: 'guide', scope, attachments: [] });
const current = { mode: 'current_event' as const, max_items: 20, max_bytes: 1000, reason: null };
const tail = { ...current, mode: 'recent_tail' as const };
const agent = { config: { persona: 'guide' }, bootstrap: current, static_refs: {} };

function contextFor(event: AgentEventEnvelope, change: Partial<RunContextInput> = {}): AgentRunContext {
  return buildRunContext({
    envelope: event,
    turn_id: 'turn-1',
    trace_id: 'trace-1',
    event_seq: 7,
    grant,
    agent,
    deadline_at: 1_700_001_800_500,
    recent: null,
    state: emptyState,
    resume: null,
    locale: null,
    timezone: null,
    ...change,
  });
}

function contextOf(trigger: RunTrigger, change: Partial<RunContextInput> = {}): AgentRunContext {
  return contextFor(envelopeOf(trigger, 'turn-1'), change);
}

const joined = AgentEventEnvelope.parse({
  event: { event_id: 'e1', event_type: 'group.member_joined', source: 'telegram', source_event_type: 'new_member' },
  actor: { actor_type: 'user', actor_id: 'new' },
  subject: { subject_type: 'group', subject_id: 'g1', data: { title: 'Rostra', size: 12 } },
  delivery: { surface: 'telegram', reply_target: { chat: 5 } },
});

describe.each([
  ['a message', envelopeOf(asked, 'turn-1')],
  ['a handover', envelopeOf(handedOver, 'turn-1')],
  ['an event that is no message', joined],
])('the context of %s', (_name, event) => {
  const context = contextFor(event);

  test('is complete: parsing it adds nothing', () => {
    expect(AgentRunContext.parse(context)).toEqual(context);
  });

  test('grants nothing, offers no API and inlines the current event only (CX-2.1)', () => {
    expect(context.resources).toEqual({
      models: [],
      tools: [],
      knowledge_bases: [],
      artifacts: [],
      storage: { plugin_storage: false, workspace_storage: false, binding_storage: false },
      history: {},
      platform_capabilities: {},
    });
    expect(Object.values(context.context.available_apis)).toEqual(Array(14).fill(false));
    expect(context.context.inline_policy).toMatchObject({ mode: 'current_event', delivered_count: 1 });
    expect(context).toMatchObject({ bootstrap: null, adapter: null, metadata: {} });
    expect(context).not.toHaveProperty('messages');
  });

  test('shows the very object that the gate decides by', () => {
    expect(context.resources).toBe(grant.resources);
    expect(context.context.available_apis).toBe(grant.apis);
  });

  test('names the host, the deadline in seconds and the key of the session', () => {
    expect(context.runtime).toMatchObject({
      host: 'rostra',
      langbot_version: null,
      trace_id: 'trace-1',
      deadline_at: 1_700_001_800.5,
      metadata: { session_key: 'default/-/guide/plugin%3Arostra%2Fdemo%2Fdefault/session-1/-' },
    });
  });

  test('has the configuration of the agent and nothing else of its binding (RP-2.4)', () => {
    expect(context.config).toEqual({ persona: 'guide' });
  });
});

test('counts the keys of its state that were left out, and says nothing when there are none (RP-4.40)', () => {
  const { runtime } = contextOf(asked, { state_omitted: { conversation: 2 } });
  expect(runtime.metadata.state_omitted).toEqual({ conversation: 2 });
  expect(contextOf(asked, { state_omitted: {} }).runtime.metadata).not.toHaveProperty('state_omitted');
});

test('has the tools of its client in words, and no word where there are none (RA-3.2)', () => {
  const tools = clientTools([{ name: 'paint', description: 'Paints', parameters: { type: 'object' } }], ['call']);
  const run = { run_id: 'turn-1.1', runner_id, agent_id: 'guide', scope, attachments: [], tools };
  const { runtime } = contextOf(asked, { grant: grantOf(terms, run) });
  expect(runtime.metadata.tools_prompt).toBe(
    '- paint: Paints\n  - args_schema: {"type":"object"}\n\nNote: tool arguments must strictly match args_schema.',
  );
  expect(contextOf(asked).runtime.metadata).not.toHaveProperty('tools_prompt');
});

test('says how an answer is delivered', () => {
  const { delivery } = contextOf(asked);
  expect(delivery).toMatchObject({ surface: 'api', supports_streaming: true, supports_edit: false });
  expect(contextFor(joined).delivery).toMatchObject({ surface: 'telegram', reply_target: { chat: 5 } });
});

test('a message: its sender acts, the message is the subject, its input is the input', () => {
  const context = contextOf(asked);
  expect(context.trigger).toEqual({ type: 'message.received', source: 'api', timestamp: 1_700_000_000 });
  expect(context.event).toEqual({
    event_id: 'turn-1',
    event_type: 'message.received',
    event_time: 1_700_000_000,
    source: 'api',
    source_event_type: null,
    raw_ref: null,
    data: { client_messages: ['x'] },
  });
  expect(context.actor).toEqual({ actor_type: 'user', actor_id: 'owner', actor_name: null, metadata: {} });
  expect(context.subject).toEqual({ subject_type: 'message', subject_id: 'm-1', data: {} });
  expect(context.conversation).toMatchObject({
    conversation_id: 'session-1',
    workspace_id: 'default',
    thread_id: null,
  });
  expect(context.input).toEqual(input);
});

test('a message whose sender is not known has no actor', () => {
  const { requested_by: _nobody, ...anonymous } = asked;
  expect(contextOf(anonymous).actor).toBeNull();
  expect(contextOf({ ...asked, sender: { kind: 'user', id: 'u1' } }).actor?.actor_id).toBe('u1');
});

test('a handover: the words of the other agent are data, and the input is its summary or reason', () => {
  const context = contextOf(handedOver);
  expect(context.trigger).toMatchObject({ type: 'session.handover', source: 'system' });
  expect(context.event).toMatchObject({
    event_type: 'session.handover',
    data: { from_agent_id: 'guide', reason: 'maps', summary: '', output: 'so far' },
  });
  expect(context.actor).toMatchObject({ actor_type: 'agent', actor_id: 'guide' });
  expect(context.input.text).toBe('maps');
  const summed = { ...handedOver, payload: { ...handedOver.payload, summary: 'the user wants maps' } };
  expect(contextOf(summed).input.text).toBe('the user wants maps');
});

test('an event that is no message keeps its subject’s data and becomes nobody’s words (check 54)', () => {
  const context = contextFor(joined);
  expect(context.subject).toEqual(joined.subject);
  expect(context.input).toEqual({ text: null, contents: [], attachments: [], message_chain: null });
  expect(context.trigger).toMatchObject({ type: 'group.member_joined', source: 'platform' });
  expect(context.event.source_event_type).toBe('new_member');
});

test('the entry of an event is the source of the trigger, and what only a pipeline has stands in `adapter`', () => {
  const said = AgentEventEnvelope.parse({
    event: { event_id: 'e1', event_type: 'message.received', source: 'telegram' },
    input,
  });
  const query = contextFor(said, { entry: { source: 'pipeline_adapter', adapter: { query_id: '7' } } });
  expect(query.trigger).toMatchObject({ type: 'message.received', source: 'pipeline_adapter' });
  expect(query.event.source).toBe('telegram');
  expect(query.adapter).toEqual({ query_id: '7' });
  expect(contextFor(said).adapter).toBeNull();
});

test('the client’s locale and timezone stand before those of the host, within their length', () => {
  const saying = (forwarded_props: Record<string, string>) => {
    return { ...asked, payload: { ...asked.payload, data: { forwarded_props } } };
  };
  const host = { locale: 'en_US', timezone: 'UTC' };
  expect(contextOf(asked, host).runtime).toMatchObject(host);
  expect(contextOf(saying({ locale: 'zh_Hans', timezone: 'Asia/Shanghai' }), host).runtime).toMatchObject({
    locale: 'zh_Hans',
    timezone: 'Asia/Shanghai',
  });
  expect(contextOf(saying({ locale: 'x'.repeat(65) }), host).runtime.locale).toBe('en_US');
});

describe('the handles to the conversation', () => {
  test('say where its log and its transcript end, and whether there is something before this turn', () => {
    const recent = { rows: [earlier(3, 'hi'), earlier(6, 'hello', { turn_id: 'turn-1' })], has_more: false };
    const { context } = contextOf(asked, { recent, cursors });
    expect(context).toMatchObject({
      conversation_id: 'session-1',
      event_seq: 7,
      transcript_seq: 6,
      has_history_before: true,
    });
    expect(context.latest_cursor).toBe(cursors.seal(6));
    expect(contextOf(asked, { recent }).context.latest_cursor).toBeNull();
  });

  test('of a first turn have nothing before it', () => {
    const recent = { rows: [earlier(6, 'hello', { turn_id: 'turn-1' })], has_more: false };
    expect(contextOf(asked, { recent }).context.has_history_before).toBe(false);
    expect(contextOf(asked, { recent: { ...recent, has_more: true } }).context.has_history_before).toBe(true);
  });

  test('inline nothing of it unless it is planned (checks 52, 53)', () => {
    const recent = { rows: [earlier(3, 'hi')], has_more: false };
    expect(contextOf(asked, { recent }).bootstrap).toBeNull();
    const context = contextOf(asked, { recent, agent: { ...agent, bootstrap: tail } });
    expect(context.bootstrap?.messages).toEqual([{ role: 'user', content: 'hi' }]);
    expect(context.context.inline_policy).toMatchObject({ mode: 'recent_tail', delivered_count: 1 });
    expect(AgentRunContext.parse(context)).toEqual(context);
  });
});

test('a further attempt is told what was said, and not where the host keeps it', () => {
  const resume = { attempt: 2, said: 'half', message_id: 'm1', channel: 'text' as const, next_chunk: 4 };
  const context = contextOf(asked, { resume });
  expect(context.metadata).toEqual({ resume: { attempt: 2, said: 'half' } });
  const interaction_answer = { interaction_id: 'i1', action_id: 'yes', values: {} };
  const answered = contextOf(asked, { resume: { ...resume, interaction_answer } });
  expect(RunResume.parse(answered.metadata.resume)).toEqual({ attempt: 2, said: 'half', interaction_answer });
});

describe('one host', () => {
  const recent = { rows: [earlier(3, 'hi')], has_more: false };
  const needs = (context: object, permissions: object): AgentRunContext => {
    const policy = AgentRunnerContextPolicy.parse(context);
    const served = grantTerms({
      manifest: {
        permissions: AgentRunnerPermissions.parse(permissions),
        capabilities: AgentRunnerCapabilities.parse({}),
      },
      grants: AgentGrants.parse({ state_scopes: [] }),
      steering: false,
      offers: { ...nothingOffered, apis: ContextAPICapabilities.keyof().options },
      identities: { bot: false, actor: true, subject: true },
    });
    const bootstrap = bootstrapPlan(policy, AgentBootstrap.parse({ mode: 'recent_tail' }));
    const run = { run_id: 'turn-1.1', runner_id, agent_id: 'guide', scope, attachments: [] };
    return contextOf(asked, { grant: grantOf(served, run), agent: { ...agent, bootstrap }, recent });
  };

  test('serves whoever leans on it, whoever manages itself and whoever needs only the event, each as it asks (CX-1.2)', () => {
    const leaning = needs({ ownership: 'host_bootstrap', bootstrap: 'recent_tail' }, { history: ['page', 'search'] });
    const managing = needs({ ownership: 'self_managed', bootstrap: 'recent_tail' }, { history: ['page'] });
    const simple = needs({ bootstrap: 'none' }, {});
    const told = [leaning, managing, simple].map(({ bootstrap, context }) => [
      bootstrap?.messages.length ?? null,
      context.available_apis.history_page,
      context.available_apis.history_search,
    ]);
    expect(told).toEqual([
      [1, true, true],
      [null, true, false],
      [null, false, false],
    ]);
    for (const context of [leaning, managing, simple]) {
      expect(context.input.text).toBe('hello');
      expect(context.runtime.metadata.session_key).toBe(leaning.runtime.metadata.session_key);
    }
  });
});
