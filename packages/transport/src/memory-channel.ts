import { PassThrough } from 'node:stream';
import type { Channel } from './channel.ts';

/** Both ends of one connection inside one process. */
export function memoryChannels(): [Channel, Channel] {
  const there = new PassThrough();
  const back = new PassThrough();
  return [end(back, there), end(there, back)];
}

function end(readable: PassThrough, writable: PassThrough): Channel {
  return {
    readable,
    writable,
    close() {
      writable.end();
      readable.destroy();
    },
  };
}
