import { dirname, join } from 'node:path';
import { FileBlobs } from '../artifacts/file-blobs.ts';
import type { HostStore, StoreHealth } from '../host-store.ts';
import type {
  ClaimCallback,
  CommitCallback,
  MessageCallback,
  NamesCallback,
  OwnedTurn,
  RenewCallback,
  Segment,
  SegmentsCallback,
  StoreStats,
  Unit,
} from '../port.ts';
import { CheckProcess } from './check-process.ts';
import type { CheckpointOptions } from './checkpointer.ts';
import { CommitRoute } from './commit-route.ts';
import type { DatabaseOptions } from './database-file.ts';
import { HealthCheck } from './health-check.ts';
import type { SchemaChange } from './migrate.ts';
import { ReadThread } from './read-thread.ts';
import type { SessionHead } from './reader.ts';
import { type Ports, remotePorts } from './remote-ports.ts';
import { SearchThread } from './search-thread.ts';
import { Unsettled } from './unsettled.ts';
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
  /** Where the bytes of artifacts and large objects lie; `blobs` beside the database unless said otherwise. */
  blobs?: string;
  artifact_bytes?: number;
  /** Only this process can have the database open, its folder being locked: leases of earlier ones are void. */
  sole?: boolean;
  /** Units of one commit from which on it goes into the journal first, where `sole` allows it. */
  crowd?: number;
  /** Hears of a schema that is brought up to date, before that begins. */
  changing?: (change: SchemaChange) => void;
  /** Hears why the thread that writes has ended: from then on nothing is written. */
  failed?: (cause: Error) => void;
}

/** SQLite on threads of its own: one writes, one reads. */
export class SqliteStore implements HostStore {
  readonly runs: Ports['runs'];
  readonly transcript: Ports['transcript'];
  readonly events: Ports['events'];
  readonly state: Ports['state'];
  readonly storage: Ports['storage'];
  readonly artifacts: Ports['artifacts'];
  readonly interactions: Ports['interactions'];
  readonly audit: Ports['audit'];
  readonly dossiers: Ports['dossiers'];
  readonly registry: Ports['registry'];
  readonly knowledge: Ports['knowledge'];
  readonly sessions: Ports['sessions'];
  readonly #shared: Omit<WorkerOptions, 'role'>;
  readonly #writer: WorkerThread;
  readonly #route: CommitRoute;
  readonly #reader: ReadThread;
  readonly #searcher: SearchThread;
  readonly #check: HealthCheck;

  private constructor(options: SqliteStoreOptions) {
    const { workerUrl, changing, failed, blobs, artifact_bytes, crowd, ...shared } = options;
    const { durability = 'class', checkpoint = {}, sole = false, ...rest } = shared;
    this.#shared = { ...rest, durability, checkpoint, sole };
    const settled = (units: number) => unsettled.remove(units);
    this.#writer = new WorkerThread(workerUrl, 'writer', { changing, failed, settled });
    const unsettled = new Unsettled(this.#writer);
    this.#route = new CommitRoute({ writer: this.#writer, unsettled, durability, crowd });
    const readerOptions = { ...this.#shared, role: 'reader' } as const;
    const begin = () => new WorkerThread(workerUrl, 'reader');
    this.#reader = new ReadThread(this.#writer, begin, readerOptions, unsettled);
    const searcher = { ...this.#shared, role: 'searcher' } as const;
    this.#searcher = new SearchThread(() => new WorkerThread(workerUrl, 'searcher'), searcher);
    this.#check = new HealthCheck(() => new CheckProcess(workerUrl), readerOptions);
    const folder = new FileBlobs(blobs ?? join(dirname(options.path), 'blobs'));
    const threads = { writer: this.#writer, route: this.#route, reader: this.#reader, searcher: this.#searcher };
    const ports = remotePorts(threads, folder, artifact_bytes);
    this.runs = ports.runs;
    this.transcript = ports.transcript;
    this.events = ports.events;
    this.state = ports.state;
    this.storage = ports.storage;
    this.artifacts = ports.artifacts;
    this.interactions = ports.interactions;
    this.audit = ports.audit;
    this.dossiers = ports.dossiers;
    this.registry = ports.registry;
    this.knowledge = ports.knowledge;
    this.sessions = ports.sessions;
  }

  static async open(options: SqliteStoreOptions): Promise<SqliteStore> {
    const store = new SqliteStore(options);
    try {
      const order = { method: 'open', options: { ...store.#shared, role: 'writer' } } as const;
      const { unclean, salt } = await store.#writer.ask(order);
      if (options.sole === true) store.#route.open(options.path, salt);
      if (unclean) store.#check.suspect();
      return store;
    } catch (error) {
      await store.#writer.terminate();
      throw error;
    }
  }

  claim(session_id: string, holder: string, done: ClaimCallback): void {
    this.#route.claim(session_id, holder, done);
  }

  renew(holder: string, done: RenewCallback): void {
    this.#writer.call({ method: 'renew', holder }, (error, result) => done(error, result ?? 'lapsed'));
  }

  release(session_id: string, holder: string, done: (error: Error | null) => void = () => undefined): void {
    this.#writer.call({ method: 'release', session_id, holder }, (error) => done(error));
  }

  commit(units: Unit[], done: CommitCallback): void {
    this.#route.commit(units, done);
  }

  readAt(session_id: string, seqs: number[], done: SegmentsCallback): void {
    this.#reader.call({ method: 'at', session_id, seqs }, (error, segments) => done(error, segments ?? []));
  }

  readNames(session_id: string, done: NamesCallback): void {
    this.#reader.call({ method: 'names', session_id }, done);
  }

  findMessage(session_id: string, message_id: string, done: MessageCallback): void {
    this.#reader.call({ method: 'message', session_id, message_id }, done);
  }

  stats(): Promise<StoreStats> {
    return this.#writer.ask({ method: 'stats' });
  }

  health(): StoreHealth {
    const { health } = this.#check;
    if (!this.#writer.hasEnded) return health;
    return { ...health, state: 'damaged', problems: [...health.problems, 'the thread that writes it has ended'] };
  }

  inspect(): Promise<StoreHealth> {
    return this.#check.run();
  }

  readSegments(session_id: string, after: number, bytes: number): Promise<Segment[]> {
    return this.#reader.ask({ method: 'segments', session_id, after, bytes });
  }

  readHead(session_id: string): Promise<SessionHead | null> {
    return this.#reader.ask({ method: 'head', session_id });
  }

  findTurn(turn_id: string): Promise<OwnedTurn | null> {
    return this.#reader.ask({ method: 'turn', turn_id });
  }

  listUnfinished(): Promise<string[]> {
    return this.#reader.ask({ method: 'unfinished' });
  }

  /** The readers first, so that the writer's last checkpoint finds nobody reading. */
  async close(): Promise<void> {
    await this.#check.stop();
    await this.#searcher.close();
    await this.#reader.close();
    await this.#route.close();
    await this.#writer.close();
  }
}
