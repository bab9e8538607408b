/** O: what agents say and what frontends see of it. */

import { limits } from '@rostra/protocol/wire/limits';
import type { Invariant, Step } from './invariant.ts';
import { isForwarded, isShown, terminalOf } from './observation.ts';
import { sameJson } from './same-json.ts';

function failedWith({ publish }: Step, turn_id: string): string | null {
  for (const out of publish) {
    if (out.event === 'EVENT' && out.subtype === 'TURN_FAILED' && out.turn_id === turn_id) return out.payload.code;
  }
  return null;
}

/** An output of a live turn that nobody cancelled, from the very run that may speak. */
function speaker({ ledger, message }: Step) {
  const turn = ledger.live.get(message.turn_id ?? '');
  if (turn === undefined || turn.run_id !== message.run_id || turn.agent !== message.sender.id) return null;
  return message.sender.kind === 'agent' && message.epoch === ledger.epoch ? turn : null;
}

export const outputInvariants: readonly Invariant[] = [
  {
    id: 'O1',
    parts: ['foreign'],
    check({ ledger, message, publish }, say) {
      for (const out of publish) {
        if (!isForwarded(out)) continue;
        say.met();
        const turn = ledger.live.get(out.turn_id ?? '');
        if (turn === undefined) say.broken(`output of ${out.turn_id}, which does not live`);
        else if (message.sender.id !== turn.agent) say.broken(`${message.sender.id} speaks for ${turn.agent}`);
        else if (message.run_id !== turn.run_id) say.broken(`run ${message.run_id} speaks for ${turn.run_id}`);
      }
    },
    ignored({ ledger, message }, say) {
      if (message.sender.kind !== 'agent' || message.event !== 'AGENT_OUTPUT') return;
      const turn = ledger.live.get(message.turn_id ?? '');
      if (turn !== undefined && turn.agent !== message.sender.id) say.met('foreign');
    },
  },
  {
    id: 'O2',
    check({ ledger, publish }, say) {
      const ended = new Set<string>();
      for (const out of publish) {
        const id = out.turn_id ?? '';
        if (terminalOf(out) !== null) ended.add(id);
        if (out.event !== 'AGENT_OUTPUT' || !isShown(out)) continue;
        if (ended.has(id) || ledger.turns.get(id)?.end) say.broken(`${out.subtype} of ${id} after its end`);
      }
    },
    ignored({ ledger, message }, say) {
      if (message.event === 'AGENT_OUTPUT' && ledger.turns.get(message.turn_id ?? '')?.end) say.met();
    },
  },
  {
    id: 'O3',
    check({ ledger, message, publish }, say) {
      if (message.event === 'AGENT_OUTPUT' && ledger.live.get(message.turn_id ?? '')?.cancel) say.met();
      for (const out of publish) {
        const isSign = out.event === 'AGENT_OUTPUT' || out.subtype === 'AGENT_STARTED';
        if (!isSign || !isShown(out)) continue;
        if (ledger.turns.get(out.turn_id ?? '')?.cancel)
          say.broken(`${out.subtype} of ${out.turn_id} after its cancel`);
      }
    },
  },
  {
    id: 'O4',
    parts: ['gap', 'repeat'],
    check(step, say) {
      const { ledger, message, publish } = step;
      for (const out of publish) {
        if (out.event !== 'AGENT_OUTPUT' || out.subtype !== 'chunk' || !isShown(out)) continue;
        say.met();
        const turn = ledger.turns.get(out.turn_id ?? '');
        if (out.payload.n !== turn?.chunks) say.broken(`chunk ${out.payload.n} of ${out.turn_id}, not ${turn?.chunks}`);
      }
      const turn = speaker(step);
      if (turn === null || turn.cancel !== null || message.sequence === undefined) return;
      if (message.sequence < turn.next_sequence) say.broken(`${message.id} was taken twice`);
      if (message.sequence > turn.next_sequence) {
        say.met('gap');
        const code = failedWith(step, turn.id);
        if (code !== 'OUTPUT_GAP') say.broken(`after ${turn.next_sequence} came ${message.sequence}: ${code}`);
      }
    },
    ignored(step, say) {
      const turn = speaker(step);
      const { sequence } = step.message;
      if (turn === null || sequence === undefined) return;
      if (sequence < turn.next_sequence) say.met('repeat');
      else say.broken(`${step.message.id} was due and was dropped`);
    },
  },
  {
    id: 'O5',
    check({ message, publish, before }, say) {
      for (const out of publish) {
        if (!isForwarded(out)) continue;
        say.met();
        if (!sameJson(out.payload, message.payload)) say.broken(`the payload of ${message.id} was changed`);
        if (!sameJson(out.metadata, message.metadata)) say.broken(`the metadata of ${message.id} was changed`);
        const own = out.session_id === before.session_id && out.turn_id === message.turn_id;
        if (!own || out.sender.kind !== 'session' || out.target !== 'FRONTEND') say.broken(`${message.id}: envelope`);
      }
    },
  },
  {
    id: 'O6',
    parts: ['completed'],
    settle({ ledger, publish }, say) {
      for (const out of publish) {
        const turn = ledger.turns.get(out.turn_id ?? '');
        if (turn === undefined || turn.text === '') continue;
        if (isForwarded(out) && out.subtype === 'chunk') {
          say.met();
          if (turn.text !== turn.received) say.broken(`${turn.id}: shown "${turn.text}", received "${turn.received}"`);
        }
        if (terminalOf(out) === 'COMPLETED') say.met('completed');
      }
    },
  },
  {
    id: 'O7',
    check({ publish, before }, say) {
      for (const out of publish) {
        if (!isShown(out)) continue;
        say.met();
        const { kind, id } = out.sender;
        if (kind !== 'session' || id !== before.session_id) say.broken(`${out.subtype} comes from ${kind} ${id}`);
      }
    },
  },
  {
    id: 'O8',
    settle(step, say) {
      const { ledger, message } = step;
      const turn = ledger.turns.get(message.turn_id ?? '');
      if (turn === undefined) return;
      if (turn.bytes > limits.turn_bytes) say.broken(`${turn.id} has ${turn.bytes} bytes`);
      if (turn.chunks > limits.turn_chunks) say.broken(`${turn.id} has ${turn.chunks} chunks`);
      if (failedWith(step, turn.id) === 'payload_too_large') say.met();
    },
  },
  {
    id: 'O.brackets',
    check({ ledger, publish }, say) {
      const open = new Map<string, string | null>();
      for (const out of publish) {
        const id = out.turn_id ?? '';
        const current = open.has(id) ? open.get(id) : (ledger.turns.get(id)?.open_message ?? null);
        if (terminalOf(out) !== null && current) say.broken(`${id} ends inside message ${current}`);
        if (out.event !== 'AGENT_OUTPUT' || !isShown(out)) continue;
        if (out.subtype === 'message.started') {
          if (current) say.broken(`${out.payload.message_id} starts inside ${current}`);
          open.set(id, out.payload.message_id);
        }
        if (out.subtype === 'message.ended') {
          say.met();
          if (current !== out.payload.message_id) say.broken(`${out.payload.message_id} ends, ${current} is open`);
          open.set(id, null);
        }
        if (out.subtype === 'chunk' && current !== out.payload.message_id) say.broken('a chunk outside its message');
      }
    },
  },
];
