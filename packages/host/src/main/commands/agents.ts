import { defineCommand } from 'citty';
import { hostOptions, withHost, withHostOf } from './host-door.ts';
import { facts, print, short, table } from './printing.ts';

const withAgents = withHostOf('`rostra agents list` shows those that there are.');

const list = defineCommand({
  meta: { description: 'Agents that you may use.' },
  args: hostOptions,
  run: ({ args }) =>
    withHost(args, async (client) => {
      const { items } = await client.agents.list();
      const rows = items.map(({ id, name, description, isDefault }) => {
        return [isDefault ? `${id} *` : id, name, short(description ?? '', 60)];
      });
      const words = () =>
        `${table(['agent', 'name', 'description'], rows, 'There is no agent.')}* answers by default\n`;
      print(args.json, items, words);
    }),
});

const show = defineCommand({
  meta: { description: 'One agent as it is described.' },
  args: { agent: { type: 'positional', required: true, description: 'its id' }, ...hostOptions },
  run: ({ args }) =>
    withAgents(args, async (client) => {
      const agent = await client.agents.get(args.agent);
      print(args.json, agent, () => {
        const head = facts([
          ['agent', agent.id],
          ['name', agent.name],
          ['description', agent.description],
          ['runner', `${agent.runnerId}${agent.runnerIsThere ? '' : ' (not there)'}`],
          ['source', agent.source],
        ]);
        return `${head}\n${JSON.stringify(agent.config, null, 2)}\n`;
      });
    }),
});

export const agents = defineCommand({
  meta: { description: 'Who can answer on a host.' },
  subCommands: { list, show },
});
