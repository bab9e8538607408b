import type { AgentMember, SessionSettings } from '@rostra/protocol/session/roster';
import type { Prng } from './prng.ts';

export type ActionKind =
  | 'input'
  | 'mention'
  | 'burst'
  | 'cancel'
  | 'switch'
  | 'invite'
  | 'remove'
  | 'answer'
  | 'open'
  | 'close'
  | 'repeat'
  | 'stranger'
  | 'echo'
  | 'crash'
  | 'power'
  | 'pause'
  | 'corrupt';

/** How likely things are that need not happen. */
export interface Rates {
  lost: number;
  duplicated: number;
  held: number;
  reordered: number;
  stale: number;
  impostor: number;
  slowCommit: number;
  failedCommit: number;
  fencedUnit: number;
  ackNever: number;
  ackAtTimeout: number;
  ackLate: number;
  silent: number;
  trickle: number;
  ignoreCancel: number;
  afterEnd: number;
  failure: number;
  oversize: number;
  handover: number;
  interaction: number;
  tool: number;
  raceFinal: number;
  managerDies: number;
  managerFails: number;
  managerLate: number;
  managerTwice: number;
  reflexCancel: number;
  reflexHandover: number;
  reflexMembership: number;
  jump: number;
  crashAt: number;
  throws: number;
  renewLate: number;
  elsewhere: number;
  lateHandover: number;
  unnamed: number;
}

export interface Profile {
  /** Processes over the one store. */
  hosts: number;
  /** How long sessions stay in memory, and how many. */
  idle: number;
  inMemory: number;
  sessions: number;
  actions: number;
  /** Longest pause between two actions, in virtual milliseconds. */
  pause: number;
  settings: SessionSettings;
  members: AgentMember[];
  defaults: string[];
  rates: Rates;
  weights: Record<ActionKind, number>;
}

const quiet: Rates = {
  lost: 0.01,
  duplicated: 0.04,
  held: 0.04,
  reordered: 0.01,
  stale: 0.01,
  impostor: 0.01,
  slowCommit: 0.15,
  failedCommit: 0.005,
  fencedUnit: 0.02,
  ackNever: 0.02,
  ackAtTimeout: 0.03,
  ackLate: 0.02,
  silent: 0.02,
  trickle: 0.02,
  ignoreCancel: 0.1,
  afterEnd: 0.08,
  failure: 0.08,
  oversize: 0.01,
  handover: 0.12,
  interaction: 0.06,
  tool: 0.2,
  raceFinal: 0.05,
  managerDies: 0.03,
  managerFails: 0.05,
  managerLate: 0.05,
  managerTwice: 0.05,
  reflexCancel: 0.05,
  reflexHandover: 0.15,
  reflexMembership: 0.1,
  jump: 0.5,
  crashAt: 0.002,
  throws: 0.001,
  renewLate: 0.05,
  elsewhere: 0.1,
  lateHandover: 0.05,
  unnamed: 0.3,
};

const plain: Record<ActionKind, number> = {
  input: 10,
  mention: 4,
  burst: 0.6,
  cancel: 1.5,
  switch: 1,
  invite: 1.2,
  remove: 1.2,
  answer: 0.6,
  open: 0.4,
  close: 0.5,
  repeat: 1,
  stranger: 1,
  echo: 0.6,
  crash: 0.2,
  power: 0.2,
  pause: 0.3,
  corrupt: 0.05,
};

interface Theme {
  rates?: Partial<Rates>;
  weights?: Partial<Record<ActionKind, number>>;
}

/** What a schedule may be about; each one has a few. */
const themes: readonly Theme[] = [
  { rates: { reflexCancel: 0.5, ignoreCancel: 0.3, raceFinal: 0.5 }, weights: { cancel: 6 } },
  { rates: { reflexMembership: 0.8 }, weights: { invite: 5, remove: 6, mention: 6 } },
  { rates: { handover: 0.9, reflexHandover: 0.3, slowCommit: 0.05 }, weights: { mention: 2 } },
  { rates: { reflexMembership: 0.5, managerFails: 0.2 }, weights: { open: 3, close: 4 } },
  { weights: { burst: 3 } },
  { rates: { slowCommit: 0.6, failedCommit: 0.06, fencedUnit: 0.4 } },
  { weights: { crash: 2.5, power: 2.5 }, rates: { slowCommit: 0.4, stale: 0.3 } },
  { rates: { lost: 0.08, duplicated: 0.2, held: 0.2, reordered: 0.1 } },
  {
    rates: { stale: 0.2, impostor: 0.2, afterEnd: 0.5, lateHandover: 0.4 },
    weights: { stranger: 5, echo: 3, repeat: 4 },
  },
  { rates: { ackNever: 0.15, ackAtTimeout: 0.3, ackLate: 0.15, silent: 0.15, trickle: 0.1 } },
  { rates: { interaction: 0.6 }, weights: { answer: 3 } },
  {
    rates: { managerDies: 0.25, managerFails: 0.3, managerLate: 0.3, managerTwice: 0.3 },
    weights: { invite: 4, remove: 8 },
  },
  { rates: { oversize: 0.15, tool: 0.6, failure: 0.3 } },
  { weights: { corrupt: 1 } },
  { weights: { pause: 4 }, rates: { elsewhere: 0.5, renewLate: 0.4 } },
  { rates: { crashAt: 0.03, interaction: 0.4, tool: 0 } },
  { rates: { throws: 0.1 } },
  { rates: { managerDies: 0.7, reflexMembership: 0.1 }, weights: { invite: 12, remove: 5 } },
];

function drawMembers(prng: Prng): AgentMember[] {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  return ids.map((agent_id, index) => ({
    agent_id,
    policy: {
      queue: index === 0 ? 'enqueue' : prng.pick(['enqueue', 'enqueue', 'reject', 'replace'] as const),
      interruptible: index === 0 || prng.chance(0.8),
      steering: prng.chance(0.35),
      resumable: prng.chance(0.5),
    },
  }));
}

/** Timeouts are short, so that a schedule is; in some they are all alike, so that they fall due together. */
function drawSettings(prng: Prng): SessionSettings {
  const same = prng.chance(0.25) ? 400 : null;
  const about = (ms: number) => same ?? ms;
  return {
    default_agent_id: prng.pick(['a', 'a', 'b', null]),
    auto_invite: prng.chance(0.3),
    timeouts: {
      ack: about(300),
      cancel: about(200),
      idle: about(500),
      turn: same === null ? 2500 : same * 4,
      add: about(300),
      remove: about(300),
      open: about(300),
      close: about(300),
      handover: about(800),
      queue: prng.pick([about(1200), 6000]),
      interaction: about(700),
      interaction_max: 2000,
    },
  };
}

export function drawProfile(prng: Prng): Profile {
  const rates = { ...quiet };
  const weights = { ...plain };
  for (let index = prng.between(1, 4); index > 0; index -= 1) {
    const theme = prng.pick(themes);
    Object.assign(rates, theme.rates);
    Object.assign(weights, theme.weights);
  }
  return {
    hosts: prng.chance(0.4) ? 2 : 1,
    idle: prng.pick([30, 900, 900]),
    inMemory: prng.chance(0.2) ? 1 : 10,
    sessions: prng.chance(0.5) ? 2 : 1,
    actions: prng.between(8, 18),
    pause: prng.pick([5, 40, 150, 600]),
    settings: drawSettings(prng),
    members: drawMembers(prng),
    defaults: prng.pick([['a', 'b'], ['a', 'b', 'c'], ['b'], ['c', 'a']]),
    rates,
    weights,
  };
}
