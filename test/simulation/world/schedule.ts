import type { Violation } from '../invariants/oracle.ts';
import type { FaultKind } from './fault-kind.ts';
import { Finale } from './finale.ts';
import { hashText, mix } from './prng.ts';
import type { ActionKind } from './profile.ts';
import { World } from './world.ts';

const EVENTS_MAX = 20_000;

export interface ScheduleResult {
  messages: number;
  turns: number;
  faults: ReadonlyMap<FaultKind, number>;
  premises: ReadonlyMap<string, number>;
  violations: Violation[];
  decisions: string[];
  hash: number;
  /** The log of each session, as people read it. */
  log(): string[];
}

export function scheduleSeed(seed: number, index: number): number {
  return mix(mix(seed + 0x51ed270b) ^ mix(index * 2 + 1));
}

function plan(world: World): void {
  const prng = world.decisions.prng('plan');
  const { profile, timeline, sessions } = world;
  let at = 0;
  for (let index = 0; index < profile.actions; index += 1) {
    at += prng.chance(0.35) ? 0 : prng.below(profile.pause + 1);
    const kind: ActionKind = index === 0 ? 'input' : prng.weighted(profile.weights);
    const session_id = prng.pick(sessions);
    const name = `u${index}.${world.decisions.seed.toString(36)}`;
    timeline.at(at, 'plan', () => {
      if (world.decisions.allow(`${kind}@${name}`)) act(world, kind, name, session_id);
    });
  }
  timeline.at(at + prng.below(400), 'end', () => {
    world.decisions.enabled = false;
  });
}

function act(world: World, kind: ActionKind, name: string, session_id: string): void {
  if (kind === 'crash' || kind === 'power') world.crash(name, kind === 'power');
  else if (kind === 'pause') world.cluster.pause(name);
  else if (kind === 'corrupt') world.corrupt(name, session_id);
  else {
    const prng = world.decisions.prng(name);
    const screen = world.screen(session_id);
    for (const mail of world.desk.act(kind, name, screen, prng)) {
      if (kind === 'echo') world.faults.add('message.echo');
      world.submissions.submit(mail);
    }
  }
}

/** Runs one schedule. `allowed` leaves out every decision that it does not name. */
export function runSchedule(seed: number, allowed: readonly string[] | null = null): ScheduleResult {
  const world = new World(seed, allowed);
  world.boot();
  plan(world);
  const { timeline, verdict, decisions } = world;
  try {
    while (decisions.enabled && verdict.violations.length === 0 && timeline.advance(Number.POSITIVE_INFINITY)) {
      if (timeline.events > EVENTS_MAX) verdict.broken('V4', 'time stands still');
    }
    if (verdict.violations.length === 0) new Finale(world).run();
  } catch (error) {
    verdict.broken('M4', error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  const segments = world.sessions.flatMap((id) => world.stored(id)?.segments ?? []);
  let hash = seed;
  for (const segment of segments) hash = hashText(hash, segment.hash);
  let turns = 0;
  for (const id of world.sessions) turns += world.oracle(id).ledger.turns.size;
  return {
    messages: world.messages,
    turns,
    faults: world.faults.counts,
    premises: verdict.premises,
    violations: verdict.violations,
    decisions: decisions.made,
    hash: hashText(hash, `${world.messages} ${turns} ${world.faults.total}`),
    log: () => segments.flatMap(({ body }) => body.split('\n').filter((line) => line !== '')),
  };
}
