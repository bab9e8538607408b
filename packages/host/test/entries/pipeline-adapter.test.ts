import { bootstrapPlan } from '@rostra/kernel/context/bootstrap-plan';
import { entryOf, envelopeOf } from '@rostra/kernel/context/event-envelope';
import { buildRunContext, emptyState } from '@rostra/kernel/context/run-context';
import { grantOf } from '@rostra/kernel/grant/grant';
import { grantTerms, nothingOffered } from '@rostra/kernel/grant/grant-terms';
import { AgentBootstrap, AgentGrants } from '@rostra/protocol/config/agent-config';
import { BindingConfig } from '@rostra/protocol/config/entry-config';
import {
  AgentRunnerCapabilities,
  AgentRunnerContextPolicy,
  AgentRunnerPermissions,
} from '@rostra/protocol/runner/manifest';
import { AgentEventEnvelope, type AgentRunContext } from '@rostra/protocol/runner/run-context';
import { describe, expect, test } from 'vitest';
import type { AgentBinding } from '../../src/discovery/agent-catalog.ts';
import type { EntryEvent } from '../../src/entries/entry-event.ts';
import { PipelineAdapter } from '../../src/entries/pipeline-adapter.ts';
import { pipelineRun } from '../../src/entries/pipeline-run.ts';
import { EntryWorld, owner } from './entry-world.ts';
import { fullQuery, olderQuery } from './pipeline-vectors.ts';

const runs: { event: EntryEvent; binding: AgentBinding }[] = [];
const concealed: string[] = [];
const adapter = new PipelineAdapter({
  run: async (event, binding) => {
    runs.push({ event, binding });
    return { event_id: 'e', session_id: 's', task_id: 't', agent_id: binding.agent_id, created: '' };
  },
  secrets: () => ['canary-of-the-host'],
  conceal: (...secrets) => concealed.push(...secrets),
});
const runner_id = 'acme/agents/default';
const canaries = ['canary-config-key', 'canary-bot-token', 'canary-access-token', 'canary-password', 'canary-nested'];

/** What a run receives of this input; the grant and the clock are the same for all. */
function contextOf(input: ReturnType<EntryWorld['inputs']>[number] | undefined): AgentRunContext {
  if (input?.subtype !== 'INPUT') throw new Error('no agent was asked');
  const scope = {
    workspace_id: 'local',
    bot_id: 'bot-1',
    conversation_id: 's',
    thread_id: null,
    actor_id: '1234',
    subject_id: 'msg-5',
  };
  const terms = grantTerms({
    manifest: {
      permissions: AgentRunnerPermissions.parse({}),
      capabilities: AgentRunnerCapabilities.parse({}),
    },
    grants: AgentGrants.parse({}),
    steering: false,
    offers: nothingOffered,
    identities: { bot: true, actor: true, subject: true },
  });
  return buildRunContext({
    envelope: envelopeOf(input, 'turn'),
    turn_id: 'turn',
    trace_id: 'trace',
    event_seq: 1,
    grant: grantOf(terms, { run_id: 'turn.1', runner_id, agent_id: 'guide', scope, attachments: [] }),
    agent: {
      config: {},
      bootstrap: bootstrapPlan(AgentRunnerContextPolicy.parse({}), AgentBootstrap.parse({})),
      static_refs: {},
    },
    deadline_at: 0,
    recent: null,
    state: emptyState,
    resume: null,
    locale: null,
    timezone: null,
    entry: entryOf(input),
  });
}

