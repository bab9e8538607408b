import { defineCommand } from 'citty';
import { localeIn } from '../environment-locale.ts';
import { hostOptions, withHost } from './host-door.ts';

export const chat = defineCommand({
  meta: { description: 'Talks to agents: in a terminal, or line by line over a pipe. /commands shows what it knows.' },
  args: {
    agent: { type: 'string', valueHint: 'NAME', description: 'who is spoken to first' },
    session: { type: 'string', valueHint: 'ID', description: 'goes on with this session' },
    resume: { type: 'boolean', description: 'goes on with the latest session' },
    ...hostOptions,
  },
  run: ({ args }) =>
    withHost(args, async (client, { url }) => {
      const { Chat } = await import('./chat/chat.ts');
      const { Terminal } = await import('./chat/terminal.ts');
      const { Roster } = await import('./chat/roster.ts');
      const terminal: InstanceType<typeof Terminal> = new Terminal(process, {
        isJson: args.json === true,
        onInterrupt: () => talk.interrupt(),
      });
      const agent = args.agent === undefined ? null : (await new Roster(client, terminal).find(args.agent)).id;
      const locale = localeIn(process.env);
      const talk = new Chat({ client, terminal, url, agent, locale });
      try {
        if (args.session !== undefined || args.resume === true) await talk.resume(args.session ?? '');
        else {
          await client.keys.me();
          terminal.note(`Rostra at ${url}. /commands shows what can be typed, Ctrl-D leaves.`);
          // A script that pipes its questions in wants their answers and nothing else.
          if (terminal.isTTY && agent === null) await talk.welcome();
        }
        await talk.talk();
      } finally {
        terminal.close();
      }
      if (talk.hasFailed && !terminal.isTTY) process.exitCode = 1;
    }),
});
