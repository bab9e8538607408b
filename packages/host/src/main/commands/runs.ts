import type { TaskResponse } from '@rostra/protocol/run-api/task';
import { defineCommand } from 'citty';
import { eventWords } from './event-words.ts';
import { hostOptions, withHost, withHostOf } from './host-door.ts';
import { first, limitOption } from './listing.ts';
import { facts, print, printLine, table, time } from './printing.ts';

const withRuns = withHostOf('`rostra runs list` shows those that there are.');
const run = { type: 'positional', required: true, description: 'its task id' } as const;

const list = defineCommand({
  meta: { description: 'Runs, the newest first.' },
  args: {
    session: { type: 'string', valueHint: 'ID', description: 'only those of a session' },
    ...limitOption,
    ...hostOptions,
  },
  run: ({ args }) =>
    withHost(args, async (client) => {
      const query = args.session === undefined ? {} : { threadId: args.session };
      const items = await first(client.runs.each(query), args.limit);
      const rows = items.map((task) => [
        task.taskId,
        task.status,
        task.agentId,
        time(task.created),
        spent(task),
        task.threadId,
      ]);
      print(args.json, items, () =>
        table(['run', 'status', 'agent', 'created', 'took', 'session'], rows, 'There is no run yet.'),
      );
    }),
});

const show = defineCommand({
  meta: { description: 'How a run is.' },
  args: { run, ...hostOptions },
  run: ({ args }) =>
    withRuns(args, async (client) => {
      const task = await client.runs.get(args.run);
      print(args.json, task, () => taskText(task));
    }),
});

const events = defineCommand({
  meta: { description: 'The events of a run, live until it ends; a cut connection is mended.' },
  args: {
    run,
    after: { type: 'string', valueHint: 'ID', description: 'only what comes after this event' },
    ...hostOptions,
  },
  run: ({ args }) =>
    withRuns(args, async (client) => {
      const following = client.runs.follow(args.run, { ...(args.after !== undefined && { after: args.after }) });
      for await (const { id, data } of following.frames()) {
        const event = JSON.parse(data);
        if (args.json === true) printLine({ id, event });
        else process.stdout.write(`${id.padEnd(12)}  ${eventWords(event)}\n`);
      }
    }),
});

const cancel = defineCommand({
  meta: { description: 'Stops a run.' },
  args: {
    run,
    wait: { type: 'boolean', description: 'until it has stopped' },
    ...hostOptions,
  },
  run: ({ args }) =>
    withRuns(args, async (client) => {
      const task = await client.runs.cancel(args.run, { wait: args.wait === true });
      print(args.json, task, () => `${task.taskId} is ${task.ended === null ? 'being stopped' : task.status}.\n`);
    }),
});

function spent({ started, ended }: TaskResponse): string {
  if (started === null || ended === null) return '–';
  return `${((Date.parse(ended) - Date.parse(started)) / 1000).toFixed(1)} s`;
}

function taskText(task: TaskResponse): string {
  const { usage, error } = task;
  const tokens =
    usage === null ? null : `${usage.totalTokens ?? '?'} tokens${usage.model === null ? '' : ` of ${usage.model}`}`;
  return facts([
    ['run', task.taskId],
    ['session', task.threadId],
    ['named', task.runId],
    ['agent', task.agentId],
    ['status', task.status],
    ['created', task.created],
    ['started', task.started],
    ['ended', task.ended],
    ['took', spent(task)],
    ['used', tokens],
    ['cost', task.cost === null ? null : String(task.cost)],
    ['attempts', String(task.attempts.length)],
    ['error', error === null ? null : `${error.code}: ${error.message}`],
  ]);
}

export const runs = defineCommand({
  meta: { description: 'Runs of a host.' },
  subCommands: { list, show, events, cancel },
});
