import type { CommitWatch } from '../store/commit-loop.ts';
import type { Unit } from '../store/port.ts';
import { exposition } from './exposition.ts';
import { Counter, Histogram, type Instrument, reading } from './instrument.ts';
import type { LoopWatch } from './loop-watch.ts';
import type { EndedTurn, TurnEvents } from './turn-watch.ts';

/** What the parts of the host tell about themselves when somebody asks. */
export interface HostReadings {
  sessions: number;
  live_turns: number;
  /** Messages that wait for their session. */
  mailbox: number;
  /** Runs that have not ended, and those among them that wait for a process. */
  live: number;
  waiting: number;
  dispatched: number;
  repeated: number;
  streams: number;
  misdeeds: Readonly<Record<string, number>>;
  /** Runner processes, by their state. */
  runners: Readonly<Record<string, number>>;
}

const durations = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];
const commits = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const SECOND = 1000;

function byLabel(label: string, values: Readonly<Record<string, number>>) {
  return Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value }));
}

/** Counts what happens, by the turn and by the commit and never by the chunk; the rest is read when it is asked for. */
export class HostMetrics implements TurnEvents, CommitWatch {
  readonly #now: () => number;
  readonly #accepted = new Counter('rostra_turns_accepted_total', 'Turns that were accepted.');
  readonly #runs = new Counter('rostra_runs_total', 'Turns that ended, by how.', 'outcome', [
    'completed',
    'failed',
    'cancelled',
  ]);
  readonly #duration = new Histogram(
    'rostra_run_duration_seconds',
    'From the acceptance of a turn to its end.',
    durations,
  );
  readonly #firstOutput = new Histogram(
    'rostra_first_output_seconds',
    'From the acceptance of a turn to the first output of its agent.',
    durations,
  );
  readonly #commits = new Counter('rostra_commits_total', 'Commits, by whether they waited for the disk.', 'class', [
    'flush',
    'commit',
  ]);
  readonly #failedCommits = new Counter('rostra_commits_failed_total', 'Commits that the store refused.');
  readonly #records = new Counter('rostra_records_total', 'Records that were committed.');
  readonly #latency = new Histogram(
    'rostra_commit_seconds',
    'From handing a commit to the store to its answer.',
    commits,
  );
  readonly #ended: (turn: EndedTurn) => void;

  /** `now` in milliseconds, for durations only; `ended` hears of every turn that ends. */
  constructor(now: () => number, ended: (turn: EndedTurn) => void) {
    this.#now = now;
    this.#ended = ended;
  }

  accepted(): void {
    this.#accepted.add();
  }

  firstOutput(ms: number): void {
    this.#firstOutput.observe(ms / SECOND);
  }

  ended(turn: EndedTurn): void {
    this.#runs.add(turn.status);
    if (turn.ms !== null) this.#duration.observe(turn.ms / SECOND);
    this.#ended(turn);
  }

  began(units: readonly Unit[]): (error: Error | null) => void {
    const began = this.#now();
    return (error) => {
      if (error !== null) {
        this.#failedCommits.add();
        return;
      }
      this.#latency.observe((this.#now() - began) / SECOND);
      this.#commits.add(units.some(({ flush }) => flush) ? 'flush' : 'commit');
      this.#records.add(
        '',
        units.reduce((sum, { last_seq, expected_seq }) => sum + last_seq - expected_seq, 0),
      );
    };
  }

  /** The whole page. */
  text(version: string, read: HostReadings, loop: Pick<LoopWatch, 'lag'>): string {
    const { user, system } = process.cpuUsage();
    const gauges: Instrument[] = [
      reading('gauge', 'rostra_info', 'Which Rostra this is.', () => [{ labels: { version }, value: 1 }]),
      reading('gauge', 'rostra_sessions_in_memory', 'Sessions that are loaded.', () => read.sessions),
      reading('gauge', 'rostra_turns_live', 'Turns that are waiting or being answered.', () => read.live_turns),
      reading('gauge', 'rostra_mailbox_messages', 'Messages that wait for their session.', () => read.mailbox),
      reading('gauge', 'rostra_runs_live', 'Runs that were given to a runner and have not ended.', () => read.live),
      reading('gauge', 'rostra_runs_waiting', 'Runs that wait for room in a process.', () => read.waiting),
      reading('counter', 'rostra_runs_dispatched_total', 'RUN_AGENT requests.', () => read.dispatched),
      reading('counter', 'rostra_messages_repeated_total', 'Messages that came twice.', () => read.repeated),
      reading('gauge', 'rostra_streams', 'Open event streams.', () => read.streams),
      reading('gauge', 'rostra_runner_processes', 'Runner processes, by state.', () => byLabel('state', read.runners)),
      reading('counter', 'rostra_misdeeds_total', 'What runners did against the protocol, by kind.', () =>
        byLabel('kind', read.misdeeds),
      ),
      reading('summary', 'rostra_event_loop_lag_seconds', 'Since the last look.', () => loop.lag()),
      reading('gauge', 'process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss()),
      reading('counter', 'process_cpu_seconds_total', 'CPU of the host alone.', () => (user + system) / 1e6),
      reading('gauge', 'process_uptime_seconds', 'Since the process began.', () => process.uptime()),
    ];
    const counted = [
      this.#accepted,
      this.#runs,
      this.#duration,
      this.#firstOutput,
      this.#commits,
      this.#failedCommits,
      this.#records,
      this.#latency,
    ];
    return exposition([...counted, ...gauges]);
  }
}
