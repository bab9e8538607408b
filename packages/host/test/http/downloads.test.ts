import { Writable } from 'node:stream';
import { limits } from '@rostra/protocol/wire/limits';
import { expect, it } from 'vitest';
import { Downloads } from '../../src/http/downloads.ts';
import { ManualClock } from '../manual-clock.ts';

/** A reader that takes a piece only when it is told to. */
class SlowReader extends Writable {
  #take: (() => void) | null = null;
  #wanted: (() => void) | null = null;
  read = 0;

  constructor() {
    super({ highWaterMark: 1 });
  }

  override _write(piece: Uint8Array, _: BufferEncoding, done: () => void): void {
    this.#take = () => {
      this.read += piece.length;
      done();
    };
    this.#wanted?.();
  }

  /** Takes the piece that is being written, or the next one. */
  async take(): Promise<void> {
    if (this.#take === null) await this.waiting();
    const take = this.#take;
    this.#take = null;
    take?.();
  }

  /** Resolves as soon as something waits to be taken. */
  waiting(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#take === null) this.#wanted = resolve;
      else resolve();
    });
  }
}

const FILE = 2 * limits.stream_piece_bytes + 10;
const bytesOf = (offset: number, bytes: number) => Promise.resolve(new Uint8Array(Math.min(bytes, FILE - offset)));

function begin() {
  const clock = new ManualClock();
  const reader = new SlowReader();
  const sent = new Downloads(clock).send(reader, { first: 0, last: FILE - 1 }, bytesOf);
  return { clock, reader, sent };
}

it('a reader who takes nothing for 30 seconds is cut', async () => {
  const { clock, reader, sent } = begin();
  await reader.waiting();
  clock.advance(limits.sse_stall - 1);
  expect(reader.destroyed).toBe(false);
  clock.advance(1);
  await sent;
  expect(reader.destroyed).toBe(true);
});

it('so is one who does not take the end of the file', async () => {
  const { clock, reader, sent } = begin();
  for (let piece = 0; piece < 2; piece += 1) await reader.take();
  await reader.waiting();
  clock.advance(limits.sse_stall);
  await sent;
  expect({ isCut: reader.destroyed, read: reader.read }).toEqual({ isCut: true, read: FILE - 10 });
});

it('one who is slow and takes a piece now and then gets all of it', async () => {
  const { clock, reader, sent } = begin();
  for (let piece = 0; piece < 3; piece += 1) {
    await reader.waiting();
    clock.advance(limits.sse_stall - 1);
    await reader.take();
  }
  await sent;
  expect({ isWhole: reader.writableFinished, read: reader.read }).toEqual({ isWhole: true, read: FILE });
});

it('a file that is removed meanwhile is cut', async () => {
  const reader = new SlowReader();
  await new Downloads(new ManualClock()).send(reader, { first: 0, last: 9 }, () => Promise.resolve(null));
  expect(reader.destroyed).toBe(true);
});

it('only so many are sent at once; who comes too many is told to come again', () => {
  const downloads = new Downloads(new ManualClock());
  const places = Array.from({ length: limits.downloads }, () => downloads.admit());
  expect(() => downloads.admit()).toThrow(expect.objectContaining({ status: 429, retryable: true }));
  places[0]?.();
  downloads.admit()();
});
