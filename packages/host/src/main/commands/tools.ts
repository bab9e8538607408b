import type { ToolServerItem } from '@rostra/protocol/run-api/tool-api';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { defineCommand } from 'citty';
import { hostOptions, withHost, withHostOf } from './host-door.ts';
import { print, short, shown, table } from './printing.ts';
import { headersOf, variablesOf } from './secret-input.ts';
import { UsageError } from './usage-error.ts';

const withServers = withHostOf('`rostra tools servers` shows those that there are.');
const server = { type: 'positional', required: true, description: 'its id' } as const;

const list = defineCommand({
  meta: { description: 'Every tool of the host and of its servers.' },
  args: hostOptions,
  run: ({ args }) =>
    withHost(args, async (client) => {
      const { items } = await client.tools.list();
      const rows = items.map(({ name, source, policy, state, description }) => {
        return [name, source, policy, state, short(description, 60)];
      });
      print(args.json, items, () =>
        table(['tool', 'source', 'policy', 'state', 'description'], rows, 'There is no tool.'),
      );
    }),
});

const servers = defineCommand({
  meta: { description: 'Servers that tools come from, and how they are.' },
  args: hostOptions,
  run: ({ args }) =>
    withHost(args, async (client) => {
      const { items } = await client.tools.servers();
      print(args.json, items, () => {
        const rows = items.map(({ id, source, transport, state, tools }) => {
          return [id, source, transport, state, toolsText(tools)];
        });
        const empty = 'There is no tool server. `rostra tools add --help` says how to add one.';
        return (
          table(['server', 'source', 'transport', 'state', 'tools'], rows, empty) + items.map(problemText).join('')
        );
      });
    }),
});

const add = defineCommand({
  meta: {
    description:
      'Adds a server of the Model Context Protocol: rostra tools add ID URL, or rostra tools add ID -- COMMAND…',
  },
  args: {
    server,
    address: { type: 'positional', required: false, description: 'its URL, by Streamable HTTP' },
    headers: { type: 'string', valueHint: 'LIST', description: 'headers for it, like Authorization=VARIABLE,…' },
    env: { type: 'string', valueHint: 'LIST', description: 'variables of here that the command gets, like TOKEN,…' },
    policy: { type: 'string', valueHint: 'WORD', description: 'allow, ask or deny, when an agent calls a tool (ask)' },
    approval: { type: 'string', valueHint: 'WORD', description: 'first_use or by_hand (first_use)' },
    'keeps-state': { type: 'boolean', description: 'gives every run a connection of its own' },
    ...hostOptions,
  },
  run: ({ args, rawArgs }) =>
    withHost(args, async (client) => {
      const dashes = rawArgs.indexOf('--');
      const place = dashes === -1 ? { url: args.address } : { command: rawArgs.slice(dashes + 1) };
      // What stands behind the dashes fills no other place.
      if ('command' in place && args._.length - place.command.length !== 1) {
        throw new UsageError('A command has an id before it, and no address.', 'Write rostra tools add ID -- COMMAND…');
      }
      const made = await client.tools.createServer({ id: args.server, config: described(args, place) });
      print(args.json, made, () => `${made.id} is there. \`rostra tools servers\` says how it is.\n`);
    }),
});

const approve = defineCommand({
  meta: { description: 'Approves the tools of a server as they are now.' },
  args: { server, ...hostOptions },
  run: ({ args }) =>
    withServers(args, async (client) => {
      const approved = await client.tools.approveServer(args.server);
      print(args.json, approved, () => `${approved.id}: ${toolsText(approved.tools)}\n`);
    }),
});

const remove = defineCommand({
  meta: { description: 'Removes a server that was added, and what was kept secret for it.' },
  args: { server, ...hostOptions },
  run: ({ args }) =>
    withServers(args, async (client) => {
      await client.tools.deleteServer(args.server);
      print(args.json, { id: args.server, removed: true }, () => `${args.server} is removed.\n`);
    }),
});

interface AddArgs {
  readonly headers?: string | undefined;
  readonly env?: string | undefined;
  readonly policy?: string | undefined;
  readonly approval?: string | undefined;
  readonly 'keeps-state'?: boolean | undefined;
}

type Place = { readonly url: string | undefined } | { readonly command: string[] };

function described(args: AddArgs, place: Place): JsonObject {
  const given = 'command' in place ? place.command[0] : place.url;
  if (given === undefined) {
    throw new UsageError('A server is an address or a command.', 'Give its URL, or -- and the command.');
  }
  const headers = headersOf(args.headers);
  const env = variablesOf(args.env);
  return {
    ...('command' in place ? place : { url: given }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(args.policy !== undefined && { policy: args.policy }),
    ...(args.approval !== undefined && { approval: args.approval }),
    ...(args['keeps-state'] === true && { keeps_state: true }),
  };
}

function toolsText(tools: ToolServerItem['tools']): string {
  const waiting = tools.filter(({ state }) => state !== 'approved').map(({ name }) => name);
  const names = waiting.slice(0, 5).join(', ') + (waiting.length > 5 ? ', …' : '');
  return waiting.length === 0 ? `${tools.length}` : `${tools.length}, to be approved: ${names}`;
}

function problemText({ id, problem, tools }: ToolServerItem): string {
  const told = problem === null ? '' : `${id}: ${shown(problem.message)}\n`;
  const changed = tools.some(({ state }) => state === 'changed');
  const hint =
    problem?.hint ?? (changed ? `Look at \`rostra tools list\`, then \`rostra tools approve ${id}\`.` : null);
  return `${told}${hint === null ? '' : `→ ${shown(hint)}\n`}`;
}

export const tools = defineCommand({
  meta: { description: 'Tools of a host: what its agents can do.' },
  subCommands: { list, servers, add, approve, remove },
});
