import { Writable } from 'node:stream';
import type { Channel } from './channel.ts';

/**
 * This process's own stdin and stdout as a connection. From then on stdout belongs to the frames: whatever else is
 * printed (console.log, a chatty library) goes to stderr.
 */
export function claimStdio(): Channel {
  const { stdin, stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  const writable = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => void write(chunk, encoding, done),
  });
  stdout.on('error', (error) => writable.destroy(error));
  return {
    readable: stdin,
    writable,
    close() {
      writable.end();
      stdin.destroy();
    },
  };
}
