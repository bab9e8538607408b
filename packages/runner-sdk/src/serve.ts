import { limits } from '@rostra/protocol/wire/limits';
import type { WireMethod } from '@rostra/protocol/wire/method';
import type { Channel } from '@rostra/transport/channel';
import { Peer } from '@rostra/transport/peer';
import { claimStdio } from '@rostra/transport/process-stdio';
import { systemTimers, type Timers } from '@rostra/transport/timers';
import type { Runner } from './runner.ts';
import { RunnerDesk } from './runner-desk.ts';

export interface ServeOptions {
  /** Where the host is; this process's own stdio unless told. */
  readonly channel?: Channel;
  readonly timers?: Timers;
  /** Gets what an operator should know; stderr unless told. */
  readonly warn?: (line: string) => void;
}

/**
 * Answers the host until it is gone, then asks every run to stop. On stdio, whatever is printed goes to stderr, and the
 * process ends with its host: nothing that it could still do would reach anyone.
 */
export async function serve(runners: readonly Runner[], options: ServeOptions = {}): Promise<void> {
  const { channel = claimStdio(), timers = systemTimers, warn = writeToStderr } = options;
  const peer = new Peer(channel, {
    timers,
    onStray: (line) => warn(`not a frame: ${line.slice(0, limits.log_line_chars)}`),
  });
  const desk = new RunnerDesk(runners, { peer, timers, warn });
  answer(peer, desk);
  const stopSigns = repeat(timers, limits.runner_alive, () => desk.alive());
  await new Promise<void>((resolve) => peer.onClose(() => resolve()));
  stopSigns();
  await stopped(desk, timers);
  if (options.channel === undefined) process.exit(0);
}

function answer(peer: Peer, desk: RunnerDesk): void {
  const requests: Partial<Record<WireMethod, Parameters<Peer['onRequest']>[1]>> = {
    LIST_AGENT_RUNNERS: (params) => desk.list(params),
    RUN_AGENT: (params) => desk.run(params),
    CANCEL_RUN: (params) => desk.cancel(params),
    PING: () => ({}),
  };
  for (const [method, handler] of Object.entries(requests)) peer.onRequest(method, handler);
  const credit: WireMethod = 'RUN_CREDIT';
  peer.onNotification(credit, (params) => desk.credit(params));
}

/** A generator that does not listen is left behind after a moment. */
function stopped(desk: RunnerDesk, timers: Timers): Promise<void> {
  return new Promise((resolve) => {
    const giveUp = timers.after(limits.runner_stop, resolve);
    void desk.stop().then(() => {
      giveUp();
      resolve();
    });
  });
}

function repeat(timers: Timers, ms: number, act: () => void): () => void {
  let stop = timers.after(ms, again);
  function again(): void {
    act();
    stop = timers.after(ms, again);
  }
  return () => stop();
}

function writeToStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
