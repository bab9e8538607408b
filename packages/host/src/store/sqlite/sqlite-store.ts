import type {
  ClaimCallback,
  CommitCallback,
  MessageCallback,
  Segment,
  SegmentsCallback,
  SessionStore,
  StoreStats,
  TurnRow,
  Unit,
} from '../port.ts';
import type { CheckpointOptions } from './checkpointer.ts';
import type { DatabaseOptions } from './database-file.ts';
import type { SessionHead } from './reader.ts';
import type { WorkerOptions } from './worker-message.ts';
import { WorkerThread } from './worker-thread.ts';
import type { StoreDurability } from './writer.ts';

export interface SqliteStoreOptions extends DatabaseOptions {
  /** The database file; its folder exists. */
  path: string;
  /** The bundled `worker.ts`. */
  workerUrl: URL;
  durability?: StoreDurability;
  checkpoint?: CheckpointOptions;
}

/** SQLite on two threads of its own: one writes, one reads. */
export class SqliteStore implements SessionStore {
  readonly #writer: WorkerThread;
  readonly #reader: WorkerThread;

  private constructor(options: SqliteStoreOptions) {
    const { workerUrl, durability = 'class', checkpoint = {}, ...rest } = options;
    const shared: Omit<WorkerOptions, 'role'> = { ...rest, durability, checkpoint };
    this.#writer = new WorkerThread(workerUrl, { ...shared, role: 'writer' });
    this.#reader = new WorkerThread(workerUrl, { ...shared, role: 'reader' });
  }

  /** Both threads start at once; the reader opens the file when the writer has given it its schema. */
  static async open(options: SqliteStoreOptions): Promise<SqliteStore> {
    const store = new SqliteStore(options);
    try {
      await store.#writer.ask({ method: 'open' });
      await store.#reader.ask({ method: 'open' });
      return store;
    } catch (error) {
      await Promise.all([store.#writer.terminate(), store.#reader.terminate()]);
      throw error;
    }
  }

  claim(session_id: string, done: ClaimCallback): void {
    this.#writer.call({ method: 'claim', session_id }, done);
  }

  commit(units: Unit[], done: CommitCallback): void {
    this.#writer.call({ method: 'commit', units }, (error, results) => done(error, results ?? []));
  }

  readAt(session_id: string, seqs: number[], done: SegmentsCallback): void {
    this.#reader.call({ method: 'at', session_id, seqs }, (error, segments) => done(error, segments ?? []));
  }

  findMessage(session_id: string, message_id: string, done: MessageCallback): void {
    this.#reader.call({ method: 'message', session_id, message_id }, done);
  }

  stats(): Promise<StoreStats> {
    return this.#writer.ask({ method: 'stats' });
  }

  readSegments(session_id: string, after: number, bytes: number): Promise<Segment[]> {
    return this.#reader.ask({ method: 'segments', session_id, after, bytes });
  }

  readHead(session_id: string): Promise<SessionHead | null> {
    return this.#reader.ask({ method: 'head', session_id });
  }

  findTurn(turn_id: string): Promise<TurnRow | null> {
    return this.#reader.ask({ method: 'turn', turn_id });
  }

  listUnfinished(): Promise<string[]> {
    return this.#reader.ask({ method: 'unfinished' });
  }

  /** The reader first, so that the writer's last checkpoint finds nobody reading. */
  async close(): Promise<void> {
    await this.#reader.close();
    await this.#writer.close();
  }
}
