/** S: speaking and arbitration. */

import type { Waiting } from '@rostra/kernel/session/context';
import { limits } from '@rostra/protocol/wire/limits';
import type { Invariant } from './invariant.ts';
import { isCancel, isForwarded, terminalOf } from './observation.ts';

/** What a turn waits for that is with no agent. */
function isOfNoAgent({ for: kind }: Waiting): boolean {
  return kind === 'QUEUE' || kind === 'ADD_AGENT' || kind === 'STEERING';
}

export const speakingInvariants: readonly Invariant[] = [
  {
    id: 'S1',
    check({ ledger, publish }, say) {
      let { talker } = ledger;
      for (const out of publish) {
        if (isForwarded(out) && out.subtype === 'chunk') {
          if (talker === null && ledger.talked > 0) say.met();
          if (talker !== null && talker !== out.turn_id) say.broken(`${out.turn_id} speaks while ${talker} does`);
          talker = out.turn_id ?? null;
        }
        if (terminalOf(out) !== null && out.turn_id === talker) talker = null;
      }
    },
  },
  {
    id: 'S2',
    settle({ ledger, after }, say) {
      let voices = 0;
      let expected: string | null = null;
      for (const turn of ledger.live.values()) {
        if (!turn.spoke) continue;
        voices += 1;
        expected ??= turn.agent;
      }
      if (voices > 0) say.met();
      if (voices > 1) say.broken(`${voices} live turns have spoken`);
      if (after.speaking_agent_id !== expected) {
        say.broken(`speaking is ${after.speaking_agent_id}, not ${expected}`);
      }
      for (const id in after.inflight) {
        const turn = after.inflight[id];
        if (turn === undefined) continue;
        const spoke = ledger.turns.get(turn.turn_id)?.spoke ?? false;
        if ((turn.first_output_at !== null) !== spoke) say.broken(`first output of ${turn.turn_id} is misstated`);
        if (spoke && turn.status !== 'RUNNING') say.broken(`${turn.turn_id} speaks and is ${turn.status}`);
      }
    },
  },
  {
    id: 'S3',
    settle({ ledger, after }, say) {
      if (after.speaking_agent_id === null) return;
      say.met();
      if (!ledger.members.has(after.speaking_agent_id)) say.broken(`${after.speaking_agent_id} speaks, not a member`);
    },
  },
  {
    id: 'S4',
    check({ ledger, publish }, say) {
      let current = ledger.dispatched()?.id ?? null;
      for (const out of publish) {
        if (out.event !== 'EVENT') continue;
        if (terminalOf(out) !== null && out.turn_id === current) current = null;
        if (out.subtype !== 'TURN_DISPATCHED') continue;
        if (current !== null) say.broken(`${out.turn_id} is dispatched while ${current} runs`);
        current = out.turn_id ?? null;
      }
      if (current !== null && ledger.live.size > 1) say.met();
    },
    settle({ after }, say) {
      let running = 0;
      for (const id in after.inflight) if (!after.inflight[id]?.waiting.some(isOfNoAgent)) running += 1;
      if (running > 1) say.broken(`${running} turns are with agents`);
    },
  },
  {
    id: 'S5',
    check({ message, before, publish }, say) {
      const asked = message.event === 'CONTROL' && (message.subtype === 'CANCEL' || message.subtype === 'INTERRUPT');
      if (!asked || !publish.some(isCancel)) return;
      say.met();
      if (!before.user_interruptible) say.broken('a cancel was accepted though nothing may be interrupted');
    },
    settle({ ledger, after }, say) {
      if (after.user_interruptible && ledger.dispatched() === null) say.broken('interruptible, and nothing runs');
    },
  },
  {
    id: 'S6',
    parts: ['full'],
    check({ publish }, say) {
      for (const out of publish) {
        if (out.event === 'ERROR' && out.subtype === 'REFUSED' && out.payload.reason === 'QUEUE_FULL') say.met('full');
      }
    },
    settle({ ledger, before, after, publish }, say) {
      // Without a queue nobody waits, and nobody is passed over.
      if (after.queue.length === 0) return;
      if (after.queue.length > 1) say.met();
      const orders = after.queue.map((id) => ledger.turns.get(id)?.order ?? 0);
      if (orders.some((order, index) => index > 0 && order < (orders[index - 1] ?? 0))) {
        say.broken(`the queue is not in accept order: ${after.queue.join(' ')}`);
      }
      const own = after.queue.filter((id) => ledger.turns.get(id)?.state !== 'steering').length;
      if (own > limits.queue) say.broken(`${own} inputs wait in the queue`);
      const waits = (id: string) => before.queue.includes(id) && after.queue.includes(id);
      const passed = after.queue.filter(waits).map((id) => ledger.turns.get(id)?.order ?? 0);
      for (const out of publish) {
        if (out.event !== 'EVENT' || out.subtype !== 'TURN_DISPATCHED' || !before.queue.includes(out.turn_id ?? '')) {
          continue;
        }
        const order = ledger.turns.get(out.turn_id ?? '')?.order ?? 0;
        if (passed.some((other) => other < order)) say.broken(`${out.turn_id} was dispatched before its elders`);
      }
    },
  },
];
