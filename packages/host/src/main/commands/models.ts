import { ModelProvider } from '@rostra/protocol/config/model-config';
import type { ModelItem, ModelTrial } from '@rostra/protocol/run-api/model-api';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { defineCommand } from 'citty';
import { hostOptions, withHost, withHostOf } from './host-door.ts';
import { endProgress, print, progress, shown, table } from './printing.ts';
import { fromFile, fromVariable, headersOf } from './secret-input.ts';
import { UsageError } from './usage-error.ts';

const withModels = withHostOf('`rostra models list` shows those that there are.');
const model = { type: 'positional', required: true, description: 'its id' } as const;

const list = defineCommand({
  meta: { description: 'Models that agents may use, and whether there is a key for them.' },
  args: hostOptions,
  run: ({ args }) =>
    withHost(args, async (client) => {
      const { items } = await client.models.list();
      print(args.json, items, () => {
        const rows = items.map((item) => [item.id, item.kind, item.provider, item.source, keyText(item)]);
        const problems = items.flatMap(({ id, problem }) => (problem === null ? [] : [problemText(id, problem)]));
        const empty = 'There is no model. `rostra models add --help` says how to add one.';
        return `${table(['model', 'kind', 'provider', 'source', 'key'], rows, empty)}${problems.join('')}`;
      });
    }),
});

const add = defineCommand({
  meta: { description: 'Adds a model. PROVIDER/MODEL is enough where the id says both; keys are kept encrypted.' },
  args: {
    model: { ...model, description: `its id, like anthropic/MODEL; providers: ${ModelProvider.options.join(', ')}` },
    provider: { type: 'string', valueHint: 'NAME', description: 'whose interface it speaks (from the id)' },
    name: { type: 'string', valueHint: 'MODEL', description: 'its name there (from the id)' },
    kind: { type: 'string', valueHint: 'KIND', description: 'chat, embedding or rerank (chat)' },
    'base-url': { type: 'string', valueHint: 'URL', description: 'where it is reached (the provider’s own address)' },
    'context-window': {
      type: 'string',
      valueHint: 'TOKENS',
      description: 'tokens that it reads and writes in one call',
    },
    'api-key-env': { type: 'string', valueHint: 'VARIABLE', description: 'the variable that holds its key here' },
    'api-key-file': { type: 'string', valueHint: 'FILE', description: 'a file with its key' },
    'api-key-stdin': { type: 'boolean', description: 'reads its key from standard input' },
    headers: { type: 'string', valueHint: 'LIST', description: 'further headers, like X-Team=VARIABLE,…' },
    ...hostOptions,
  },
  run: ({ args }) =>
    withHost(args, async (client) => {
      const made = await client.models.create({ id: args.model, config: described(args) });
      print(args.json, made, () => `${made.id} is there. \`rostra models test ${made.id}\` tries it.\n`);
    }),
});

const test = defineCommand({
  meta: { description: 'Makes one small call to a model. The exit code is 1 when that fails.' },
  args: { model, ...hostOptions },
  run: ({ args }) =>
    withModels(args, async (client) => {
      progress(`Calling ${args.model}`);
      const trial = await client.models.test(args.model).finally(endProgress);
      print(args.json, trial, () => trialText(trial));
      if (!trial.ok) process.exitCode = 1;
    }),
});

const remove = defineCommand({
  meta: { description: 'Removes a model that was added, and its key.' },
  args: { model, ...hostOptions },
  run: ({ args }) =>
    withModels(args, async (client) => {
      await client.models.delete(args.model);
      print(args.json, { id: args.model, removed: true }, () => `${args.model} is removed.\n`);
    }),
});

interface AddArgs {
  readonly model: string;
  readonly provider?: string | undefined;
  readonly name?: string | undefined;
  readonly kind?: string | undefined;
  readonly 'base-url'?: string | undefined;
  readonly 'context-window'?: string | undefined;
  readonly 'api-key-env'?: string | undefined;
  readonly 'api-key-file'?: string | undefined;
  readonly 'api-key-stdin'?: boolean | undefined;
  readonly headers?: string | undefined;
}

function described(args: AddArgs): JsonObject {
  const at = args.model.indexOf('/');
  const provider = args.provider ?? args.model.slice(0, Math.max(0, at));
  const name = args.name ?? args.model.slice(at + 1);
  if (!ModelProvider.options.some((known) => known === provider)) {
    throw new UsageError(
      `The provider must be one of ${ModelProvider.options.join(', ')}.`,
      'Name it with --provider.',
    );
  }
  const window = args['context-window'];
  if (window !== undefined && !/^\d{1,9}$/.test(window)) throw new UsageError('--context-window is a number.');
  const key = keyOf(args);
  const headers = headersOf(args.headers);
  return {
    provider,
    model: name,
    ...(args.kind !== undefined && { kind: args.kind }),
    ...(args['base-url'] !== undefined && { base_url: args['base-url'] }),
    ...(window !== undefined && { context_window: Number(window) }),
    ...(key !== null && { api_key: key }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

function keyOf({ 'api-key-env': variable, 'api-key-file': file, 'api-key-stdin': piped }: AddArgs): string | null {
  if (variable !== undefined) return fromVariable(variable);
  if (file !== undefined) return fromFile(file);
  return piped === true ? fromFile(process.stdin.fd) : null;
}

function keyText({ hasKey, keyVariable }: ModelItem): string {
  if (!hasKey) return 'none';
  return keyVariable ?? 'kept';
}

function problemText(id: string, { message, hint }: NonNullable<ModelItem['problem']>): string {
  return `${id}: ${shown(message)}\n${hint === null ? '' : `→ ${shown(hint)}\n`}`;
}

function trialText({ sentence, hint }: ModelTrial): string {
  return `${shown(sentence)}\n${hint === null ? '' : `→ ${shown(hint)}\n`}`;
}

export const models = defineCommand({
  meta: { description: 'Models of a host: what its agents think with.' },
  subCommands: { list, add, test, remove },
});