describe('the event of a query (RP-11.2)', () => {
  const event = adapter.queryToEvent(fullQuery);

  test('has every field in its place', () => {
    expect(event.envelope).toEqual({
      event: {
        event_id: 'bot-1:group:7788:msg-5',
        event_type: 'message.received',
        event_time: 1_700_000_000,
        source: 'pipeline_adapter',
        source_event_type: 'GroupMessage',
        raw_ref: null,
        data: { type: 'GroupMessage', time: 1_700_000_000.9, group: { name: 'Club' }, bot_token: '[redacted]' },
      },
      conversation: {
        conversation_id: 'conv-3',
        thread_id: null,
        launcher_type: 'group',
        launcher_id: '7788',
        bot_id: 'bot-1',
        workspace_id: null,
      },
      actor: { actor_type: 'user', actor_id: '1234', actor_name: 'Ada', metadata: {} },
      subject: {
        subject_type: 'message',
        subject_id: 'msg-5',
        data: {
          launcher_type: 'group',
          launcher_id: '7788',
          sender_id: '1234',
          bot_uuid: 'bot-1',
          pipeline_uuid: 'pipe-1',
        },
      },
      input: {
        text: 'hello there',
        contents: [
          { type: 'text', text: 'hello ' },
          { type: 'text', text: 'there' },
          { type: 'image', url: 'https://cdn.example/1.png' },
        ],
        attachments: [],
        message_chain: {
          components: [
            { type: 'Source', id: 'msg-5', time: 1_700_000_000 },
            { type: 'Plain', text: 'hello' },
            { type: 'Image', url: 'https://cdn.example/1.png', base64: expect.stringMatching(/^\[\d+ bytes\]$/) },
          ],
        },
      },
      delivery: {
        surface: 'platform',
        reply_target: { message_id: 'msg-5', launcher_type: 'group', launcher_id: '7788' },
        supports_streaming: true,
        supports_edit: false,
        supports_reaction: false,
        max_message_size: null,
        platform_capabilities: {},
      },
    });
    expect(AgentEventEnvelope.safeParse(event.envelope).success).toBe(true);
    expect(event.trigger_source).toBe('pipeline_adapter');
  });

  test('keeps bytes as files and the platform’s own object as raw payload', () => {
    expect(
      event.files.map(({ name, mime_type, bytes }) => [name, mime_type, Buffer.from(bytes).toString('hex')]),
    ).toEqual([
      ['image', 'image/jpeg', 'ffd8ffe00010'],
      ['hi.txt', 'application/octet-stream', Buffer.from('hi').toString('hex')],
    ]);
    expect(JSON.parse(Buffer.from(event.raw?.bytes ?? []).toString())).toEqual({
      update_id: 9,
      access_token: '[redacted]',
    });
  });

  test('puts what only a query has into `adapter`, and nothing else there (RP-11.6)', () => {
    expect(event.adapter).toEqual({
      query_id: '41',
      pipeline_uuid: 'pipe-1',
      params: {
        session_name: 'group_7788',
        note: 'the key is [redacted], keep it',
        user_password: '[redacted]',
        nested: { apiKey: '[redacted]', count: 3 },
      },
      extra: {
        bot_uuid: 'bot-1',
        sender_id: '1234',
        launcher_type: 'group',
        launcher_id: '7788',
        current_stage_name: 'MessageProcessor',
      },
    });
  });

  test('has no secret of variables or configuration anywhere (check 42, case 79)', () => {
    const told = JSON.stringify([event, Buffer.from(event.raw?.bytes ?? []).toString()]);
    for (const canary of canaries) expect(told).not.toContain(canary);
  });

  test('pushes neither the prompt nor earlier messages (check 53)', () => {
    const told = JSON.stringify(event);
    expect(told).not.toContain('canary-prompt');
    expect(told).not.toContain('canary-earlier-message');
  });

  test('of a query that has only what it must is whole, too', () => {
    const { envelope, adapter: extra, raw, files } = adapter.queryToEvent({ query_id: 3 });
    expect(envelope).toMatchObject({
      event: { event_id: ':::query-3-', event_time: null, source_event_type: null, data: {} },
      actor: { actor_id: null, actor_name: null },
      subject: { subject_id: '3' },
      input: { text: null, contents: [], message_chain: null },
      delivery: { reply_target: { message_id: null } },
    });
    expect(extra).toMatchObject({ query_id: '3', pipeline_uuid: null, params: {} });
    expect({ raw, files }).toEqual({ raw: null, files: [] });
    expect(() => adapter.queryToEvent({})).toThrow('no query at "query_id"');
  });

  test('takes the words from the chain where nobody has taken the message apart', () => {
    const { envelope, files } = adapter.queryToEvent(olderQuery);
    expect(envelope.input).toMatchObject({ text: 'hi', contents: [{ type: 'text', text: 'hi' }] });
    expect(envelope.actor).toMatchObject({ actor_id: 'u1', actor_name: 'Bob' });
    expect(envelope.subject).toMatchObject({ subject_id: '1' });
    expect(files).toMatchObject([{ name: 'audio', mime_type: 'audio/mpeg' }]);
  });
});

describe('the binding of a query (RP-11.3)', () => {
  const binding = adapter.pipelineConfigToBinding(fullQuery, runner_id);

  test('is an agent of that runner with the runner’s configuration and what the query may use', () => {
    expect(binding).toMatchObject({
      agent_id: 'pipeline:pipe-1',
      runner_id,
      config: { model: { primary: 'm1' }, 'api-key': 'sk-canary-config-key', max_tokens: 100 },
      grants: { models: ['m1'], tools: ['search'], knowledge_bases: ['kb1', 'kb2'], history_scope: 'conversation' },
      prompt: [{ role: 'system', content: 'canary-prompt: be kind' }],
      source: 'pipeline',
    });
    expect(concealed).toContain('sk-canary-config-key');
  });

  test('turns max-round into a bootstrap and nothing else (RP-4.35, RP-11.5, CX-2.16)', () => {
    expect(binding.bootstrap).toEqual({ mode: 'recent_tail', max_events: 8, max_bytes: 0 });
    expect(JSON.stringify(binding)).not.toContain('round');
    const asking = AgentRunnerContextPolicy.parse({ ownership: 'host_bootstrap', bootstrap: 'recent_tail' });
    expect(bootstrapPlan(asking, binding.bootstrap)).toMatchObject({ mode: 'recent_tail', max_items: 8 });
    expect(bootstrapPlan(AgentRunnerContextPolicy.parse({}), binding.bootstrap).mode).toBe('current_event');
  });

  test.each([0, -1, 1.5, '4', null])('takes no bootstrap from a max-round of %j', (rounds) => {
    const query = { ...fullQuery, pipeline_config: { ai: { 'max-round': rounds } } };
    expect(adapter.pipelineConfigToBinding(query, runner_id).bootstrap.mode).toBe('current_event');
  });

  test('reads an older configuration, by the runner’s name (RP-11.4)', () => {
    const older = adapter.pipelineConfigToBinding(olderQuery, 'local-agent');
    expect(older).toMatchObject({ agent_id: 'pipeline:default', config: { model: 'm0' } });
    expect(older.bootstrap).toMatchObject({ mode: 'recent_tail', max_events: 4 });
    expect(older.config).not.toHaveProperty('max_round');
    expect(older.grants.models).toBeUndefined();
  });
});

