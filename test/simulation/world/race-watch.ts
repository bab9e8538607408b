import type { Transaction } from '@rostra/kernel/session/context';
import type { Ledger } from '../invariants/ledger.ts';
import { isCancel, type Observation } from '../invariants/observation.ts';
import type { FaultCount } from './fault-count.ts';

/** Sees races when they happen: two things met that do not wait for each other. */
export class RaceWatch {
  readonly #faults: FaultCount;
  #inputs = { at: -1, count: 0 };
  #timers = { at: -1, count: 0 };

  constructor(faults: FaultCount) {
    this.#faults = faults;
  }

  see(seen: Observation, ledger: Ledger): void {
    const { message } = seen;
    if (message.sender.kind === 'agent') this.#agent(seen);
    if (message.sender.kind === 'user') this.#user(seen, ledger);
    if (message.event === 'TIMER') this.#timer(seen);
    if (message.event === 'CONTROL' && message.subtype === 'ADD_AGENT_DONE') {
      if (seen.before.transactions[message.tx_id ?? ''] === undefined) this.#faults.add('race.invites');
    }
  }

  #agent({ message, before, publish }: Observation): void {
    const turn = before.inflight[message.turn_id ?? ''];
    if (message.event === 'CONTROL' && message.subtype === 'HANDOVER_REQUEST') {
      const refused = publish.some((out) => out.subtype === 'HANDOVER_REJECTED');
      const target = before.agents_in_session[message.payload.target_agent_id];
      if (refused && target?.st !== 'IN') this.#faults.add('race.handover_absent');
    }
    if (turn === undefined || turn.cancel === null || turn.run_id !== message.run_id) return;
    if (message.subtype === 'INPUT_ACK') this.#faults.add('race.cancel_ack');
    if (message.subtype === 'RUN_FAILED') this.#faults.add('race.cancel_failure');
    if (message.subtype !== 'final') return;
    this.#faults.add('race.cancel_final');
    const removing = Object.values(before.transactions).some(
      (tx) => tx.kind === 'REMOVE' && tx.agent_id === turn.target_agent_id,
    );
    if (removing) this.#faults.add('race.remove_final');
  }

  #user(seen: Observation, ledger: Ledger): void {
    const { message, before } = seen;
    const pending = Object.values(before.transactions);
    if (message.event === 'USER_INPUT') this.#input(seen, pending);
    if (message.event !== 'CONTROL') return;
    switch (message.subtype) {
      case 'CANCEL':
      case 'INTERRUPT':
        this.#cancel(seen, ledger);
        return;
      case 'REMOVE_AGENT':
        this.#remove(message.payload.agent_id, pending);
        return;
      case 'INVITE_AGENT': {
        const { agent_id } = message.payload;
        const of = (kind: Transaction['kind']) => pending.some((tx) => tx.kind === kind && tx.agent_id === agent_id);
        if (of('INVITE')) this.#faults.add('race.invites');
        if (of('REMOVE')) this.#faults.add('race.remove_invite');
        return;
      }
      case 'HANDOVER_CONFIRM':
      case 'HANDOVER_REJECT': {
        const tx = before.transactions[message.tx_id ?? ''];
        const known = ledger.book.all.get(message.tx_id ?? '')?.kind === 'HANDOVER';
        if (known && tx?.step !== 'PROMPTED') this.#faults.add('race.handover_answers');
        return;
      }
      case 'SESSION_CLOSE':
        if (pending.length > 0 && before.state === 'OPEN') this.#faults.add('race.close');
        return;
      case 'SESSION_OPEN':
        if (before.state === 'CLOSING') this.#faults.add('race.close');
        return;
      default:
    }
  }

  #input({ message, before, at }: Observation, pending: Transaction[]): void {
    if (message.event !== 'USER_INPUT') return;
    if (this.#inputs.at === at) this.#faults.add('race.inputs');
    this.#inputs = { at, count: this.#inputs.count + 1 };
    const busy = pending.some((tx) => tx.kind === 'HANDOVER' || tx.kind === 'REMOVE' || tx.kind === 'CLOSE');
    if (busy) this.#faults.add('race.input_transaction');
    const mention = message.payload.mentioned_agent_id;
    const speaking = before.speaking_agent_id;
    if (mention !== undefined && speaking !== null && mention !== speaking) this.#faults.add('race.mention_speaking');
  }

  #cancel({ message, before, publish }: Observation, ledger: Ledger): void {
    if (message.event !== 'CONTROL') return;
    const told = publish.find(isCancel);
    if (told !== undefined && before.inflight[told.turn_id ?? '']?.status === 'ROUTING')
      this.#faults.add('race.cancel_ack');
    if (publish.length === 0) this.#faults.add('race.cancel_cancel');
    if (!publish.some((out) => out.subtype === 'NO_ACTIVE_SPEAKING')) return;
    const last = ledger.lastEnded?.end?.status;
    if (last === 'COMPLETED') this.#faults.add('race.cancel_final');
    if (last === 'FAILED') this.#faults.add('race.cancel_failure');
  }

  #remove(agent_id: string, pending: Transaction[]): void {
    for (const tx of pending) {
      if (tx.kind === 'INVITE' && tx.agent_id === agent_id) this.#faults.add('race.remove_invite');
      if (tx.kind !== 'HANDOVER') continue;
      if (tx.handover?.from_agent_id === agent_id) this.#faults.add('race.remove_handover_source');
      if (tx.agent_id === agent_id && tx.step === 'STOPPING') this.#faults.add('race.remove_handover_target');
    }
  }

  #timer({ message, at, publish }: Observation): void {
    this.#timers = { at, count: this.#timers.at === at ? this.#timers.count + 1 : 1 };
    if (this.#timers.count === 3) this.#faults.add('timers.together');
    if (message.subtype !== 'TX') return;
    for (const out of publish) {
      if (out.event !== 'CONTROL' || out.subtype !== 'HANDOVER_RESOLVED') continue;
      if (out.payload.outcome === 'timeout') this.#faults.add('frontend.vanishes');
    }
  }
}
