import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { limits } from '@rostra/protocol/wire/limits';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TurnRow } from '../../src/store/port.ts';
import { KEY, RUNS, TestHost, threadId } from './test-host.ts';

let host: TestHost;
let turn: TurnRow;
beforeEach(async () => {
  host = await TestHost.start();
  turn = host.session.addTurn(threadId, 't1');
});
afterEach(() => host.stop());

/** A client that reads a stream as it comes. */
class Reader {
  text = '';
  status = 0;
  closed = false;
  contentType: string | undefined;
  readonly req: ClientRequest;
  res: IncomingMessage | null = null;

  constructor(taskId: string, lastEventId?: string) {
    const headers: Record<string, string> = { authorization: `Bearer ${KEY}` };
    if (lastEventId !== undefined) headers['last-event-id'] = lastEventId;
    this.req = request({ port: host.port, path: `${RUNS}/${taskId}/events`, headers, agent: false }, (res) => {
      this.res = res;
      this.status = res.statusCode ?? 0;
      this.contentType = res.headers['content-type'];
      res.setEncoding('utf8');
      res.on('data', (chunk: string) => {
        this.text += chunk;
      });
      res.on('close', () => {
        this.closed = true;
      });
      res.on('error', () => undefined);
    });
    this.req.on('error', () => {
      this.closed = true;
    });
    this.req.end();
  }

  get frames(): string[] {
    return this.text
      .split('\n\n')
      .slice(0, -1)
      .filter((frame) => !frame.startsWith(':'));
  }

  get lastId(): string | undefined {
    return idOf(this.frames.at(-1));
  }
}

function idOf(frame: string | undefined): string | undefined {
  return frame === undefined ? undefined : /^id: (.*)$/m.exec(frame)?.[1];
}

