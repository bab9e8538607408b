import { parentPort, workerData } from 'node:worker_threads';
import { Checkpointer, type Later } from './checkpointer.ts';
import { DatabaseFile, openForReading, openForWriting } from './database-file.ts';
import { Reader } from './reader.ts';
import { encodeError, type WireError, type WorkerOptions, type WorkerRequest } from './worker-message.ts';
import { Writer } from './writer.ts';

/** What this thread does for the host, and what it does after an answer has left. */
interface Service {
  handle(request: WorkerRequest): unknown;
  answered?(request: WorkerRequest): void;
}

const later: Later = (ms, wake) => {
  const timer = setTimeout(wake, ms);
  return { refresh: () => timer.refresh(), cancel: () => clearTimeout(timer) };
};

async function openWriter(options: WorkerOptions): Promise<Service> {
  const db = await openForWriting(options.path, options);
  const file = new DatabaseFile(options.path);
  const writer = new Writer(db, file, options.durability);
  const checkpointer = new Checkpointer(db, file, later, options.checkpoint);
  return {
    handle(request) {
      if (request.method === 'claim') return writer.claim(request.session_id);
      if (request.method === 'commit') return writer.commit(request.units);
      if (request.method === 'stats') return writer.stats();
      if (request.method !== 'close') throw new Error(`the writer does not answer ${request.method}`);
      checkpointer.finish();
      return writer.close();
    },
    answered({ method }) {
      if (method === 'claim' || method === 'commit') checkpointer.committed();
    },
  };
}

async function openReader(options: WorkerOptions): Promise<Service> {
  const reader = new Reader(await openForReading(options.path, options));
  return {
    handle(request) {
      if (request.method === 'segments') return reader.readSegments(request.session_id, request.after, request.bytes);
      if (request.method === 'at') return reader.readAt(request.session_id, request.seqs);
      if (request.method === 'head') return reader.readHead(request.session_id);
      if (request.method === 'turn') return reader.findTurn(request.turn_id);
      if (request.method === 'message') return reader.findMessage(request.session_id, request.message_id);
      if (request.method === 'unfinished') return reader.listUnfinished();
      if (request.method !== 'close') throw new Error(`the reader does not answer ${request.method}`);
      return reader.close();
    },
  };
}

function serve(port: NonNullable<typeof parentPort>, options: WorkerOptions): void {
  let service: Service | null = null;
  const answer = (reply: { id: number; value: unknown } | { id: number; error: WireError }) => port.postMessage(reply);

  async function open(id: number): Promise<void> {
    try {
      service = options.role === 'writer' ? await openWriter(options) : await openReader(options);
      answer({ id, value: null });
    } catch (error) {
      answer({ id, error: encodeError(error) });
    }
  }

  port.on('message', ({ id, request }: { id: number; request: WorkerRequest }) => {
    if (request.method === 'open') {
      void open(id);
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

if (parentPort !== null) serve(parentPort, workerData);
