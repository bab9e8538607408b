import { z } from 'zod';
import { ActionPolicy } from './agent-config.ts';

const text = z.string().min(1).max(4096);
const secret = text.meta({ secret: true });

/** The first part of the names of its tools, `files` of `files__read`. */
export const ToolServerId = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, 'has 1 to 32 of a-z, 0-9 and -');
export type ToolServerId = z.infer<typeof ToolServerId>;

const served = {
  enabled: z.boolean().default(true).describe('`false` leaves it out without removing the entry.'),
  policy: ActionPolicy.default('ask').describe(
    'What is done when an agent calls a tool of it, unless told for the tool.',
  ),
  tools: z
    .record(z.string().min(1).max(256), ActionPolicy)
    .default({})
    .describe('The same for single tools, by the names that the server gives them.'),
  keeps_state: z
    .boolean()
    .default(false)
    .describe('Whether it remembers its caller: then every run has a connection of its own.'),
  approval: z
    .enum(['first_use', 'by_hand'])
    .default('first_use')
    .describe('Whether its tools are approved as they are first seen, or by `rostra tools approve`.'),
  roots: z
    .array(text)
    .max(32)
    .default([])
    .describe('Folders that it is told of; unless there are any, it may not ask.'),
  elicitation: z.boolean().default(false).describe('Whether it may put questions to a person, by way of the inbox.'),
  sampling: text.optional().describe('The model that it may use; unless told, it may use none.'),
  timeout: z.number().int().min(1000).max(600_000).default(60_000).describe('Milliseconds that a call may take.'),
};

/** A server of the Model Context Protocol: a program, or an address. */
export const ToolServerConfig = z.union([
  z.strictObject({
    command: z.array(text).min(1).max(64).describe('A program and its arguments, started as they stand.'),
    cwd: text.optional().describe('The folder that it starts in.'),
    env: z
      .record(z.string(), secret)
      .default({})
      .describe('Variables that it gets beside the few that every program has.'),
    ...served,
  }),
  z.strictObject({
    url: z.url({ protocol: /^https?$/ }).describe('Its address, by Streamable HTTP.'),
    headers: z.record(z.string().max(128), secret).default({}).describe('Further headers of every request.'),
    ...served,
  }),
]);
export type ToolServerConfig = z.infer<typeof ToolServerConfig>;

/** Tools that the host has or reaches. */
export const ToolsConfig = z.strictObject({
  servers: z.record(ToolServerId, ToolServerConfig).default({}).describe('Servers of the Model Context Protocol.'),
  time: ActionPolicy.default('allow').describe('The tool `time`.'),
  fetch: ActionPolicy.default('ask').describe(
    'The tool `fetch`: reads a public web page, never an address of this network.',
  ),
});
export type ToolsConfig = z.infer<typeof ToolsConfig>;

/** How documents are made findable. */
export const KnowledgeConfig = z.strictObject({
  embedding: text
    .nullable()
    .default(null)
    .describe('The model that gives vectors; without one, words alone are searched.'),
  rerank: text
    .nullable()
    .default(null)
    .describe('The model that ranks what was found; without one, the search itself does.'),
});
export type KnowledgeConfig = z.infer<typeof KnowledgeConfig>;
