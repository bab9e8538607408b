import { KeyScope } from '@rostra/protocol/config/entry-config';
import { NewKey } from '@rostra/protocol/run-api/key';
import { defineCommand } from 'citty';
import { hostOptions, withHost, withHostOf } from './host-door.ts';
import { collected } from './listing.ts';
import { print, table, time } from './printing.ts';
import { UsageError } from './usage-error.ts';

const withKeys = withHostOf('`rostra keys list` shows those that there are.');

const list = defineCommand({
  meta: { description: 'All keys but the owner’s.' },
  args: hostOptions,
  run: ({ args }) =>
    withHost(args, async (client) => {
      const items = await collected(client.keys.each());
      const rows = items.map((key) => [key.id, key.name, key.userId, key.scopes.join(','), time(key.lastUsedAt)]);
      print(args.json, items, () =>
        table(['id', 'name', 'user', 'scopes', 'last used'], rows, 'There is no key but yours.'),
      );
    }),
});

const create = defineCommand({
  meta: { description: 'Makes a key and prints it, this once.' },
  args: {
    name: { type: 'positional', required: true, description: 'what it is for' },
    scopes: { type: 'string', valueHint: 'LIST', description: `some of ${KeyScope.options.join(',')} (runs)` },
    user: { type: 'string', valueHint: 'ID', description: 'who has it; keys of one user share sessions' },
    expires: { type: 'string', valueHint: 'TIME', description: 'when it ends, like 2027-01-31T00:00:00Z' },
    ...hostOptions,
  },
  run: ({ args }) =>
    withHost(args, async (client) => {
      const made = await client.keys.create({
        name: args.name,
        scopes: scopesOf(args.scopes ?? 'runs'),
        ...(args.user !== undefined && { userId: args.user }),
        ...(args.expires !== undefined && { expiresAt: endOf(args.expires) }),
      });
      if (args.json !== true) process.stderr.write(`${made.id}, ${made.scopes.join(', ')}. It is shown this once:\n`);
      print(args.json, made, () => `${made.key}\n`);
    }),
});

const revoke = defineCommand({
  meta: { description: 'From now on the key is not valid, and its open streams end.' },
  args: { id: { type: 'positional', required: true, description: 'its id, as `keys list` shows it' }, ...hostOptions },
  run: ({ args }) =>
    withKeys(args, async (client) => {
      await client.keys.revoke(args.id);
      print(args.json, { id: args.id, revoked: true }, () => `${args.id} is revoked.\n`);
    }),
});

function scopesOf(text: string): KeyScope[] {
  const scopes = KeyScope.array().safeParse(text.split(',').map((scope) => scope.trim()));
  if (scopes.success) return scopes.data;
  throw new UsageError(`--scopes is a list of ${KeyScope.options.join(', ')}, not ${JSON.stringify(text)}.`);
}

function endOf(text: string): string {
  if (NewKey.shape.expiresAt.safeParse(text).success && Date.parse(text) > Date.now()) return text;
  throw new UsageError(`--expires is a time to come, like 2027-01-31T00:00:00Z, not ${JSON.stringify(text)}.`);
}

export const keys = defineCommand({
  meta: { description: 'Keys of a host: who may use it.' },
  subCommands: { list, create, revoke },
});
