import { z } from 'zod';
import { SessionSettings } from '../session/roster.ts';
import { limits, timeouts } from '../wire/limits.ts';
import { AgentConfig, IsolationLevel, ProcessSharing } from './agent-config.ts';
import { PriceTable } from './budget-config.ts';
import { AccessKey, BindingConfig, ScheduleConfig, WebhookConfig } from './entry-config.ts';
import { JwtConfig } from './jwt-config.ts';
import { ModelConfig, ModelId } from './model-config.ts';
import { KnowledgeConfig, ToolsConfig } from './tool-config.ts';

const text = z.string().min(1).max(4096);
const id = z.string().min(1).max(limits.agent_id_chars);
const milliseconds = z.number().int().positive();
const days = z.number().positive().max(36_500).nullable();

/** What every runner that the host starts itself may be told. */
const started = {
  name: text.optional().describe('Its name in logs and commands; taken from the folder or package unless told.'),
  isolation: IsolationLevel.optional().describe('How much of the machine its processes may see.'),
  processes: ProcessSharing.optional().describe(
    'Which runs share a process: all (`shared`), those of one session, or none (`run`).',
  ),
  env: z
    .record(z.string(), text.meta({ secret: true }))
    .default({})
    .describe('Variables that its processes get beside the few that every runner has.'),
  enabled: z.boolean().default(true).describe('`false` leaves it out without removing the entry.'),
};

/** How a runner package is found and started: a folder, an npm package by name, a plain command, or one that dials in. */
export const RunnerSource = z.union([
  text.describe('A folder (it begins with `.`, `/` or `~`) or the name of an installed npm package.'),
  z.strictObject({ path: text.describe('A folder with a runner.'), ...started }),
  z.strictObject({ package: text.describe('The name of an installed npm package.'), ...started }),
  z.strictObject({
    command: z.array(text).min(1).max(64).describe('A program and its arguments, started as they stand.'),
    ...started,
    name: text.describe('Its name in logs and commands.'),
    cwd: text.optional().describe('The folder that the command starts in.'),
  }),
  z.strictObject({
    remote: text.describe('The name of a runner that dials in over a websocket.'),
    token: text.describe('What it shows to be let in.').meta({ secret: true }),
    enabled: started.enabled,
  }),
]);
export type RunnerSource = z.infer<typeof RunnerSource>;

const server = z.strictObject({
  host: text
    .default('127.0.0.1')
    .describe('Address to bind. One that other machines reach needs `auth.api_key`, `auth.keys` or `auth.jwt`.'),
  port: z
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(8787)
    .describe('Port; 0 takes any free one. Unless it is given, the next free one from the default on will do.'),
  public_url: z
    .url()
    .nullable()
    .default(null)
    .describe('Where browsers find the host, when that is not where it listens.'),
  hosts: z.array(text).default([]).describe('Further host names to answer to, without ports.'),
  origins: z.array(text).default([]).describe('Web origins whose pages may call, like `https://app.example`.'),
});

const data = z.strictObject({
  folder: text.default('.rostra').describe('Where the data lies; from the folder of this file unless absolute.'),
  durability: z
    .enum(['class', 'flush'])
    .default('class')
    .describe('`flush`: even text chunks wait for the disk; `class`: inputs, ends and facts do.'),
});

const auth = z.strictObject({
  api_key: text
    .nullable()
    .default(null)
    .describe(
      'The owner’s key: 16 to 512 visible ASCII characters. Unless given, it is made at the first start, in `owner.key`.',
    )
    .meta({ secret: true }),
  keys: z
    .array(AccessKey)
    .max(limits.access_keys)
    .default([])
    .describe('Further keys, each for a few things only. The owner’s key may be used for everything.'),
  jwt: JwtConfig.nullable().default(null).describe('Users of another system, by its tokens.'),
});

const deadlines = SessionSettings.shape.timeouts.shape;
const sessionTimeouts = z.strictObject({
  ack: deadlines.ack.default(timeouts.ack).describe('Until an agent has taken an input.'),
  cancel: deadlines.cancel.default(timeouts.cancel).describe('Until an agent has obeyed a cancel; then it is stopped.'),
  idle: deadlines.idle.default(timeouts.idle).describe('Until a turn without any output counts as dead.'),
  turn: deadlines.turn.default(timeouts.turn).describe('The whole of a turn.'),
  add: deadlines.add.default(timeouts.add).describe('Until an agent has joined.'),
  remove: deadlines.remove.default(timeouts.remove).describe('Until an agent has left.'),
  open: deadlines.open.default(timeouts.open).describe('Until a session is open.'),
  close: deadlines.close.default(timeouts.close).describe('Until a session is closed.'),
  handover: deadlines.handover.default(timeouts.handover).describe('A handover, from the request to the new agent.'),
  queue: deadlines.queue.default(timeouts.queue).describe('How long an input waits for its turn.'),
  interaction: deadlines.interaction.default(timeouts.interaction).describe('How long a question waits for an answer.'),
  interaction_max: deadlines.interaction_max
    .default(timeouts.interaction_max)
    .describe('The longest wait that a question may ask for.'),
});