describe('a run from a query', () => {
  test('is the event-first run of its event and its binding: there is no second path (RP-11.7)', async () => {
    runs.length = 0;
    await adapter.runFromQuery(fullQuery);
    await adapter.runFromQuery(olderQuery);
    expect(runs).toEqual([
      { event: adapter.queryToEvent(fullQuery), binding: adapter.pipelineConfigToBinding(fullQuery, runner_id) },
      { event: adapter.queryToEvent(olderQuery), binding: adapter.pipelineConfigToBinding(olderQuery, 'local-agent') },
    ]);
  });

  test('has the context of the same event by the event gateway, and its adapter beside it (RP-12.3, CX-9.2)', async () => {
    const query = { ...fullQuery, query_id: 42, user_message: { content: 'hello' }, message_chain: null };
    const { source_platform_object: _raw, ...message_event } = fullQuery.message_event;
    const asked = { ...query, message_event };
    const viaQuery = new EntryWorld();
    const run = pipelineRun({ gateway: viaQuery.gateway, agents: viaQuery.agents, owner });
    await viaQuery.settled(new PipelineAdapter({ run }).runFromQuery(asked));
    const viaEvent = new EntryWorld([BindingConfig.parse({ id: 'all', agent: 'guide', events: ['*'] })]);
    await viaEvent.send(JSON.parse(JSON.stringify(adapter.queryToEvent(asked).envelope)));
    const [fromQuery, fromEvent] = [viaQuery, viaEvent].map((world) => contextOf(world.inputs()[0]));
    expect(fromQuery?.adapter).toMatchObject({ query_id: '42', pipeline_uuid: 'pipe-1' });
    expect(fromQuery?.bootstrap).toBeNull();
    expect(fromQuery?.input.text).toBe('hello');
    expect({ ...fromQuery, adapter: null, trigger: fromEvent?.trigger }).toEqual(fromEvent);
    expect(fromQuery?.trigger).toEqual({ ...fromEvent?.trigger, source: 'pipeline_adapter' });
  });

  test('without a runner is refused', async () => {
    await expect(adapter.runFromQuery({ query_id: 1 })).rejects.toThrow('names no runner');
  });

  test('has what its own query grants, whatever a later query of the same pipeline brings', async () => {
    const world = new EntryWorld();
    const run = pipelineRun({ gateway: world.gateway, agents: world.agents, owner });
    const pipeline = new PipelineAdapter({ run });
    const asks = (query_id: number, tool: string) => {
      const query = { ...fullQuery, query_id, message_chain: null, use_funcs: [{ name: tool }] };
      return world.settled(pipeline.runFromQuery(query));
    };
    const first = await asks(1, 'weather');
    const second = await asks(2, 'wipe_disk');
    expect(second.session_id).toBe(first.session_id);
    const [input] = world.inputs();
    const bound = world.agents.find('pipeline:pipe-1', input?.payload.event?.binding_id);
    expect([input?.turn_id, bound?.grants.tools]).toEqual([first.task_id, ['weather']]);
  });

  test('enters a session like any event, with its files as artifacts and no secret in the log', async () => {
    const world = new EntryWorld();
    const run = pipelineRun({ gateway: world.gateway, agents: world.agents, owner });
    const pipeline = new PipelineAdapter({ run });
    const accepted = await world.settled(pipeline.runFromQuery(fullQuery));
    const [input] = world.inputs();
    expect(input).toMatchObject({ target_id: 'pipeline:pipe-1', requested_by: 'pipeline', turn_id: accepted.task_id });
    expect(input?.payload.event).toMatchObject({ trigger_source: 'pipeline_adapter', adapter: { query_id: '41' } });
    expect(input?.payload.input.attachments).toHaveLength(2);
    expect(world.agents.find('pipeline:pipe-1')?.runner_id).toBe(runner_id);
    for (const canary of canaries) expect(JSON.stringify(input)).not.toContain(canary);
    expect(await world.settled(pipeline.runFromQuery(fullQuery))).toEqual(accepted);
    const forged = { ...fullQuery, message_event: { sender: { id: 'owner' } } };
    await expect(world.settled(pipeline.runFromQuery(forged))).rejects.toThrow('only the host speaks of');
  });
});
