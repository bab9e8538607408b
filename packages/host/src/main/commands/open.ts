import { spawn } from 'node:child_process';
import { defineCommand } from 'citty';
import { hostOptions, withHost } from './host-door.ts';
import { print } from './printing.ts';

export const open = defineCommand({
  meta: { description: 'Opens the host in your browser: prints a link that logs it in, once, within 15 minutes.' },
  args: { print: { type: 'boolean', description: 'only prints the link' }, ...hostOptions },
  run: ({ args }) =>
    withHost(args, async (client) => {
      const link = await client.keys.loginLink();
      print(args.json, link, () => `${link.url}\n`);
      if (args.print !== true && args.json !== true && process.stdout.isTTY) await show(link.url);
    }),
});

/** Whoever has no browser here has the link. */
function show(url: string): Promise<void> {
  const programs: Readonly<Record<string, readonly [string, ...string[]]>> = {
    darwin: ['open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  };
  const [program, ...before] = programs[process.platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(program, [...before, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve());
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
  });
}
