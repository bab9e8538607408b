import { z } from 'zod';
import { JsonObject } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';
import { AgentGrants } from './agent-config.ts';

const text = z.string().min(1).max(4096);
const agent = z.string().min(1).max(limits.agent_id_chars);
const word = z.string().min(1).max(limits.event_name_chars);

/** What a key may be used for. */
export const KeyScope = z.enum(['runs', 'events', 'interactions', 'admin']);
export type KeyScope = z.infer<typeof KeyScope>;

/** A key beside the owner's: whoever shows it is somebody of their own, with sessions of their own. */
export const AccessKey = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(64)
    .describe('Who has it: letters, digits, `.`, `_` and `-`. It stays when the key changes.'),
  key: text.describe('16 to 512 visible ASCII characters.').meta({ secret: true }),
  scopes: z
    .array(KeyScope)
    .min(1)
    .max(KeyScope.options.length)
    .describe('What it may be used for: start and follow runs, send events, answer questions, see how the host does.'),
  user: z
    .string()
    .min(1)
    .max(limits.user_id_chars)
    .optional()
    .describe('Who has it; keys of one user share sessions. Left out: somebody of its own, `key:` and its name.'),
  streams: z.number().int().min(1).max(limits.sse_streams).optional().describe('Streams at a time; 20 unless given.'),
  runs_per_minute: z.number().int().min(1).max(100_000).optional().describe('Runs a minute; 60 unless given.'),
});
export type AccessKey = z.infer<typeof AccessKey>;

/** Which session an event enters: that of its conversation, one of its own, or a certain one. */
export const SessionChoice = z.union([z.enum(['conversation', 'event']), z.guid()]);
export type SessionChoice = z.infer<typeof SessionChoice>;

const session = SessionChoice.describe(
  'The session that its events enter: one for each source, bot, conversation and thread, one for each event, or the one with this id (a UUID).',
);
const grants = AgentGrants.prefault({}).describe(
  'What its runs may touch, within what the agent may. A list that is left out grants what the agent’s does.',
);
const id = z.string().min(1).max(64).describe('Its name: letters, digits, `.`, `_` and `-`.');

/** Which events an agent answers, and how. */
export const BindingConfig = z.strictObject({
  id,
  agent: agent.describe('The agent that answers.'),
  events: z
    .array(z.string().min(1).max(limits.event_type_chars))
    .min(1)
    .max(64)
    .describe('Types of events: whole names, or a beginning and a star like `message.*`.'),
  source: word.optional().describe('Only events of this source.'),
  bot: word.optional().describe('Only events of this bot.'),
  session: session.default('conversation'),
  grants,
});
export type BindingConfig = z.infer<typeof BindingConfig>;

/** Who answers what a schedule or a webhook brings: an agent, or everything that a binding says. */
const answers = {
  agent: agent.optional().describe('The agent that answers. This or `binding`.'),
  binding: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('The binding that says who answers, and how. This or `agent`.'),
  session: session.optional(),
  grants: AgentGrants.optional().describe('What its runs may touch, within what the agent may; with `agent` only.'),
};

export const ScheduleConfig = z.strictObject({
  id,
  cron: z
    .string()
    .min(1)
    .max(256)
    .describe('When: minute, hour, day of the month, month, day of the week; a sixth field before them is the second.'),
  timezone: z
    .string()
    .min(1)
    .max(64)
    .default('UTC')
    .describe('The clock that the times are read from, like `Europe/Berlin`.'),
  ...answers,
  data: JsonObject.default({}).describe('What the agent gets as the data of the event.'),
});
export type ScheduleConfig = z.infer<typeof ScheduleConfig>;

export const WebhookConfig = z.strictObject({
  id,
  secret: text.describe('What deliveries are signed with: 16 characters at least.').meta({ secret: true }),
  event: z
    .string()
    .min(1)
    .max(limits.event_type_chars)
    .default('webhook.received')
    .describe('The type of the events that it brings. It may not be `message.received`: nobody said anything.'),
  ...answers,
});
export type WebhookConfig = z.infer<typeof WebhookConfig>;
