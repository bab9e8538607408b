import { cancelRun } from '@rostra/kernel/run/run';
import { type SessionMessage, SessionPayloads } from '@rostra/protocol/session/message';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyLine } from '../../src/orchestrator/result-line.ts';
import { fresh } from './fresh-run.ts';

const text = (content: string): [string, unknown] => ['message.delta', { chunk: { content } }];
const thought = (reasoning_content: string): [string, unknown] => ['message.delta', { chunk: { reasoning_content } }];

const result = fc.oneof(
  { weight: 6, arbitrary: fc.string({ maxLength: 3 }).map(text) },
  { weight: 3, arbitrary: fc.string({ maxLength: 3 }).map(thought) },
  fc.constant<[string, unknown]>(['message.completed', { message: { content: 'w' } }]),
  fc.constant<[string, unknown]>(['tool.call.started', { tool_call_id: 'c', tool_name: 't' }]),
  fc.constant<[string, unknown]>(['message.completed', {}]),
  fc.constant<[string, unknown]>(['unheard.of', {}]),
  fc.constant<[string, unknown]>(['run.completed', { message: 'm' }]),
  fc.constant<[string, unknown]>(['run.failed', { code: 'x' }]),
  fc.tuple(fc.string(), fc.jsonValue()),
);
/** Numbers that repeat, jump and go back. */
const step = fc.tuple(fc.integer({ min: -2, max: 3 }), result, fc.boolean());

test('one end, contiguous numbers and chunks, and valid payloads, whatever is sent in whatever order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.nat(40), (steps, cancelAt) => {
      let run = fresh;
      let sequence = 0;
      const messages: SessionMessage[] = [];
      for (const [index, [move, [type, data], again]] of steps.entries()) {
        if (index === cancelAt) run = cancelRun(run, 0).run;
        sequence += move;
        const tuple = [sequence, type, data];
        const applied = applyLine(run, again ? [tuple, tuple] : [tuple], 100, 77);
        run = applied.run;
        messages.push(...applied.messages);
      }
      const ends = messages.filter(({ subtype }) => ['final', 'RUN_FAILED', 'CANCEL_ACK'].includes(subtype));
      expect(ends.length).toBe(run.phase === 'ended' ? 1 : 0);
      if (ends[0] !== undefined) expect(messages.at(-1)).toBe(ends[0]);
      const numbers = messages.flatMap((message) => message.sequence ?? []);
      expect(numbers).toEqual(numbers.map((_, index) => index));
      const chunks = messages.filter((message) => message.subtype === 'chunk');
      expect(chunks.map(({ payload }) => payload.n)).toEqual(chunks.map((_, index) => index));
      for (const { event, subtype, payload } of messages) {
        const schemas: Record<string, { parse(value: unknown): unknown }> = SessionPayloads[event];
        expect(schemas[subtype]?.parse(payload)).toEqual(payload);
      }
    }),
    { numRuns: 500 },
  );
});

/** One message for every piece, as if each had come in a line of its own. */
function apart(messages: SessionMessage[]): SessionMessage[] {
  return messages.flatMap((message) => {
    if (message.event !== 'AGENT_OUTPUT' || message.subtype !== 'chunk') return [message];
    const { more = [], n, message_id, text } = message.payload;
    const channel = text === undefined ? 'reasoning' : 'text';
    return [text ?? message.payload.reasoning ?? '', ...more].map((piece, index): SessionMessage => {
      const sequence = (message.sequence ?? 0) + index;
      const payload = { message_id, n: n + index, [channel]: piece };
      return { ...message, id: `${message.run_id}:${sequence}`, sequence, payload };
    });
  });
}

type Tuple = [sequence: number, type: string, data: unknown, more?: string[]];

