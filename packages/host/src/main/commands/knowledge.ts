import path from 'node:path';
import { RostraError } from '@rostra/client';
import type { KnowledgeDocument } from '@rostra/protocol/run-api/knowledge-api';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { defineCommand } from 'citty';
import { MANY } from '../command-line.ts';
import { explained, hostOptions, withHost, withHostOf } from './host-door.ts';
import { blobOf, filesOf, metadataOf } from './knowledge-files.ts';
import { resultsOf, untilIndexed } from './knowledge-progress.ts';
import { collected, first, limitOption } from './listing.ts';
import { facts, print, short, shownLines, table, time } from './printing.ts';
import { UsageError } from './usage-error.ts';

const withBases = withHostOf(
  '`rostra knowledge list` shows the knowledge bases, `rostra knowledge show BASE` the documents of one.',
);
const base = { type: 'positional', required: true, description: 'the id of a knowledge base' } as const;

const list = defineCommand({
  meta: { description: 'Knowledge bases.' },
  args: hostOptions,
  run: ({ args }) =>
    withHost(args, async (client) => {
      const { items } = await client.knowledge.list();
      const rows = items.map((each) => [each.id, each.name, String(each.documents), String(each.chunks)]);
      print(args.json, items, () => table(['id', 'name', 'documents', 'chunks'], rows, 'There is no knowledge base.'));
    }),
});

const create = defineCommand({
  meta: { description: 'Makes a knowledge base.' },
  args: {
    base: { ...base, description: 'its id, by which agents name it: a-z, 0-9 and -' },
    name: { type: 'string', valueHint: 'TEXT', description: 'its name for people' },
    description: { type: 'string', valueHint: 'TEXT', description: 'what agents are told of it' },
    ...hostOptions,
  },
  run: ({ args }) =>
    withHost(args, async (client) => {
      const made = await client.knowledge.create({
        id: args.base,
        ...(args.name !== undefined && { name: args.name }),
        ...(args.description !== undefined && { description: args.description }),
      });
      print(args.json, made, () => `${made.id} is made; rostra knowledge add ${made.id} FILE… fills it.\n`);
    }),
});

const add = defineCommand({
  meta: { description: 'Adds documents, and waits until they are indexed.' },
  args: {
    base,
    file: {
      type: 'positional',
      required: true,
      valueHint: MANY,
      description: 'text, Markdown, HTML, PDF, DOCX; or a folder',
    },
    metadata: {
      type: 'string',
      valueHint: 'LIST',
      description: 'what searches are narrowed by, like lang=en,year=2026',
    },
    wait: { type: 'boolean', default: true, description: 'wait until they are indexed (--no-wait: do not)' },
    ...hostOptions,
  },
  run: ({ args }) =>
    withBases(args, async (client, door) => {
      const metadata = metadataOf(args.metadata, '--metadata');
      const added: KnowledgeDocument[] = [];
      const refused: ApiError[] = [];
      const files = await filesOf(args._.slice(1));
      for (const file of files) {
        const about = { filename: path.basename(file), ...(metadata !== undefined && { metadata }) };
        const sent = blobOf(file).then((blob) => client.knowledge.add(args.base, blob, about));
        const document = await sent.catch((error: unknown) => {
          refused.push(refusalOf(error, file, door.url, files.length));
          return null;
        });
        if (document !== null) added.push(document);
      }
      const documents = args.wait ? await untilIndexed(client, args.base, added) : added;
      if (documents.length > 0) tell(args.json, documents);
      if (refused.length > 0) throw together(refused);
    }),
});

const show = defineCommand({
  meta: { description: 'One knowledge base and its documents.' },
  args: { base, ...limitOption, ...hostOptions },
  run: ({ args }) =>
    withBases(args, async (client) => {
      const found = await client.knowledge.get(args.base);
      const documents = await first(client.knowledge.eachDocument(args.base), args.limit);
      print(args.json, { ...found, items: documents }, () => {
        const head = facts([
          ['base', found.id],
          ['name', found.name],
          ['description', found.description === '' ? null : found.description],
          ['vectors', found.embeddingModel ?? 'none: found by words'],
          ['chunks', String(found.chunks)],
        ]);
        const rows = documents.map((each) => [each.id, short(each.name, 40), stateOf(each), time(each.updatedAt)]);
        return `${head}\n${table(['document', 'name', 'state', 'changed'], rows, 'It has no document.')}`;
      });
    }),
});

