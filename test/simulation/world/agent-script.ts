import type { SessionSettings } from '@rostra/protocol/session/roster';
import type { Decisions } from './decisions.ts';
import type { FaultKind } from './fault-kind.ts';
import type { Prng } from './prng.ts';
import type { Rates } from './profile.ts';

export type Deed =
  | 'ack'
  | 'accepted'
  | 'alive'
  | 'chunk'
  | 'reasoning'
  | 'message'
  | 'tool.start'
  | 'tool.end'
  | 'state'
  | 'handover'
  | 'ask'
  | 'leave'
  | 'pull'
  | 'huge'
  | 'final'
  | 'failed'
  | 'exit';

export interface Line {
  /** Virtual milliseconds after the line before. */
  after: number;
  deed: Deed;
}

/** What an agent does with one turn, and how it takes being stopped. */
export interface AgentScript {
  lines: Line[];
  /** Acknowledges at this distance from T_ack instead of by a line of its own. */
  ackAtTimeout: number | null;
  onCancel: 'ack' | 'stopped' | 'final' | 'failed' | 'ignore';
  cancelDelay: number;
  /** Goes on talking after its end. */
  goesOn: boolean;
  faults: FaultKind[];
}

type Timeouts = SessionSettings['timeouts'];

function talk(prng: Prng, name: string, decisions: Decisions, rates: Rates): Line[] {
  const lines: Line[] = [];
  const pause = prng.pick([0, 1, 3, 20]);
  for (let count = prng.below(6); count > 0; count -= 1) {
    const deed = prng.weighted<Deed>({ chunk: 8, reasoning: 1.5, message: 1, state: 0.5, alive: 0.7, pull: 2 });
    lines.push({ after: prng.below(pause + 1), deed });
  }
  const insert = (line: Line) => lines.splice(prng.below(lines.length + 1), 0, line);
  if (decisions.decide(`tool@${name}`, rates.tool)) {
    const at = prng.below(lines.length + 1);
    lines.splice(at, 0, { after: 1, deed: 'tool.start' }, { after: prng.pick([2, 30, 700]), deed: 'tool.end' });
  }
  if (decisions.decide(`handover@${name}`, rates.handover)) insert({ after: 1, deed: 'handover' });
  if (decisions.decide(`ask@${name}`, rates.interaction)) {
    for (let count = prng.between(1, 2); count > 0; count -= 1) insert({ after: 1, deed: prng.pick(['ask', 'leave']) });
  }
  if (decisions.decide(`huge@${name}`, rates.oversize)) insert({ after: 1, deed: 'huge' });
  return lines;
}

function trickle(timeouts: Timeouts, prng: Prng): Line[] {
  const after = Math.floor(timeouts.idle * 0.7);
  const deeds: readonly Deed[] = ['alive', 'chunk', 'chunk'];
  return Array.from({ length: Math.ceil(timeouts.turn / after) + 2 }, () => ({ after, deed: prng.pick(deeds) }));
}

/** Draws how the agent behaves in this run. `handed`: it was handed over to, and may say so in other words. */
export function drawScript(
  name: string,
  decisions: Decisions,
  rates: Rates,
  timeouts: Timeouts,
  handed: boolean,
): AgentScript {
  const prng = decisions.prng(`script:${name}`);
  const lines = talk(prng, name, decisions, rates);
  lines.push({
    after: prng.pick([0, 1, 10]),
    deed: decisions.decide(`fails@${name}`, rates.failure) ? prng.pick(['failed', 'exit'] as const) : 'final',
  });
  const script: AgentScript = {
    lines,
    ackAtTimeout: null,
    onCancel: prng.pick(['ack', 'ack', 'ack', 'stopped', 'final', 'failed'] as const),
    cancelDelay: prng.pick([0, 1, 10, 60]),
    goesOn: decisions.decide(`goeson@${name}`, rates.afterEnd),
    faults: [],
  };
  const greeting: Line = { after: prng.pick([0, 1, 8]), deed: handed && prng.chance(0.5) ? 'accepted' : 'ack' };
  const does = (what: string, rate: number, kind: FaultKind) => {
    if (!decisions.decide(`${what}@${name}`, rate)) return false;
    script.faults.push(kind);
    return true;
  };
  if (does('ack.never', rates.ackNever, 'ack.never')) script.lines = [];
  else if (does('ack.at', rates.ackAtTimeout, 'ack.at_timeout')) script.ackAtTimeout = prng.pick([-1, 0, 0, 1]);
  else if (does('ack.late', rates.ackLate, 'ack.late'))
    lines.unshift({ ...greeting, after: timeouts.ack + prng.pick([1, 5, 50]) });
  else if (does('silent', rates.silent, 'agent.silent'))
    script.lines = [greeting, ...lines.slice(0, prng.below(2)).filter(({ deed }) => deed !== 'final')];
  else if (does('trickle', rates.trickle, 'agent.trickles')) script.lines = [greeting, ...trickle(timeouts, prng)];
  // Without an acknowledgement the first output starts the turn.
  else if (prng.chance(0.85)) lines.unshift(greeting);
  if (does('ignore', rates.ignoreCancel, 'cancel.ignored')) script.onCancel = 'ignore';
  return script;
}
