/** A: membership and the active agent. */

import type { SessionMessage } from '@rostra/protocol/session/message';
import type { Invariant, Step } from './invariant.ts';
import type { Ledger } from './ledger.ts';
import { isForwarded, isInput } from './observation.ts';

type Switch = Extract<SessionMessage, { subtype: 'SWITCH_AGENT' }>;

function isSwitch(out: SessionMessage): out is Switch {
  return out.event === 'CONTROL' && out.subtype === 'SWITCH_AGENT';
}

function switches(publish: readonly SessionMessage[], target: SessionMessage['target']): Switch[] {
  return publish.filter(isSwitch).filter((out) => out.target === target);
}

/** Default agent if it is in, else whoever joined first, else nobody. */
function heir(ledger: Ledger): string | null {
  const wanted = ledger.settings?.default_agent_id ?? null;
  if (wanted !== null && ledger.members.get(wanted)?.removing === false) return wanted;
  let eldest: string | null = null;
  let order = Number.POSITIVE_INFINITY;
  for (const [id, member] of ledger.members) {
    if (member.removing || member.order >= order) continue;
    eldest = id;
    order = member.order;
  }
  return eldest;
}

/** The member that an output or an input concerns is here and stays. */
function isBound(ledger: Ledger, agent_id: string | undefined): boolean {
  return ledger.members.get(agent_id ?? '')?.removing === false;
}

function checkChain({ ledger, before, after, publish }: Step): string | null {
  if (before.active_agent_id === after.active_agent_id && !publish.some(isSwitch)) return null;
  const facts = switches(publish, 'BROADCAST');
  const shown = switches(publish, 'FRONTEND');
  const changed = before.active_agent_id !== after.active_agent_id;
  if (facts.length !== (changed ? 1 : 0)) return `${facts.length} switches, active ${changed ? 'changed' : 'stayed'}`;
  if (shown.length !== facts.length) return 'the switch was not shown once';
  const [fact] = facts;
  const [copy] = shown;
  if (fact === undefined || copy === undefined) return null;
  const { from, to, reason, trigger } = fact.payload;
  if (from === to) return `a switch from ${from} to itself`;
  if (from !== ledger.active) return `a switch from ${from}, and ${ledger.active} was active`;
  if (to !== after.active_agent_id) return `a switch to ${to}, and ${after.active_agent_id} is active`;
  if (reason === undefined || trigger === undefined) return 'a switch without reason';
  if (copy.id !== fact.id || JSON.stringify(copy.payload) !== JSON.stringify(fact.payload)) return 'the copy differs';
  return null;
}

export const membershipInvariants: readonly Invariant[] = [
  {
    id: 'A1',
    settle({ ledger, after }, say) {
      if (after.active_agent_id === null) return;
      say.met();
      if (!isBound(ledger, after.active_agent_id)) say.broken(`active ${after.active_agent_id} is not in the session`);
    },
  },
  {
    id: 'A2',
    parts: ['leaving'],
    check({ ledger, message, publish }, say) {
      for (const out of publish) {
        if (!isForwarded(out)) continue;
        say.met();
        if (!isBound(ledger, message.sender.id)) say.broken(`output of ${message.sender.id}, who is not in`);
      }
      const leaving = ledger.members.get(message.sender.id)?.removing === true;
      if (message.sender.kind === 'agent' && message.event === 'AGENT_OUTPUT' && leaving) say.met('leaving');
    },
    settle({ ledger, publish }, say) {
      for (const out of publish) {
        if (isInput(out) && !isBound(ledger, out.target_id)) say.broken(`input for ${out.target_id}, who is not in`);
      }
    },
  },
  {
    id: 'A3',
    check(step, say) {
      if (step.before.active_agent_id !== step.after.active_agent_id) say.met();
      const wrong = checkChain(step);
      if (wrong !== null) say.broken(wrong);
    },
  },
  {
    id: 'A4',
    settle({ ledger, before, after }, say) {
      if (before.agents_in_session === after.agents_in_session) return;
      say.met();
      const members = Object.values(after.agents_in_session);
      for (const { agent_id, st } of members) {
        const member = ledger.members.get(agent_id);
        if (member === undefined) say.broken(`${agent_id} is in without a word`);
        else if (member.removing !== (st === 'REMOVING')) say.broken(`${agent_id} is ${st} without a word`);
      }
      if (members.length !== ledger.members.size) say.broken('somebody left without a word');
    },
    check({ message, publish }, say) {
      for (const out of publish) {
        if (out.event !== 'EVENT') continue;
        const added = out.subtype === 'AGENT_ADDED' && !out.payload.existing;
        const opened = out.subtype === 'SESSION_OPENED' && !out.payload.existing;
        if (added && message.subtype !== 'ADD_AGENT_DONE') say.broken(`AGENT_ADDED by ${message.subtype}`);
        if (opened && message.subtype !== 'SESSION_OPENED') say.broken(`SESSION_OPENED by ${message.subtype}`);
      }
    },
  },
  {
    id: 'A5',
    settle({ ledger, publish }, say) {
      for (const fact of switches(publish, 'BROADCAST')) {
        if (fact.payload.reason !== 'fallback') continue;
        say.met();
        const expected = heir(ledger);
        if (fact.payload.to !== expected) say.broken(`fell back to ${fact.payload.to}, not ${expected}`);
      }
    },
  },
  {
    id: 'A6',
    check({ message, publish }, say) {
      if (message.event !== 'USER_INPUT' || message.payload.mentioned_agent_id === undefined) return;
      const wanted = message.payload.mentioned_agent_id;
      for (const out of publish) {
        if (out.event !== 'EVENT' || out.subtype !== 'TURN_ACCEPTED') continue;
        if (out.turn_id !== (message.turn_id ?? message.id)) continue;
        say.met();
        if (out.payload.agent_id !== wanted) say.broken(`a mention of ${wanted} went to ${out.payload.agent_id}`);
      }
    },
  },
  {
    id: 'A7',
    settle({ ledger, after }, say) {
      if (Object.keys(after.agents_in_session).length > 0) return;
      if (ledger.wasOpen) say.met();
      if (after.active_agent_id !== null || after.speaking_agent_id !== null) say.broken('nobody is in, yet active');
    },
  },
];
