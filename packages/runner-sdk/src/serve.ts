import type { Channel } from '@rostra/transport/channel';
import { claimStdio } from '@rostra/transport/process-stdio';
import { systemTimers, type Timers } from '@rostra/transport/timers';
import { attend, type ServeWorld } from './attend.ts';
import type { RemoteHost } from './dial.ts';
import type { Runner } from './runner.ts';

export interface ServeOptions extends Partial<RemoteHost> {
  /** Where the host is; this process's own stdio unless told. */
  readonly channel?: Channel;
  readonly timers?: Timers;
  readonly now?: () => number;
  /** Gets what an operator should know; stderr unless told. */
  readonly warn?: (line: string) => void;
}

/**
 * Answers the host until it is gone, then asks every run to stop. On stdio, whatever is printed goes to stderr, and the
 * process ends with its host: nothing that it could still do would reach anyone. With `url` and `token` it dials a host
 * elsewhere instead, and again whenever the connection is lost.
 */
export async function serve(runners: readonly Runner[], options: ServeOptions = {}): Promise<void> {
  const { channel, url, token, signal } = options;
  const world: ServeWorld = {
    timers: options.timers ?? systemTimers,
    now: options.now ?? Date.now,
    warn: options.warn ?? writeToStderr,
  };
  if (url !== undefined) {
    if (token === undefined) throw new Error('a remote host is dialled with a token');
    // Only a remote runner pays for loading it.
    const [{ dial }, { dialWebsocket }] = await Promise.all([
      import('./dial.ts'),
      import('@rostra/transport/websocket'),
    ]);
    const remote = { url, token, ...(signal === undefined ? {} : { signal }) };
    await dial(runners, remote, dialWebsocket, world);
    return;
  }
  await attend(runners, channel ?? claimStdio(), world);
  if (channel === undefined) process.exit(0);
}

function writeToStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
