import { parentPort } from 'node:worker_threads';
import type { Unit } from '../port.ts';
import { StoreError } from '../refusal.ts';
import { standsApart } from './apart.ts';
import { Checkpointer, type Later } from './checkpointer.ts';
import { DatabaseFile, openForReading, openForSearching, openForWriting } from './database-file.ts';
import type { Database } from './driver.ts';
import { IdleIndexer } from './idle-indexer.ts';
import { IdleSettler } from './idle-settler.ts';
import { inspect } from './inspection.ts';
import type { JournalNews } from './journal-file.ts';
import type { SchemaChange } from './migrate.ts';
import { unpackUnits } from './packed-units.ts';
import { Reader } from './reader.ts';
import { Statements } from './statements.ts';
import { toStoreError } from './store-error.ts';
import { CareTable } from './tables/care-table.ts';
import { ChunkFinder } from './tables/chunk-finder.ts';
import { answerCall, portTables } from './tables/port-tables.ts';
import { addVectorFunctions } from './vector-functions.ts';
import {
  encodeError,
  type Opened,
  type WorkerOptions,
  type WorkerReply,
  type WorkerRequest,
} from './worker-message.ts';
import { Writer } from './writer.ts';

/** What this thread does for the host, and what it does after an answer has left. */
interface Service {
  opened: Opened;
  /** Takes what is not answered. */
  hear?(news: JournalNews): void;
  handle(request: WorkerRequest): unknown;
  answered?(request: WorkerRequest): void;
}

const later: Later = (ms, wake) => {
  const timer = setTimeout(wake, ms);
  return { refresh: () => timer.refresh(), cancel: () => clearTimeout(timer) };
};

async function openWriter(options: WorkerOptions, tell: (news: WorkerReply) => void): Promise<Service> {
  const db = await openForWriting(options.path, options, (changing: SchemaChange) => tell({ changing }));
  const file = new DatabaseFile(options.path);
  /** Messages that were written since they were last counted. */
  let messages = 0;
  const writer = new Writer(db, file, options.durability, Date.now, (units) => {
    messages += messagesIn(units);
    tell({ settled: units.length });
  });
  const checkpointer = new Checkpointer(db, file, later, options.checkpoint);
  const tables = portTables(writer.sql, writer.sessions);
  const settler = new IdleSettler(writer, written, later);
  const indexer = new IdleIndexer(() => writer.write(false, () => tables.transcript.index()), later, Date.now);
  const opened = writer.begin(options);
  let read: Service['handle'] | null = null;
  /** What is done between commits, when somebody else was served. */
  function written(): void {
    checkpointer.committed();
    if (messages > 0) indexer.committed(messages);
    messages = 0;
  }
  return {
    opened,
    hear(news) {
      writer.wait(news);
      settler.committed();
    },
    handle(request) {
      switch (request.method) {
        case 'commit': {
          const units = unpackUnits(request.units);
          messages += messagesIn(units);
          return writer.commit(units);
        }
        case 'dossiers':
          return writer.keepDossiers(request.entries);
        case 'claim':
          return writer.claim(request.session_id, request.holder);
        case 'renew':
          return writer.renew(request.holder);
        case 'release':
          return writer.release(request.session_id, request.holder);
        case 'settle':
          return writer.settle();
        case 'refill':
          return writer.refill();
        case 'port':
          if (!standsApart(request)) writer.settle();
          return writer.write(request.flush, () => answerCall(tables, request));
        case 'stats':
          return writer.stats();
        case 'read':
          if (!standsApart(request.request)) writer.settle();
          read ??= readingOn(db);
          return read(request.request);
        case 'close':
          settler.stop();
          indexer.stop();
          closeInOrder(writer);
          checkpointer.finish();
          return writer.close();
        default:
          throw new Error(`the writer does not answer ${request.method}`);
      }
    },
    answered(request) {
      if (request.method !== 'stats' && request.method !== 'read') written();
    },
  };
}

function messagesIn(units: readonly Unit[]): number {
  return units.reduce((sum, { transcript }) => sum + transcript.length, 0);
}

/** What cannot be written any more, on a full disk for one, is left as open: the next start looks at it. */
function closeInOrder(writer: Writer): void {
  try {
    writer.end();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
}

/** What any connection can answer: the reader's own, and the writer's as long as there is no reader. */
function readingOn(db: Database): Service['handle'] {
  const reader = new Reader(db);
  const sql = new Statements(db);
  const tables = portTables(sql, new CareTable(sql, Date.now));
  return (request) => {
    if (request.method === 'segments') return reader.readSegments(request.session_id, request.after, request.bytes);
    if (request.method === 'at') return reader.readAt(request.session_id, request.seqs);
    if (request.method === 'head') return reader.readHead(request.session_id);
    if (request.method === 'turn') return reader.findTurn(request.turn_id);
    if (request.method === 'names') return reader.readNames(request.session_id);
    if (request.method === 'message') return reader.findMessage(request.session_id, request.message_id);
    if (request.method === 'unfinished') return reader.listUnfinished();
    if (request.method === 'port') return reader.answer(() => answerCall(tables, request));
    if (request.method === 'check') return reader.answer(() => inspect(db));
    if (request.method !== 'close') throw new Error(`the reader does not answer ${request.method}`);
    return reader.close();
  };
}

async function openReader(options: WorkerOptions): Promise<Service> {
  const db = await openForReading(options.path, options);
  return { opened: { unclean: false, salt: 0 }, handle: readingOn(db) };
}

async function openSearcher(options: WorkerOptions): Promise<Service> {
  const db = await openForSearching(options.path, options);
  await addVectorFunctions(db);
  const finder = new ChunkFinder(db, Date.now);
  return {
    opened: { unclean: false, salt: 0 },
    handle(request) {
      if (request.method === 'close') return db.close();
      if (request.method !== 'find') throw new Error(`the searcher does not answer ${request.method}`);
      try {
        return finder.find(request.search);
      } catch (error) {
        throw toStoreError(error);
      }
    },
  };
}

const openers = { writer: openWriter, reader: openReader, searcher: openSearcher };

/** Whoever asks: the thread that began this one, or the process that began this process. */
interface Asker {
  on(event: 'message', take: (message: { id: number; request: WorkerRequest } | JournalNews) => void): unknown;
  postMessage(reply: WorkerReply): void;
  close(): void;
}

const parentProcess: Asker = {
  on: (event, take) => process.on(event, take),
  postMessage: (reply) => process.send?.(reply),
  close: () => process.disconnect(),
};

function serve(port: Asker): void {
  let service: Service | null = null;
  const answer = (reply: WorkerReply) => port.postMessage(reply);

  async function open(id: number, options: WorkerOptions): Promise<void> {
    try {
      service = await openers[options.role](options, answer);
      answer({ id, value: service.opened });
    } catch (error) {
      answer({ id, error: encodeError(error) });
    }
  }

  port.on('message', (message) => {
    if ('journaled' in message) {
      service?.hear?.(message);
      return;
    }
    const { id, request } = message;
    if (request.method === 'open') {
      void open(id, request.options);
      return;
    }
    try {
      if (service === null) throw new Error(`${request.method} before open`);
      answer({ id, value: service.handle(request) });
    } catch (error) {
      answer({ id, error: encodeError(error) });
      return;
    }
    if (request.method === 'close') port.close();
    else service.answered?.(request);
  });
}

if (parentPort !== null) serve(parentPort);
else if (process.send !== undefined) {
  process.on('disconnect', () => process.exit());
  serve(parentProcess);
}