async function until(condition: () => boolean): Promise<void> {
  for (let n = 0; !condition(); n += 1) {
    if (n > 5_000) throw new Error('it did not happen');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

function wholeLog(chunks: number): void {
  const { session } = host;
  session.add(turn, 'EVENT', 'TURN_ACCEPTED', {
    agent_id: 'guide',
    state: 'dispatched',
    parent_turn_id: null,
    client_run_id: 'run-1',
  });
  session.start(turn);
  for (let n = 1; n <= chunks; n += 1) session.chunk(turn, n);
  session.add(turn, 'AGENT_OUTPUT', 'message', { message_id: 'm2', role: 'assistant', content: 'whole' });
  session.end(turn);
}

describe('GET …/events of a task that has ended', () => {
  it('replays the whole run and closes', async () => {
    wholeLog(3);
    const answer = await host.events('t1');
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
    expect(answer.text.match(/^id: .*$/gm)).toEqual([
      'id: 2.0.1',
      'id: 3.0.1',
      'id: 3.1.1',
      'id: 4.0.1',
      'id: 5.0.1',
      'id: 6.0.1',
      'id: 6.1.1',
      'id: 6.2.1',
      'id: 6.3.1',
      'id: 7.0.1',
    ]);
    expect(answer.text).toContain('"type":"RUN_FINISHED"');
  });

  it('gives the same bytes from memory, from the store, and cut and resumed after every frame', async () => {
    wholeLog(20);
    const { text } = await host.events('t1');
    const frames = text
      .split('\n\n')
      .slice(0, -1)
      .map((frame) => `${frame}\n\n`);
    host.session.tailFrom = 15;
    expect((await host.events('t1')).text).toBe(text);
    host.session.tailFrom = Number.POSITIVE_INFINITY;
    expect((await host.events('t1')).text).toBe(text);
    for (const [index, frame] of frames.entries()) {
      const rest = await host.events('t1', idOf(frame));
      expect(rest.text).toBe(frames.slice(index + 1).join(''));
    }
  });

  it('takes the cursor from ?after= too, and the header before it', async () => {
    wholeLog(2);
    const after = await host.ask('GET', `${RUNS}/t1/events?after=3.1.1`);
    expect(after.text).toMatch(/^id: 4\.0\.1\n/);
    const both = await host.ask('GET', `${RUNS}/t1/events?after=3.0.1`, { headers: { 'last-event-id': '4.0.1' } });
    expect(both.text).toMatch(/^id: 5\.0\.1\n/);
  });

  it('answers 204 to a client that has it all, so that it does not come back', async () => {
    wholeLog(1);
    const answer = await host.events('t1', '5.0.1');
    expect([answer.status, answer.text]).toEqual([204, '']);
  });

  it.each(['-1', '1e309', 'x', '1.2', '1.2.3.4', '01.0.1', '1.0.1 ', '9999999999999999.0.1'])(
    'refuses %j, which is no id, with 422 (case 29)',
    async (id) => {
      wholeLog(1);
      const answer = await host.ask('GET', `${RUNS}/t1/events?after=${encodeURIComponent(id)}`);
      expect(answer.status).toBe(422);
    },
  );

  it.each([
    ['3.0.999', '3.0.1'],
    ['3.7.1', '3.1.1'],
    ['1.0.1', null],
    ['500.0.1', '7.0.1'],
    ['4.0.0', null],
  ])(
    'answers %s, which is not in the log, with 409 and the last id that is: %s (case 29)',
    async (id, last_event_id) => {
      wholeLog(3);
      for (const tailFrom of [1, Number.POSITIVE_INFINITY]) {
        host.session.tailFrom = tailFrom;
        const answer = await host.events('t1', id);
        expect(answer.status).toBe(409);
        expect(answer.json()).toMatchObject({
          code: 'invalid_argument',
          details: { reason: 'cursor_reset', last_event_id },
        });
      }
      expect(host.http.hub.streams).toBe(0);
      expect(host.bus.followed).toBe(0);
    },
  );

  it('answers 409 for an id that another epoch wrote, with the last one that is common to both', async () => {
    const { session } = host;
    session.start(turn);
    session.chunk(turn, 1);
    session.epoch = 2;
    session.chunk(turn, 2);
    session.end(turn);
    const answer = await host.events('t1', '3.0.1');
    expect(answer.status).toBe(409);
    expect(answer.json().details.last_event_id).toBe('2.1.1');
  });

  it('answers 404 for an unknown task', async () => {
    expect((await host.events('t9')).status).toBe(404);
  });
});

describe('GET …/events of a live task', () => {
  it('begins at once, goes on with what is announced, and closes after the terminal event', async () => {
    const { session } = host;
    session.start(turn);
    const reader = new Reader('t1');
    await until(() => reader.frames.length === 1);
    expect([reader.status, reader.contentType]).toEqual([200, 'text/event-stream']);
    session.announce([session.chunk(turn, 1), session.chunk(turn, 2)]);
    await until(() => reader.frames.length === 4);
    session.announce([session.end(turn), session.chunk(turn, 3)]);
    await until(() => reader.closed);
    expect(reader.text).toBe((await host.events('t1')).text);
    expect(host.http.hub.streams).toBe(0);
    expect(host.bus.followed).toBe(0);
  });

  it('sends headers before there is anything to tell', async () => {
    const reader = new Reader('t1');
    await until(() => reader.status === 200);
    expect(reader.text).toBe('');
    host.session.announce([host.session.start(turn), host.session.end(turn)]);
    await until(() => reader.closed);
    expect(reader.frames).toHaveLength(2);
  });

  it('shows nothing of another turn', async () => {
    const other = host.session.addTurn(threadId, 't2');
    const reader = new Reader('t1');
    await until(() => reader.status === 200);
    host.session.announce([host.session.start(turn), host.session.start(other), host.session.chunk(other, 1)]);
    host.session.announce([host.session.end(other), host.session.end(turn)]);
    await until(() => reader.closed);
    expect(reader.frames.map(idOf)).toEqual(['1.0.1', '5.0.1']);
  });

  it('every follower gets the same bytes, whenever it came', async () => {
    const { session } = host;
    session.announce([session.start(turn)]);
    const readers = [new Reader('t1')];
    for (let n = 1; n <= 30; n += 1) {
      session.announce([session.chunk(turn, n, `${n}`.repeat(100))]);
      if (n % 5 === 0) {
        session.tailFrom = n % 2 === 0 ? n : 1;
        readers.push(new Reader('t1'));
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    session.announce([session.end(turn)]);
    await until(() => readers.every((reader) => reader.closed));
    const texts = new Set(readers.map((reader) => reader.text));
    expect([...texts]).toEqual([(await host.events('t1')).text]);
  });

  it('loses and repeats nothing however commits, announcements, reads, cuts and resumes interleave', async () => {
    type Action = 'commit' | 'announce' | 'cut' | 'tick' | 'forget';
    const action = fc.constantFrom<Action>('commit', 'commit', 'announce', 'announce', 'cut', 'tick', 'forget');
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { minLength: 5, maxLength: 60 }),
        fc.integer({ min: 1, max: 9 }),
        async (actions, page) => {
          const { session } = host;
          const task = session.addTurn(threadId, `t${session.records.length}-${session.turns.size}`);
          session.pageSize = page;
          session.tailFrom = session.records.length + 1;
          let announced = session.records.length;
          const announce = () => {
            const fresh = session.records.slice(announced);
            announced = session.records.length;
            session.announce(fresh);
          };
          session.start(task);
          let n = 0;
          let reader = new Reader(task.turn_id);
          let received = '';
          const cut = async () => {
            reader.req.destroy();
            await until(() => reader.closed || reader.status === 0);
            const { frames, lastId = idOf(received.trimEnd().split('\n\n').at(-1)) } = reader;
            received += frames.map((frame) => `${frame}\n\n`).join('');
            reader = new Reader(task.turn_id, lastId);
          };
          for (const act of actions) {
            if (act === 'commit') session.chunk(task, ++n);
            if (act === 'announce') announce();
            if (act === 'tick') await new Promise((resolve) => setImmediate(resolve));
            if (act === 'forget') session.tailFrom = session.records.length + 1;
            if (act === 'cut') await cut();
          }
          session.end(task);
          announce();
          await until(() => reader.closed);
          received += reader.text;
          expect(received).toBe((await host.events(task.turn_id)).text);
        },
      ),
      { numRuns: 40 },
    );
    expect(host.bus.followed).toBe(0);
  });

  it('pings every 12 s and keeps no timer when nobody listens', async () => {
    const reader = new Reader('t1');
    await until(() => reader.status === 200);
    host.clock.advance(limits.sse_ping);
    await until(() => reader.text === ': ping\n\n');
    host.clock.advance(limits.sse_ping);
    await until(() => reader.text === ': ping\n\n: ping\n\n');
    reader.req.destroy();
    await until(() => host.http.hub.streams === 0);
    host.clock.advance(limits.sse_ping);
    expect(host.clock.armed).toBe(0);
  });

  it('cuts a reader that leaves more than 256 KiB waiting, and it resumes (case 28)', async () => {
    const { session } = host;
    session.announce([session.start(turn)]);
    const slow = new Reader('t1');
    await until(() => slow.status === 200);
    slow.res?.pause();
    const text = 'x'.repeat(100_000);
    let n = 0;
    while (host.http.hub.streams > 0 && n < 1_000) {
      session.announce([session.chunk(turn, ++n, text)]);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(host.http.hub.streams).toBe(0);
    expect(n).toBeLessThan(1_000);
    slow.res?.resume();
    await until(() => slow.closed);
    session.announce([session.end(turn)]);
    const { frames, lastId } = slow;
    const rest = await host.events('t1', lastId);
    const received = frames.map((frame) => `${frame}\n\n`).join('') + rest.text;
    expect(received === (await host.events('t1')).text).toBe(true);
  });

  it('gives a reader that keeps up a burst of more than 256 KiB in pages', async () => {
    const { session } = host;
    session.announce([session.start(turn)]);
    const reader = new Reader('t1');
    await until(() => reader.frames.length === 1);
    session.tailFrom = Number.POSITIVE_INFINITY;
    session.announce(Array.from({ length: 20 }, (_, n) => session.chunk(turn, n, 'y'.repeat(50_000))));
    await until(() => reader.frames.length === 22);
    session.announce([session.end(turn)]);
    await until(() => reader.closed);
    expect(reader.text === (await host.events('t1')).text).toBe(true);
  });

  it('cuts a reader that takes nothing for 30 s (case 28)', async () => {
    const { session } = host;
    session.start(turn);
    for (let n = 1; n <= 200; n += 1) session.chunk(turn, n, 'z'.repeat(100_000));
    session.tailFrom = Number.POSITIVE_INFINITY;
    session.pageSize = 50;
    const stuck = new Reader('t1');
    await until(() => stuck.status === 200);
    stuck.res?.pause();
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (let n = 0; n < 4; n += 1) host.clock.advance(limits.sse_ping);
    await until(() => host.http.hub.streams === 0);
  });

  it('does not cut a reader that is slow but takes what it is given', async () => {
    const { session } = host;
    session.start(turn);
    for (let n = 1; n <= 200; n += 1) session.chunk(turn, n, 'z'.repeat(100_000));
    session.end(turn);
    session.tailFrom = Number.POSITIVE_INFINITY;
    const slow = new Reader('t1');
    await until(() => slow.status === 200);
    while (!slow.closed) {
      slow.res?.pause();
      await new Promise((resolve) => setTimeout(resolve, 5));
      host.clock.advance(limits.sse_ping);
      const { length } = slow.text;
      slow.res?.resume();
      await until(() => slow.closed || slow.text.length > length + 4_000_000);
    }
    expect(slow.text.replaceAll(': ping\n\n', '') === (await host.events('t1')).text).toBe(true);
  });

  it('a client that leaves is forgotten', async () => {
    const reader = new Reader('t1');
    await until(() => reader.status === 200);
    expect(host.bus.followed).toBe(1);
    reader.req.destroy();
    await until(() => host.bus.followed === 0);
    host.session.announce([host.session.start(turn)]);
    expect(host.reported).toEqual([]);
  });
});
