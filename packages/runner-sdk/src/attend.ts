import { limits } from '@rostra/protocol/wire/limits';
import type { WireMethod } from '@rostra/protocol/wire/method';
import type { Channel } from '@rostra/transport/channel';
import { Peer } from '@rostra/transport/peer';
import type { Timers } from '@rostra/transport/timers';
import { CallStreams } from './api-stream.ts';
import { Gathering } from './gathering.ts';
import { NextTurn } from './next-turn.ts';
import type { Runner } from './runner.ts';
import { RunnerDesk } from './runner-desk.ts';

/** What serving takes from outside. */
export interface ServeWorld {
  readonly timers: Timers;
  readonly now: () => number;
  readonly warn: (line: string) => void;
}

/** Answers one host over one connection until it is gone; then every run is asked to stop, and waited for a moment. */
export async function attend(runners: readonly Runner[], channel: Channel, world: ServeWorld): Promise<void> {
  const { timers, warn, now } = world;
  const peer = new Peer(channel, {
    timers,
    onStray: (line) => warn(`not a frame: ${line.slice(0, limits.log_line_chars)}`),
  });
  const streams = new CallStreams();
  const gathering = new Gathering(timers, now);
  const turn = new NextTurn(timers);
  const desk = new RunnerDesk(runners, { peer, timers, turn, streams, gathering, warn, now });
  answer(peer, desk, streams);
  const stopSigns = repeat(timers, limits.runner_alive, () => desk.alive());
  await new Promise<void>((resolve) => peer.onClose(() => resolve()));
  stopSigns();
  await stopped(desk, timers);
  desk.kill();
}

function answer(peer: Peer, desk: RunnerDesk, streams: CallStreams): void {
  const requests: Partial<Record<WireMethod, Parameters<Peer['onRequest']>[1]>> = {
    LIST_AGENT_RUNNERS: (params) => desk.list(params),
    RUN_AGENT: (params) => desk.run(params),
    CANCEL_RUN: (params) => desk.cancel(params),
    PING: () => ({}),
  };
  for (const [method, handler] of Object.entries(requests)) peer.onRequest(method, handler);
  const notifications: Partial<Record<WireMethod, Parameters<Peer['onNotification']>[1]>> = {
    CONTEXT_PART: (params) => desk.keepPart(params),
    RUN_CREDIT: (params) => desk.credit(params),
    CALL_CHUNK: (params) => streams.receive(params),
  };
  for (const [method, handler] of Object.entries(notifications)) peer.onNotification(method, handler);
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