const remove = defineCommand({
  meta: { description: 'Removes a document, or with --all the knowledge base with all of them.' },
  args: {
    base,
    document: { type: 'positional', required: false, description: 'the id of a document, as `knowledge show` has it' },
    all: { type: 'boolean', description: 'the whole knowledge base' },
    ...hostOptions,
  },
  run: ({ args }) =>
    withBases(args, async (client) => {
      const { document } = args;
      if ((document === undefined) !== (args.all === true)) {
        throw new UsageError('Name a document, or give --all to remove the whole knowledge base.');
      }
      if (document === undefined) await client.knowledge.delete(args.base);
      else await client.knowledge.deleteDocument(args.base, document);
      const id = document ?? args.base;
      print(args.json, { id, removed: true }, () => `${id} is removed.\n`);
    }),
});

const search = defineCommand({
  meta: { description: 'Searches as agents do.' },
  args: {
    base,
    words: { type: 'positional', required: true, description: 'what to look for' },
    top: { type: 'string', valueHint: 'N', description: 'at most so many (5)' },
    where: { type: 'string', valueHint: 'LIST', description: 'metadata that documents must have, like lang=en' },
    ...hostOptions,
  },
  run: ({ args }) =>
    withBases(args, async (client) => {
      if (args.top !== undefined && !/^[1-9]\d{0,3}$/.test(args.top))
        throw new UsageError('--top is a number from 1 on.');
      const { items } = await client.knowledge.search(args.base, {
        query: args.words,
        ...(args.top !== undefined && { topK: Number(args.top) }),
        filters: metadataOf(args.where, '--where') ?? {},
      });
      const entries = items.map(({ source, score, content }) => {
        return `${shownLines(source)}  (${score.toFixed(3)})\n${shownLines(content)}\n`;
      });
      print(args.json, items, () => (entries.length === 0 ? 'Nothing was found.\n' : entries.join('\n')));
    }),
});

const reindex = defineCommand({
  meta: { description: 'Reads all documents of a knowledge base anew; until then they are found as they were.' },
  args: {
    base,
    wait: { type: 'boolean', default: true, description: 'wait until they are indexed (--no-wait: do not)' },
    ...hostOptions,
  },
  run: ({ args }) =>
    withBases(args, async (client) => {
      await client.knowledge.reindex(args.base);
      const begun = await collected(client.knowledge.eachDocument(args.base));
      // The oldest first, as they are read.
      const documents = args.wait ? await untilIndexed(client, args.base, begun.toReversed()) : begun;
      tell(args.json, documents);
    }),
});

/** What is wrong with one file keeps no other from being added; whatever else fails ends all of it. */
function refusalOf(error: unknown, file: string, url: string, files: number): ApiError {
  const isOfFile = error instanceof RostraError && (error.status === 413 || error.status === 422);
  const refusal = isOfFile ? explained(error, url) : error;
  if (!(refusal instanceof ApiError)) throw error;
  return files === 1 ? refusal : new ApiError(refusal.code, `${file}: ${refusal.message}`, refusal);
}

/** One refusal of several: the sentences of all, each with what to do. */
function together(refusals: readonly ApiError[]): ApiError {
  const [first] = refusals;
  if (first !== undefined && refusals.length === 1) return first;
  const lines = refusals.flatMap(({ message, details: { hint } }) => [
    message,
    ...(hint === undefined ? [] : [`→ ${hint}`]),
  ]);
  return new ApiError('invalid_argument', lines.join('\n'));
}

function stateOf({ status, done, total, chunks }: KnowledgeDocument): string {
  if (status === 'indexing') return total === 0 ? 'being read' : `${done} of ${total}`;
  return status === 'ready' ? `ready, ${chunks} chunks` : status;
}

function tell(isJson: boolean | undefined, documents: readonly KnowledgeDocument[]): void {
  print(isJson, documents, () => resultsOf(documents));
  if (documents.some(({ status }) => status === 'failed')) process.exitCode = 1;
}

export const knowledge = defineCommand({
  meta: { description: 'What agents can look up.' },
  subCommands: { list, create, add, show, remove, search, reindex },
});
