import { writeFileSync } from 'node:fs';
import type { RostraClient } from '@rostra/client';
import type { TranscriptEntry } from '@rostra/protocol/run-api/history';
import type { SessionItem, SessionSnapshot } from '@rostra/protocol/run-api/session-api';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { defineCommand } from 'citty';
import { hostOptions, withHost, withHostOf } from './host-door.ts';
import { collected, first, limitOption } from './listing.ts';
import { facts, print, short, shownLines, table, time } from './printing.ts';
import { confirmed } from './question.ts';
import { UsageError } from './usage-error.ts';

const withSessions = withHostOf('`rostra sessions list` shows those that there are.');
const session = { type: 'positional', required: true, description: 'its id' } as const;

const list = defineCommand({
  meta: { description: 'Sessions, the one with the newest message first.' },
  args: { ...limitOption, ...hostOptions },
  run: ({ args }) =>
    withHost(args, async (client) => {
      const items = await first(client.sessions.each(), args.limit);
      print(args.json, items, () =>
        table(['session', 'title', 'agent', 'runs', 'changed'], items.map(rowOf), 'There is no session yet.'),
      );
    }),
});

function rowOf({ id, title, activeAgentId, runs, liveRuns, updatedAt }: SessionItem): string[] {
  const count = liveRuns > 0 ? `${runs} (${liveRuns} live)` : String(runs);
  return [id, short(title ?? '–', 40), activeAgentId ?? '–', count, time(updatedAt)];
}

const show = defineCommand({
  meta: { description: 'Who is in a session, what is under way, and what was said last.' },
  args: {
    session,
    'as-of': { type: 'string', valueHint: 'RECORD', description: 'how things stood after a record of its log' },
    ...hostOptions,
  },
  run: ({ args }) =>
    withSessions(args, async (client) => {
      const asOf = args['as-of'];
      if (asOf !== undefined && !/^\d{1,15}$/.test(asOf)) throw new UsageError('--as-of is the number of a record.');
      const found = await client.sessions.get(args.session, asOf === undefined ? {} : { asOf: Number(asOf) });
      const items = asOf === undefined ? (await client.sessions.transcript(args.session, { limit: 10 })).items : [];
      print(
        args.json,
        { ...found, messages: items },
        () => `${factsOf(found)}${items.length > 0 ? '\n' : ''}${talk(items)}`,
      );
    }),
});

function factsOf(found: SessionSnapshot): string {
  const agents = found.agents.map(({ agentId }) => (agentId === found.activeAgentId ? `${agentId} (active)` : agentId));
  const live = found.inflight.map(({ taskId, agentId, status }) => `${taskId} (${agentId}, ${status})`);
  const waiting = found.interactions.map(({ id, purpose }) => `${purpose} ${id}`);
  return facts([
    ['session', found.id],
    ['title', found.title],
    ['owner', found.ownerId],
    ['state', found.state],
    ['agents', agents.join(', ') || '–'],
    ['live', live.join(', ') || null],
    ['waiting', waiting.join(', ') || null],
    ['records', String(found.lastSeq)],
    ['changed', found.updatedAt],
  ]);
}

function talk(items: readonly TranscriptEntry[]): string {
  return items.map((item) => `${nameOf(item)}: ${shownLines(item.content)}\n`).join('');
}

function nameOf({ role, agentId }: TranscriptEntry): string {
  return role === 'assistant' ? (agentId ?? role) : role;
}

const exporting = defineCommand({
  meta: { description: 'Everything of a session: how it is, what was said, its runs.' },
  args: {
    session,
    format: { type: 'string', valueHint: 'json|md', description: 'for machines or for people (json)' },
    out: { type: 'string', valueHint: 'FILE', description: 'the file to write; it must not exist' },
    ...hostOptions,
  },
  run: ({ args }) =>
    withSessions(args, async (client) => {
      const { format = 'json' } = args;
      if (format !== 'json' && format !== 'md') throw new UsageError('--format is json or md.');
      const all = await readAll(client, args.session);
      const text = format === 'json' ? `${JSON.stringify(all, null, 2)}\n` : markdown(all.session, all.messages);
      if (args.out === undefined) process.stdout.write(text);
      else {
        writeNew(args.out, text);
        print(
          args.json,
          { file: args.out, messages: all.messages.length },
          () => `${args.out}: ${all.messages.length} messages\n`,
        );
      }
    }),
});

/** What was said is for whoever exports it: nobody else reads the file. */
function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) throw error;
    const why = error.code === 'EEXIST' ? 'exists already' : `cannot be written (${error.code})`;
    throw new ApiError('invalid_argument', `${file} ${why}.`, { details: { hint: 'Name another file with --out.' } });
  }
}

async function readAll(client: RostraClient, sessionId: string) {
  const found = await client.sessions.get(sessionId);
  const messages = (await collected(client.sessions.messages(sessionId))).reverse();
  const runs = (await collected(client.runs.each({ threadId: sessionId }))).reverse();
  return { session: found, messages, runs };
}

function markdown({ id, title }: SessionSnapshot, items: readonly TranscriptEntry[]): string {
  const parts = items.map((item) => `## ${nameOf(item)}, ${time(item.timestamp)}\n\n${item.content.trim()}\n`);
  return `${[`# ${title ?? id}\n`, ...parts].join('\n')}`;
}

const deleting = defineCommand({
  meta: { description: 'Deletes a session and everything in it, for good.' },
  args: { session, yes: { type: 'boolean', description: 'without asking' }, ...hostOptions },
  run: ({ args }) =>
    withSessions(args, async (client) => {
      const { id, title } = await client.sessions.get(args.session);
      const name = title === null ? id : `${id} (“${short(title, 40)}”)`;
      if (args.yes !== true && !(await confirmed(`Delete ${name} for good?`, 'Nothing was deleted.'))) return;
      await client.sessions.delete(id);
      print(args.json, { id, deleted: true }, () => `${id} is deleted.\n`);
    }),
});

export const sessions = defineCommand({
  meta: { description: 'Conversations of a host.' },
  subCommands: { list, show, export: exporting, delete: deleting },
});