function textOf([, type, data, more]: Tuple): string | null {
  if (type !== 'message.delta' || more !== undefined) return null;
  const { chunk } = (data ?? {}) as { chunk?: { content?: unknown; reasoning_content?: unknown } };
  const isText = typeof chunk?.content === 'string' && chunk.reasoning_content === undefined;
  return isText && chunk.content !== '' ? String(chunk.content) : null;
}

/** Pieces of text with numbers that follow each other, in the element of the first of them. */
function pieced(tuples: readonly Tuple[]): Tuple[] {
  const elements: Tuple[] = [];
  for (const tuple of tuples) {
    const [sequence, type, data, more = []] = elements.at(-1) ?? [Number.NaN, '', null];
    const isNext = tuple[0] === sequence + more.length + 1 && textOf([sequence, type, data]) !== null;
    const piece = textOf(tuple);
    if (isNext && piece !== null) elements[elements.length - 1] = [sequence, type, data, [...more, piece]];
    else elements.push(tuple);
  }
  return elements;
}

test('what stands behind a piece of text that is no text is malformed, and its numbers are not used up', () => {
  for (const more of [['a', ''], ['a', 1], 'a', null]) {
    const { run, complaints, messages } = applyLine(
      fresh,
      [
        [1, ...text('x'), more],
        [2, ...text('y')],
      ],
      100,
      77,
    );
    expect(complaints).toEqual(['malformed']);
    expect(messages).toHaveLength(1);
    expect(run.last_runner_sequence).toBe(2);
  }
  const other = applyLine(fresh, [[1, 'message.completed', { message: { content: 'w' } }, ['a']]], 100, 77);
  expect(other.complaints).toEqual(['malformed']);
});

test('results that come in one line say what they say line by line (RP-6.16)', () => {
  let joined = 0;
  let behind = 0;
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(0, 1, 1, 1, 2), result), { maxLength: 40 }), (moves) => {
      let sequence = 0;
      const tuples = moves.map(([move, [type, data]]) => {
        sequence += move;
        return [sequence, type, data] satisfies Tuple;
      });
      const together = applyLine(fresh, tuples, 100, 77);
      let run = fresh;
      const messages: SessionMessage[] = [];
      const complaints: string[] = [];
      for (const tuple of tuples) {
        const applied = applyLine(run, [tuple], 100, 77);
        run = applied.run;
        messages.push(...applied.messages);
        complaints.push(...applied.complaints);
      }
      const elements = pieced(tuples);
      behind += tuples.length - elements.length;
      // Several pieces that come twice, or after the end, are one complaint.
      const taken = (all: readonly string[]) => all.filter((complaint) => complaint !== 'after_terminal');
      const isRisen = tuples.every(([n], index) => index === 0 || n > (tuples[index - 1]?.[0] ?? 0));
      if (isRisen) {
        const short = applyLine(fresh, elements, 100, 77);
        expect({ ...short.run, dropped: 0 }).toEqual({ ...run, dropped: 0 });
        expect(taken(short.complaints)).toEqual(taken(complaints));
        expect(apart(short.messages)).toEqual(apart(messages));
      }
      joined += messages.length - together.messages.length;
      expect(together.run).toEqual(run);
      expect(together.complaints).toEqual(complaints);
      expect(apart(together.messages)).toEqual(apart(messages));
    }),
    { numRuns: 500 },
  );
  expect(joined).toBeGreaterThan(20);
  expect(behind).toBeGreaterThan(20);
});

test('a message id is used for one channel only', () => {
  fc.assert(
    fc.property(fc.array(result, { maxLength: 40 }), (results) => {
      const { messages } = applyLine(
        fresh,
        results.map(([type, data], index) => [index, type, data]),
        100,
        77,
      );
      const channels = new Map<string, string>();
      for (const message of messages) {
        if (message.subtype !== 'chunk') continue;
        const { message_id, reasoning } = message.payload;
        const channel = reasoning === undefined ? 'text' : 'reasoning';
        expect(channels.get(message_id) ?? channel).toBe(channel);
        channels.set(message_id, channel);
      }
    }),
  );
});
