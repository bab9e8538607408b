import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { Channel } from '@rostra/transport/channel';
import { attend, type ServeWorld } from './attend.ts';
import type { Runner } from './runner.ts';

export interface RemoteHost {
  /** `wss://host.example/api/v1/runners/socket` */
  readonly url: string;
  /** The runner's own token, as the host's configuration has it. */
  readonly token: string;
  /** Ends serving; without it a remote runner serves for ever. */
  readonly signal?: AbortSignal;
}

type Connect = (remote: RemoteHost) => Promise<Channel>;

/**
 * Dials the host, serves it until the connection is lost, and dials again: soon at first, then ever more seldom. A host
 * that refuses the token is not asked again.
 */
export async function dial(
  runners: readonly Runner[],
  remote: RemoteHost,
  connect: Connect,
  world: ServeWorld,
): Promise<void> {
  const { signal } = remote;
  let pause: number = limits.redial_min;
  while (signal?.aborted !== true) {
    const channel = await connect(remote).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'unauthorized') throw error;
      world.warn(`no connection: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    });
    if (channel !== null) {
      const connectedAt = world.now();
      const hangUp = () => channel.close();
      signal?.addEventListener('abort', hangUp, { once: true });
      await attend(runners, channel, world);
      signal?.removeEventListener('abort', hangUp);
      // A connection that held has earned a quick redial; one that breaks at once has not.
      if (world.now() - connectedAt >= limits.redial_max) pause = limits.redial_min;
    }
    await waited(pause, signal, world);
    pause = Math.min(pause * 2, limits.redial_max);
  }
}

function waited(ms: number, signal: AbortSignal | undefined, { timers }: ServeWorld): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const stop = timers.after(ms, done);
    function done(): void {
      stop();
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done, { once: true });
  });
}