const session = z.strictObject({
  agents: z
    .array(id)
    .max(limits.roster)
    .nullable()
    .default(null)
    .describe('The default roster, in order. `null`: every agent of the host, those of this file first.'),
  active: id.nullable().default(null).describe('Who answers first. `null`: the first of the roster.'),
  auto_invite: z.boolean().default(false).describe('Whether a mention invites an agent that is not in the session.'),
  timeouts: sessionTimeouts.prefault({}).describe('Deadlines of new sessions, in milliseconds.'),
  idle: milliseconds.default(5 * 60_000).describe('Milliseconds that a session stays in memory after it came to rest.'),
});

const bounds = z.strictObject({
  runs_per_process: z
    .number()
    .int()
    .min(1)
    .max(1024)
    .default(limits.runner_runs)
    .describe('Runs in one runner process at the same time; more wait.'),
  sessions_in_memory: z
    .number()
    .int()
    .min(1)
    .default(10_000)
    .describe('Sessions in memory; those that rested longest leave first.'),
  artifact_bytes: z
    .number()
    .int()
    .min(1)
    .default(20 * 1024 * 1024)
    .describe('The largest artifact.'),
});

const retention = z.strictObject({
  sessions: days.default(null).describe('Sessions that nobody used for so long are deleted.'),
  audit: days.default(90).describe('Audit rows.'),
  artifacts: days.default(null).describe('Artifacts that no session refers to.'),
});

const log = z.strictObject({
  level: z.enum(['debug', 'info', 'warn', 'error']).default('info').describe('What is logged.'),
  format: z.enum(['auto', 'pretty', 'json']).default('auto').describe('`auto`: pretty on a terminal, JSON otherwise.'),
  file: text.nullable().default(null).describe('Where the log goes; standard output unless given.'),
});

/** `rostra.yaml`. Every key has a default; an unknown one is refused by whoever reads the file. */
export const HostConfig = z.strictObject({
  server: server.prefault({}).describe('Where the host listens. A change needs a restart.'),
  data: data.prefault({}).describe('What is kept, and how safely. A change needs a restart.'),
  auth: auth.prefault({}).describe('Who may use it. A change needs a restart.'),
  runners: z
    .array(RunnerSource)
    .default([])
    .describe('Where runners are found. Each one that no agent names becomes an agent of its own name.'),
  agents: z.record(id, AgentConfig).default({}).describe('Agents by their ids.'),
  models: z
    .record(ModelId, ModelConfig)
    .default({})
    .describe('Models by their ids. What variables like `ANTHROPIC_API_KEY` bring is there without being named.'),
  tools: ToolsConfig.prefault({}).describe('Tools that agents may call.'),
  knowledge: KnowledgeConfig.prefault({}).describe('How documents are searched. The documents come by API and CLI.'),
  detect: z
    .boolean()
    .default(true)
    .describe('Whether a model is looked for in the environment and on this machine, for the agent `assistant`.'),
  prices: PriceTable.default({}).describe(
    'What models cost, by their names; `*` is any other. A model without a price costs an unknown amount.',
  ),
  session: session.prefault({}).describe('What a new session begins with.'),
  bindings: z
    .array(BindingConfig)
    .max(limits.bindings)
    .default([])
    .describe('Which agent answers which events. An event must match exactly one.'),
  schedules: z
    .array(ScheduleConfig)
    .max(limits.schedules)
    .default([])
    .describe('Events that the clock brings: `schedule.triggered`, by nobody but the host.'),
  webhooks: z
    .array(WebhookConfig)
    .max(limits.webhooks)
    .default([])
    .describe('Events that other systems deliver, signed, to `POST /api/v1/hooks/{id}`.'),
  limits: bounds.prefault({}).describe('How much at once.'),
  retention: retention.prefault({}).describe('How long things are kept, in days; `null` keeps them for ever.'),
  log: log.prefault({}).describe('What the host says about itself.'),
  demo: z.boolean().default(true).describe('Whether the demo agents `guide` and `scout` are there. They need no key.'),
});
export type HostConfig = z.infer<typeof HostConfig>;
