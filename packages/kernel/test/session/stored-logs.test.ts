import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { restoredContext, type SessionContext } from '@rostra/kernel/session/context';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { canonicalJson } from '@rostra/protocol/wire/canonical-json';
import { describe, expect, it } from 'vitest';
import { run } from './schedule.ts';
import { SessionBench } from './session-bench.ts';

interface StoredLog {
  inputs: SessionMessage[];
  /** Hashes of where it ended and of all that it published, as the code that wrote it had them. */
  context: string;
  published: string;
}

const text = readFileSync(new URL('./fixtures/logs.ndjson', import.meta.url), 'utf8');
const logs = text.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as StoredLog)));

function hashOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** A state in the words of the hosts that wrote these logs: no question outlived its turn, and none had a purpose. */
function asThen(context: SessionContext): unknown {
  const { questions, ...then } = copy(context);
  expect(questions).toEqual([]);
  for (const turn of Object.values(then.inflight)) {
    turn.waiting = turn.waiting.map(({ purpose: _purpose, kind: _kind, ...waiting }) => waiting);
  }
  return then;
}

/** What was published, without what is told of a question and its answer since. */
function toldThen(message: SessionMessage): unknown {
  const told = copy(message);
  if (told.event === 'EVENT' && told.subtype === 'INTERACTION_OPENED') {
    const { interaction_id, until, request } = told.payload;
    return { ...told, payload: { interaction_id, until, request } };
  }
  if (told.event === 'EVENT' && told.subtype === 'INTERACTION_RESOLVED') {
    const { interaction_id, outcome } = told.payload;
    return { ...told, payload: { interaction_id, outcome } };
  }
  if (told.event === 'CONTROL' && told.subtype === 'HANDOVER_RESOLVED') {
    const { answered_by: _answered_by, ...payload } = told.payload;
    return { ...told, payload };
  }
  return told;
}

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** Logs of earlier hosts. A line that changes here needs a migration that says so; new lines may be added. */
describe.each(logs.map((log, index) => [index, log] as const))('stored log %i', (_index, log) => {
  it('leads to the state that it led to when it was written, and publishes the same again', () => {
    const { context, published } = run(log.inputs);
    expect(hashOf(asThen(context))).toBe(log.context);
    expect(hashOf(published.map(toldThen))).toBe(log.published);
  });

  it('leads there from a context that was saved in the middle, too', () => {
    const half = Math.floor(log.inputs.length / 2);
    const saved = copy(run(log.inputs.slice(0, half)).context);
    const { context } = run(log.inputs.slice(half), saved);
    expect(hashOf(asThen(context))).toBe(log.context);
  });
});

describe('a context that an earlier host saved', () => {
  it('has the value of a session without it for whatever that host did not know', () => {
    const bench = SessionBench.open();
    bench.say('hi', { turn_id: 't' });
    const { departed: _d, unreported: _u, told_errors: _e, ...older } = copy(bench.context);
    const { attempt: _a, is_lost: _l, context_seq: _c, ...turn } = older.inflight.t ?? bench.turn;
    const saved = { ...older, inflight: { t: turn } } as unknown as SessionContext;
    expect(restoredContext('thread-1', saved)).toEqual(copy(bench.context));
  });
});
