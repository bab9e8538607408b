/** X: transactions. */

import type { Transaction } from '@rostra/kernel/session/context';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { limits } from '@rostra/protocol/wire/limits';
import type { Invariant, Step } from './invariant.ts';
import type { Ledger } from './ledger.ts';
import { isCancel, terminalOf } from './observation.ts';
import { SLACK } from './turn-deadlines.ts';

/** Which transaction a receipt of the SessionManager answers. */
const receipts: Readonly<Record<string, readonly Transaction['kind'][]>> = {
  ADD_AGENT_DONE: ['INVITE'],
  ADD_AGENT_FAILED: ['INVITE'],
  REMOVE_AGENT_DONE: ['REMOVE'],
  REMOVE_AGENT_FAILED: ['REMOVE'],
  SESSION_OPENED: ['OPEN'],
  SESSION_CLOSED: ['CLOSE'],
  SESSION_FAILED: ['OPEN', 'CLOSE'],
};

/** Messages that belong to a transaction and must say to which. */
function belongs(out: SessionMessage): boolean {
  if (out.event === 'CONTROL') {
    if (out.subtype === 'REQUEST_TERMINATE_RUN') return false;
    return out.target === 'SYSTEM' || out.subtype === 'HANDOVER_UI_PROMPT' || out.subtype === 'HANDOVER_RESOLVED';
  }
  if (out.event === 'ERROR') return ['ADD_AGENT_FAILED', 'REMOVE_AGENT_FAILED', 'SESSION_FAILED'].includes(out.subtype);
  if (out.event !== 'EVENT') return false;
  if (out.subtype === 'AGENT_ADDED' || out.subtype === 'SESSION_OPENED' || out.subtype === 'SESSION_CLOSED') {
    return !out.payload.existing;
  }
  return ['ADDING_AGENT', 'AGENT_REMOVING', 'AGENT_REMOVED_LOCAL', 'AGENT_REMOVED', 'CANCEL_SENT'].includes(
    out.subtype,
  );
}

function isReceipt(message: SessionMessage): boolean {
  return message.sender.kind === 'session_manager' && receipts[message.subtype] !== undefined;
}

/** Whether the receipt finds what it answers. */
function isAwaited(ledger: Ledger, message: SessionMessage): boolean {
  const tx = ledger.book.pending.get(message.tx_id ?? '');
  return tx !== undefined && receipts[message.subtype]?.includes(tx.kind) === true;
}

/** How long a transaction may stay in its present stage. */
function longestStage(ledger: Ledger, tx: { kind: Transaction['kind']; step: Transaction['step'] }): number {
  const t = ledger.settings?.timeouts;
  if (t === undefined) return Number.POSITIVE_INFINITY;
  const stopping = tx.step === 'STOPPING' ? t.cancel : 0;
  switch (tx.kind) {
    case 'OPEN':
      return t.open;
    case 'CLOSE':
      return t.close + stopping;
    case 'REMOVE':
      return t.remove + stopping;
    case 'INVITE':
      return t.add;
    case 'CANCEL':
      return t.cancel;
    case 'HANDOVER':
      return tx.step === 'PROMPTED' ? t.handover : t.cancel + t.ack;
  }
}

export function overdueTransaction(ledger: Ledger, at: number): string | null {
  for (const tx of ledger.book.pending.values()) {
    const age = at - tx.stage.at - (ledger.down - tx.stage.down);
    if (age > longestStage(ledger, tx) + SLACK) return `${tx.id} is pending after ${age} ms`;
  }
  return null;
}

function endedIn({ before, after }: Step, kind: Transaction['kind']): Transaction[] {
  if (before.transactions === after.transactions) return [];
  return Object.values(before.transactions).filter(
    (tx) => tx.kind === kind && after.transactions[tx.tx_id] === undefined,
  );
}

function hasRequest(publish: readonly SessionMessage[], subtype: SessionMessage['subtype']): SessionMessage[] {
  return publish.filter((out) => out.event === 'CONTROL' && out.target === 'SYSTEM' && out.subtype === subtype);
}

