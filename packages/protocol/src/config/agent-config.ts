import { z } from 'zod';
import { AgentPolicy } from '../session/roster.ts';
import { JsonObject } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';
import { AgentLimits, AgentPrompt } from './budget-config.ts';

/** How much of the machine a runner's process may see. */
export const IsolationLevel = z.enum(['trusted', 'confined', 'strict']);
export type IsolationLevel = z.infer<typeof IsolationLevel>;

/** Which runs share a process: all of a workspace, those of one session, none. */
export const ProcessSharing = z.enum(['shared', 'session', 'run']);
export type ProcessSharing = z.infer<typeof ProcessSharing>;

/** What a state policy may open: each scope needs the identity it is named after. */
export const StateScope = z.enum(['conversation', 'actor', 'subject', 'runner', 'binding']);
export type StateScope = z.infer<typeof StateScope>;

const names = z.array(z.string()).optional();

/**
 * What the host decides about an agent beyond what its session sees: one side of every grant. A list that is left out
 * grants what the runner's manifest asks for; an empty list grants nothing.
 */
export const AgentGrants = z.strictObject({
  models: names.describe('Models that it may call.'),
  tools: names.describe('Tools that it may call.'),
  knowledge_bases: names.describe('Knowledge bases that it may search.'),
  history: z
    .array(z.enum(['page', 'search']))
    .optional()
    .describe('How it may read what was said.'),
  events: z
    .array(z.enum(['get', 'page']))
    .optional()
    .describe('How it may read events.'),
  artifacts: z
    .array(z.enum(['metadata', 'read']))
    .optional()
    .describe('How it may read artifacts.'),
  storage: z
    .array(z.enum(['plugin', 'workspace', 'binding']))
    .optional()
    .describe('Storage that it may use.'),
  interactions: names.describe('Kinds of questions that it may put to a person.'),
  files: names.describe('Files that it may read.'),
  platform_api: names.describe('Actions of the platform that it may request.'),
  state_scopes: z
    .array(StateScope)
    .default([...StateScope.options])
    .describe('State that it may read and write.'),
  history_scope: z
    .enum(['conversation', 'actor', 'bot', 'workspace'])
    .default('conversation')
    .describe('How far back into other conversations it may look.'),
  handover_to: names.describe('Agents that it may hand over to; everybody in the roster unless told.'),
});
export type AgentGrants = z.infer<typeof AgentGrants>;

/** What is done when an agent requests an action of the platform. */
export const ActionPolicy = z.enum(['allow', 'ask', 'deny']);
export type ActionPolicy = z.infer<typeof ActionPolicy>;

const count = z.number().int().nonnegative();

/** Whether earlier messages are inlined for runners that do not pull them; off unless manifest and agent ask for it. */
export const AgentBootstrap = z.strictObject({
  mode: z
    .enum(['none', 'current_event', 'recent_tail', 'summary_tail'])
    .default('current_event')
    .describe('What is inlined.'),
  max_events: count.default(0).describe('At most this many earlier events.'),
  max_bytes: count.default(0).describe('At most this many bytes of them.'),
});
export type AgentBootstrap = z.infer<typeof AgentBootstrap>;

/** An agent as a person describes it, in the file or at run time. */
export const AgentConfig = z.strictObject({
  runner: z.string().min(1).max(256).describe('Id of its runner, as its manifest gives it.'),
  config: JsonObject.default({}).describe(
    'What the runner gets as its configuration; its manifest says what it takes.',
  ),
  label: z.string().max(200).optional().describe('Its name for people.'),
  // Whether a run can be resumed is the runner's to say, so it is no policy of a person.
  policy: z
    .strictObject({
      queue: AgentPolicy.shape.queue.describe(
        'An input while it answers waits, is refused, or replaces the one before.',
      ),
      interruptible: AgentPolicy.shape.interruptible.describe('Whether people may interrupt it.'),
      steering: AgentPolicy.shape.steering.describe('Whether it takes further inputs into the turn that it is at.'),
      disconnect_grace: z
        .number()
        .int()
        .nonnegative()
        .max(limits.disconnect_grace_max)
        .optional()
        .describe(
          'Milliseconds that a run goes on when the client that started it as a stream has gone and nobody else follows it; 15 seconds unless told.',
        ),
      limits: AgentLimits.prefault({}).describe('How much it may use before a person is asked.'),
      actions: z
        .record(z.string().min(1).max(128), ActionPolicy)
        .default({})
        .describe('Actions of the platform by name: performed, put before a person, or denied; denied unless told.'),
      tools: z
        .record(z.string().min(1).max(256), ActionPolicy)
        .default({})
        .describe('The same for tools by name; what the tool’s own section says unless told.'),
    })
    .prefault({})
    .describe('How its session treats inputs while it answers, and how much it may use.'),
  prompt: AgentPrompt.optional().describe(
    'What its runner gets when it asks for the prompt; how it is used is the runner’s affair.',
  ),
  processes: ProcessSharing.optional().describe(
    'Which of its runs share a process; the runner’s own word unless told.',
  ),
  packages: z
    .array(z.string().min(1).max(128))
    .optional()
    .describe('Runner packages that it is bound to; any unless told.'),
  grants: AgentGrants.prefault({}).describe(
    'What it may touch. A list that is left out grants what its runner asks for; an empty one grants nothing.',
  ),
  bootstrap: AgentBootstrap.prefault({}).describe('What of the conversation is inlined at the start of a run.'),
});
export type AgentConfig = z.infer<typeof AgentConfig>;
