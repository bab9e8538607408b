import type { LogRecord } from '@rostra/protocol/record/record';
import { describe, expect, it } from 'vitest';
import { exposition } from '../../src/metrics/exposition.ts';
import { HostMetrics, type HostReadings } from '../../src/metrics/host-metrics.ts';
import { Counter, Histogram, reading } from '../../src/metrics/instrument.ts';
import { type EndedTurn, TurnWatch } from '../../src/metrics/turn-watch.ts';
import type { Unit } from '../../src/store/port.ts';

describe('the text format', () => {
  it('names, explains and types each instrument', () => {
    const counter = new Counter('a_total', 'What a is.', 'kind', ['x']);
    counter.add('x');
    counter.add('y"\n\\', 2);
    expect(exposition([counter])).toBe(
      '# HELP a_total What a is.\n# TYPE a_total counter\na_total{kind="x"} 1\na_total{kind="y\\"\\n\\\\"} 2\n',
    );
  });

  it('has buckets that count everything below their bound', () => {
    const histogram = new Histogram('h', 'H.', [0.1, 1]);
    for (const seconds of [0.05, 0.1, 0.5, 7]) histogram.observe(seconds);
    const lines = exposition([histogram]).split('\n').slice(2, -1);
    expect(lines).toEqual([
      'h_bucket{le="0.1"} 2',
      'h_bucket{le="1"} 3',
      'h_bucket{le="+Inf"} 4',
      'h_sum 7.65',
      'h_count 4',
    ]);
  });

  it('reads a gauge when it is asked', () => {
    let value = 1;
    const gauge = reading('gauge', 'g', 'G.', () => value);
    value = 2;
    expect(exposition([gauge])).toContain('\ng 2\n');
  });
});

function record(part: object): LogRecord {
  const envelope = { seq: 1, mark: 'out', v: 1, id: 'x', session_id: 's', turn_id: 't', trace_id: 'trace', ts: 0 };
  return { ...envelope, ...part } as unknown as LogRecord;
}

const event = (subtype: string, ts: number, payload: object = {}) =>
  record({ event: 'EVENT', subtype, ts, payload: { agent_id: 'guide', run_id: 't.1', ...payload } });
const output = (ts: number, mark = 'both') =>
  record({ event: 'AGENT_OUTPUT', subtype: 'chunk', ts, mark, payload: {} });

function watched() {
  const heard = { accepted: 0, first: [] as number[], ended: [] as EndedTurn[] };
  const watch = new TurnWatch({
    accepted: () => {
      heard.accepted += 1;
    },
    firstOutput: (ms) => heard.first.push(ms),
    ended: (turn) => heard.ended.push(turn),
  });
  const commit = (...records: LogRecord[]) => watch.committed({ session_id: 's', epoch: 1, records });
  return { heard, commit };
}

describe('the life of a turn', () => {
  it('is timed from its acceptance, to its first output and to its end', () => {
    const { heard, commit } = watched();
    commit(event('TURN_ACCEPTED', 100));
    commit(output(130), output(140));
    commit(output(150), event('TURN_COMPLETED', 200));
    expect(heard).toEqual({
      accepted: 1,
      first: [30],
      ended: [
        {
          session_id: 's',
          turn_id: 't',
          run_id: 't.1',
          trace_id: 'trace',
          agent_id: 'guide',
          status: 'completed',
          code: null,
          ms: 100,
        },
      ],
    });
  });

  it('has no length when it began before this host', () => {
    const { heard, commit } = watched();
    commit(event('TURN_FAILED', 200, { code: 'host.restarted' }));
    expect(heard.ended).toMatchObject([{ status: 'failed', code: 'host.restarted', ms: null }]);
  });

  it('has no first output in what nobody was shown', () => {
    const { heard, commit } = watched();
    commit(event('TURN_ACCEPTED', 100), output(110, 'suppressed'), event('CANCELED', 120));
    expect(heard).toMatchObject({ first: [], ended: [{ status: 'cancelled' }] });
  });
});

describe('the page', () => {
  const readings: HostReadings = {
    sessions: 3,
    live_turns: 2,
    mailbox: 0,
    live: 2,
    waiting: 1,
    dispatched: 9,
    repeated: 0,
    streams: 4,
    misdeeds: { after_terminal: 2 },
    runners: { ready: 1 },
  };

  it('counts commits by their class, and those that failed apart', () => {
    let now = 0;
    const metrics = new HostMetrics(
      () => now,
      () => undefined,
    );
    const unit = { flush: true, expected_seq: 2, last_seq: 5 } as Unit;
    const ended = metrics.began([unit, { ...unit, flush: false }]);
    now = 4;
    ended(null);
    metrics.began([unit])(new Error('full'));
    const text = metrics.text('1.2.3', readings, { lag: () => [] });
    expect(text).toContain('rostra_commits_total{class="flush"} 1\n');
    expect(text).toContain('rostra_commits_failed_total 1\n');
    expect(text).toContain('rostra_records_total 6\n');
    expect(text).toContain('rostra_commit_seconds_bucket{le="0.005"} 1\n');
    expect(text).toContain('rostra_misdeeds_total{kind="after_terminal"} 2\n');
    expect(text).toContain('rostra_runner_processes{state="ready"} 1\n');
  });
});
