import { ModelMessage } from '@rostra/protocol/api/models';
import { AgentBootstrap, AgentGrants } from '@rostra/protocol/config/agent-config';
import type { EventAccepted } from '@rostra/protocol/run-api/event-submission';
import type { PipelineQuery } from '@rostra/protocol/run-api/pipeline-query';
import { messageReceived } from '@rostra/protocol/session/event-name';
import { AgentPolicy } from '@rostra/protocol/session/roster';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { isJsonObject, type JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { type AgentBinding, bindAgent } from '../discovery/agent-catalog.ts';
import type { EntryEvent } from './entry-event.ts';
import { pipelineInput } from './pipeline-input.ts';
import { messageIdOf, nameOf, readQuery } from './pipeline-query.ts';
import { SecretFilter, secretsIn } from './secret-filter.ts';

export interface PipelineAdapterOptions {
  /** The one way in: a query has no other (RP-11.7). */
  run(event: EntryEvent, binding: AgentBinding): Promise<EventAccepted>;
  /** What the host itself keeps secret. */
  secrets?(): readonly string[];
  /** Hears what a pipeline's configuration keeps secret, so that no log shows it. */
  conceal?(...secrets: string[]): void;
}

const roundsKeys: readonly string[] = ['max-round', 'max_round'];
/** A round is what a person says and what is answered. */
const ITEMS_PER_ROUND = 2;

/** A message pipeline as an entry: each of its queries becomes an event and a binding that lasts for its run. */
export class PipelineAdapter {
  readonly #options: PipelineAdapterOptions;

  constructor(options: PipelineAdapterOptions) {
    this.#options = options;
  }

  queryToEvent(given: unknown): EntryEvent {
    const query = readQuery(given);
    const filter = new SecretFilter([...(this.#options.secrets?.() ?? []), ...secretsOf(query)]);
    const { input, files } = pipelineInput(query);
    const { message_event } = query;
    const source_platform_object = message_event?.source_platform_object ?? null;
    const raw = source_platform_object === null ? null : JSON.stringify(filter.json(source_platform_object));
    return {
      envelope: {
        event: {
          event_id: eventIdOf(query),
          event_type: messageReceived,
          event_time: secondsOf(query),
          source: 'pipeline_adapter',
          source_event_type: message_event?.type ?? null,
          raw_ref: null,
          data: filter.object(toldOf(query)),
        },
        conversation: {
          conversation_id: query.session?.using_conversation?.uuid ?? null,
          thread_id: null,
          launcher_type: query.launcher_type,
          launcher_id: nameOf(query.launcher_id),
          bot_id: query.bot_uuid,
          workspace_id: null,
        },
        actor: actorOf(query),
        subject: subjectOf(query),
        input,
        delivery: deliveryOf(query),
      },
      trigger_source: 'pipeline_adapter',
      adapter: adapterOf(query, filter),
      raw: raw === null ? null : { name: 'platform.json', mime_type: 'application/json', bytes: Buffer.from(raw) },
      files,
    };
  }

  /** The agent that a pipeline's configuration describes. `max-round` shapes its bootstrap and goes no further. */
  pipelineConfigToBinding(given: unknown, runner_id: string): AgentBinding {
    const query = readQuery(given);
    this.#options.conceal?.(...secretsOf(query));
    const { config, rounds } = runnerConfig(query, runner_id);
    const prompt = promptOf(query, config);
    return bindAgent({
      agent_id: `pipeline:${query.pipeline_uuid ?? 'default'}`.slice(0, limits.agent_id_chars),
      runner_id,
      config,
      policy: AgentPolicy.parse({}),
      grants: AgentGrants.parse({
        models: query.use_llm_model_uuid === null ? undefined : [query.use_llm_model_uuid],
        tools: query.use_funcs?.map(({ name }) => name),
        knowledge_bases: knowledgeOf(config),
      }),
      bootstrap: AgentBootstrap.parse(
        rounds === null ? {} : { mode: 'recent_tail', max_events: rounds * ITEMS_PER_ROUND },
      ),
      ...(prompt.length > 0 && { prompt }),
      source: 'pipeline',
    });
  }

  async runFromQuery(given: unknown): Promise<EventAccepted> {
    const runner_id = runnerOf(readQuery(given));
    return this.#options.run(this.queryToEvent(given), this.pipelineConfigToBinding(given, runner_id));
  }
}

/** What the platform said of the message, without what has a place of its own in the event. */
function toldOf({ message_event }: PipelineQuery): JsonObject {
  if (message_event === null) return {};
  const { source_platform_object: _raw, message_chain: _input, sender: _actor, ...told } = message_event;
  return told;
}

function secondsOf({ message_event }: PipelineQuery): number | null {
  const time = message_event?.time ?? null;
  return time === null ? null : Math.floor(time);
}

function secretsOf({ pipeline_config, variables }: PipelineQuery): string[] {
  return [...secretsIn(pipeline_config), ...secretsIn(variables)];
}

/** Messages are named within their chat only, and a pipeline counts its queries anew at every start. */
function eventIdOf(query: PipelineQuery): string {
  const { bot_uuid, launcher_type, launcher_id, query_id, message_event } = query;
  const message = messageIdOf(query) ?? `query-${query_id}-${message_event?.time ?? ''}`;
  const id = [bot_uuid ?? '', launcher_type ?? '', launcher_id ?? '', message].join(':');
  return id.slice(-limits.event_id_chars);
}

function actorOf({ message_event, sender_id }: PipelineQuery) {
  const sender = message_event?.sender ?? null;
  const actor_name = sender?.nickname ?? sender?.member_name ?? null;
  return { actor_type: 'user', actor_id: nameOf(sender?.id ?? sender_id), actor_name, metadata: {} };
}

function subjectOf(query: PipelineQuery) {
  const { query_id, launcher_type, bot_uuid, pipeline_uuid } = query;
  const launcher_id = nameOf(query.launcher_id);
  const sender_id = nameOf(query.sender_id);
  return {
    subject_type: 'message',
    subject_id: messageIdOf(query) ?? String(query_id),
    data: { launcher_type, launcher_id, sender_id, bot_uuid, pipeline_uuid },
  };
}

function deliveryOf(query: PipelineQuery) {
  const { launcher_type } = query;
  const launcher_id = nameOf(query.launcher_id);
  return {
    surface: 'platform',
    reply_target: { message_id: messageIdOf(query), launcher_type, launcher_id },
    supports_streaming: true,
    supports_edit: false,
    supports_reaction: false,
    max_message_size: null,
    platform_capabilities: {},
  };
}

/** Fields that only a query has (RP-11.6). Its prompt and its earlier messages are not among them: they are pulled. */
function adapterOf(query: PipelineQuery, filter: SecretFilter): JsonObject {
  const { pipeline_uuid, bot_uuid, launcher_type, current_stage_name } = query;
  const sender_id = nameOf(query.sender_id);
  const launcher_id = nameOf(query.launcher_id);
  // A leading underscore marks what stages tell each other.
  const open = Object.entries(query.variables).filter(([name]) => !name.startsWith('_'));
  const params = filter.object(Object.fromEntries(open));
  return {
    query_id: String(query.query_id),
    pipeline_uuid,
    params,
    extra: { bot_uuid, sender_id, launcher_type, launcher_id, current_stage_name },
  };
}

function runnerOf({ pipeline_config: { ai } }: PipelineQuery): string {
  const named = ai.runner.id ?? ai.runner.runner;
  if (typeof named === 'string' && named !== '') return named;
  throw new ApiError('invalid_argument', 'the pipeline names no runner', {
    details: { hint: 'Choose a runner in the pipeline’s AI settings.' },
  });
}

/** The configuration under the runner's id, or, as older pipelines have it, under the runner's name. */
function runnerConfig({ pipeline_config: { ai } }: PipelineQuery, runner_id: string) {
  const older = ai[typeof ai.runner.runner === 'string' ? ai.runner.runner : runner_id];
  const found = ai.runner_config[runner_id] ?? (isJsonObject(older) ? older : {});
  const config = Object.fromEntries(Object.entries(found).filter(([name]) => !roundsKeys.includes(name)));
  const asked = found['max-round'] ?? found.max_round ?? ai['max-round'];
  const rounds = typeof asked === 'number' && Number.isInteger(asked) && asked > 0 ? asked : null;
  return { config, rounds };
}

/** What the pipeline's stages made of the prompt, or what its configuration says. */
function promptOf({ prompt }: PipelineQuery, config: JsonObject): ModelMessage[] {
  const given = prompt?.messages ?? (Array.isArray(config.prompt) ? config.prompt : []);
  return given.flatMap((each) => ModelMessage.safeParse(each).data ?? []);
}

function knowledgeOf(config: JsonObject): string[] | undefined {
  const named = config['knowledge-bases'];
  const one = config['knowledge-base'];
  if (Array.isArray(named)) return named.filter((each) => typeof each === 'string');
  return typeof one === 'string' && one !== '' ? [one] : undefined;
}