export const transactionInvariants: readonly Invariant[] = [
  {
    id: 'X1',
    parts: ['stray'],
    check({ ledger, message, publish, before, after }, say) {
      for (const out of publish) {
        if (!belongs(out)) continue;
        say.met();
        const id = (out.tx_id ?? '').replace(/:undo$/, '');
        const known = ledger.book.all.has(id) || after.transactions[id] !== undefined || before.transactions[id];
        if (!known) say.broken(`${out.subtype} belongs to no transaction`);
      }
      if (!isReceipt(message) || isAwaited(ledger, message)) return;
      const undo = hasRequest(publish, 'REQUEST_REMOVE_AGENT').every((out) => out.tx_id?.endsWith(':undo'));
      const late = message.subtype === 'ADD_AGENT_DONE' && ledger.book.all.get(message.tx_id ?? '')?.kind === 'INVITE';
      if (!late || !undo || publish.length > 1) say.broken(`${message.subtype} answers nothing and has an effect`);
    },
    ignored({ ledger, message }, say) {
      if (isReceipt(message) && !isAwaited(ledger, message)) say.met('stray');
    },
  },
  {
    id: 'X2',
    settle({ ledger, at, before, after }, say) {
      for (const id in before.transactions) if (after.transactions[id] === undefined) say.met();
      const overdue = overdueTransaction(ledger, at);
      if (overdue !== null) say.broken(overdue);
    },
  },
  {
    id: 'X3',
    settle({ ledger, publish }, say) {
      for (const out of publish) {
        if (out.event !== 'CONTROL' || out.subtype !== 'REQUEST_REMOVE_AGENT' || out.tx_id?.endsWith(':undo')) continue;
        say.met();
        const { agent_id } = out.payload;
        const live = [...ledger.live.values()].find((turn) => turn.agent === agent_id);
        if (live !== undefined) say.broken(`${agent_id} is removed while ${live.id} lives`);
        if (ledger.members.has(agent_id)) say.broken(`${agent_id} is removed and still bound`);
      }
    },
  },
  {
    id: 'X4',
    check({ ledger, message, publish, before }, say) {
      if (message.event !== 'CONTROL') return;
      const pending = [...ledger.book.pending.values()];
      if (message.subtype === 'INVITE_AGENT') {
        const { agent_id } = message.payload;
        if (!pending.some((tx) => tx.kind === 'INVITE' && tx.agent === agent_id)) return;
        say.met();
        if (hasRequest(publish, 'REQUEST_ADD_AGENT').length > 0) say.broken(`${agent_id} is invited twice at once`);
      }
      if (message.subtype === 'REMOVE_AGENT') {
        const { agent_id } = message.payload;
        if (!pending.some((tx) => tx.kind === 'REMOVE' && tx.agent === agent_id)) return;
        say.met();
        // A session that is closing refuses; any other word would be a second removal.
        const refused = before.state === 'CLOSING' && publish.every((out) => out.subtype === 'REFUSED');
        if (publish.length > 0 && !refused) say.broken(`${agent_id} is removed twice at once`);
      }
    },
    settle({ ledger, publish }, say) {
      for (const out of publish) {
        const turn = ledger.turns.get(out.turn_id ?? '');
        if (isCancel(out) && (turn?.cancels ?? 0) > 1) say.broken(`${out.turn_id} was told to stop twice`);
        const tx = ledger.book.all.get(out.tx_id ?? '');
        if (out.target !== 'SYSTEM' || tx === undefined) continue;
        for (const [attempt, count] of tx.requests) {
          if (count > 1) say.broken(`${count} requests of ${tx.id}, attempt ${attempt}`);
          if (attempt > limits.remove_attempts) say.broken(`attempt ${attempt} of ${tx.id}`);
        }
      }
    },
  },
  {
    id: 'X8',
    settle({ ledger, after, publish }, say) {
      const pending = Object.keys(after.transactions).length;
      if (pending > 1) say.met();
      if (pending > limits.transactions) say.broken(`${pending} transactions are pending`);
      for (const out of publish) {
        if (out.event !== 'EVENT' || out.subtype !== 'TURN_ACCEPTED') continue;
        const depth = ledger.turns.get(out.turn_id ?? '')?.depth ?? 0;
        if (depth > limits.handover_depth) say.broken(`${out.turn_id} is handover ${depth} of one input`);
      }
    },
  },
  {
    id: 'X9',
    parts: ['other'],
    check(step, say) {
      const { ledger, publish, before, message } = step;
      for (const out of publish) {
        const status = terminalOf(out);
        const turn = ledger.turns.get(out.turn_id ?? '');
        if (status === null || !turn?.cancel) continue;
        say.met();
        if (status !== 'CANCELED') say.broken(`${turn.id} was cancelled and ended ${status}`);
        if (message.subtype === 'final' || message.subtype === 'RUN_FAILED') say.met('other');
      }
      for (const tx of endedIn(step, 'CANCEL')) {
        const ended = publish.some((out) => terminalOf(out) !== null && out.turn_id === tx.turn_id);
        if (!ended) say.broken(`the cancel of ${tx.turn_id} ended without it`);
      }
      for (const out of publish) {
        if (terminalOf(out) === null) continue;
        const left = Object.values(step.after.transactions).some(
          (tx) => tx.kind === 'CANCEL' && tx.turn_id === out.turn_id && before.transactions[tx.tx_id] !== undefined,
        );
        if (left) say.broken(`the cancel of ${out.turn_id} did not end with it`);
      }
    },
  },
];
