import { usualDelivery } from '@rostra/kernel/context/run-context';
import { type GrantTerms, grantOf } from '@rostra/kernel/grant/grant';
import { ContextPart, OwnContext, wholeContext } from '@rostra/protocol/runner/context-part';
import { AgentRunContext } from '@rostra/protocol/runner/run-context';
import { JsonObject } from '@rostra/protocol/wire/json';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AgentTexts, agentTexts, type ContextText, contextText } from '../../src/orchestrator/context-text.ts';

const objects = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JsonObject.parse(structuredClone(value)));

/** A context with something in every field, and what all runs of its agent are told alike. */
function toldOf(
  [data, config, state, metadata]: readonly [JsonObject, JsonObject, JsonObject, JsonObject],
  text: string,
) {
  const context = AgentRunContext.parse({
    run_id: 'r1',
    trigger: { type: 'message.received', source: 'api', timestamp: 1 },
    event: { event_id: 'e1', event_type: 'message.received', source: 'api', data },
    conversation: { conversation_id: 'c1', workspace_id: 'w' },
    actor: { actor_type: 'user', actor_id: text },
    subject: { subject_type: 'message', subject_id: 's1', data },
    input: { text },
    delivery: { surface: 'api', platform_capabilities: metadata },
    resources: {
      tools: [{ tool_name: text, tool_type: 'host', owner: 'host', parameters: data, operations: ['call'] }],
    },
    context: {
      conversation_id: 'c1',
      thread_id: 't1',
      latest_cursor: 'l',
      event_seq: 3,
      transcript_seq: 2,
      has_history_before: true,
      inline_policy: { mode: 'current_event', delivered_count: 1 },
      available_apis: { state: true },
    },
    state: { conversation: state },
    runtime: {
      host: 'rostra',
      langbot_version: '1',
      trace_id: 't',
      deadline_at: 1.5,
      locale: text,
      timezone: 'UTC',
      static_refs: { policy: { ref: text, version: '1', hash: 'h' } },
      metadata,
    },
    config,
    bootstrap: { messages: [data], summary: text },
    adapter: metadata,
    metadata,
  });
  const terms: GrantTerms = {
    resources: context.resources,
    apis: context.context.available_apis,
    state_scopes: [],
    artifacts: ['read'],
    interactions: [],
    files: [],
    platform_api: [],
    client_tools: [],
    handover_to: null,
  };
  return { context, terms, texts: agentTexts(terms, { config, static_refs: context.runtime.static_refs }) };
}

/** What a runner makes of both, whether it reads them by their schema or takes them as they are written. */
function putTogether(text: ContextText, { part }: AgentTexts): unknown {
  const kept = ContextPart.parse(JSON.parse(part));
  const own = JSON.parse(text.besidePart());
  const whole = wholeContext(kept, OwnContext.parse(own));
  expect(parsed(wholeContext(kept, own))).toEqual(parsed(whole));
  return parsed(whole);
}

const parsed = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('a context as text is the context as it is, and its own part lacks what many runs are told alike', () => {
  fc.assert(
    fc.property(fc.tuple(objects, objects, objects, objects), fc.string(), (parts, text) => {
      const { context, texts } = toldOf(parts, text);
      const { whole, own } = contextText(context, texts);
      expect(whole()).not.toContain('\n');
      expect(JSON.parse(whole())).toEqual(parsed(context));
      const {
        run_id: _id,
        resources: _resources,
        config: _config,
        delivery: _delivery,
        state: _state,
        ...rest
      } = context;
      const { available_apis: _apis, ...access } = context.context;
      const { static_refs: _refs, ...runtime } = context.runtime;
      expect(JSON.parse(own)).toEqual(parsed({ ...rest, context: access, runtime }));
    }),
  );
});

test('a run whose event brought files is told its own resources', () => {
  const { context, terms, texts } = toldOf([{}, {}, {}, {}], 'hello');
  const scope = {
    workspace_id: 'w',
    bot_id: null,
    conversation_id: 'c1',
    thread_id: null,
    actor_id: null,
    subject_id: null,
  };
  const file = { artifact_id: 'a1', name: 'a.txt', mime_type: 'text/plain', size_bytes: 1, sha256: '0'.repeat(64) };
  const attachments = AgentRunContext.shape.input.parse({ attachments: [file] }).attachments;
  const { resources } = grantOf(terms, { run_id: 'r1', runner_id: 'x', agent_id: 'y', scope, attachments });
  const text = contextText({ ...context, resources }, texts);
  expect(JSON.parse(text.whole())).toEqual(parsed({ ...context, resources }));
  expect(putTogether(text, texts)).toEqual(parsed({ ...context, resources }));
  expect(resources.artifacts).toHaveLength(1);
});

test('a context that is told in two parts is, put together, the context that is told whole (RP-4.41)', () => {
  fc.assert(
    fc.property(
      fc.tuple(objects, objects, objects, objects),
      fc.string(),
      fc.boolean(),
      fc.boolean(),
      (parts, words, isUsual, isOwn) => {
        const { context: told, texts } = toldOf(parts, words);
        const context = {
          ...told,
          ...(isUsual ? { delivery: usualDelivery } : {}),
          ...(isOwn ? { resources: { ...told.resources, tools: [] } } : {}),
        };
        const text = contextText(context, texts);
        expect(putTogether(text, texts)).toEqual(JSON.parse(text.whole()));
        expect(text.besidePart()).not.toContain('\n');
        expect(text.besidePart().includes('"delivery":{"surface"')).toBe(!isUsual);
      },
    ),
  );
});
