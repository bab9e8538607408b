import type { Transaction } from '@rostra/kernel/session/context';
import type { SessionMessage } from '@rostra/protocol/session/message';
import type { Observation } from './observation.ts';

export interface TransactionFacts {
  id: string;
  kind: Transaction['kind'];
  agent: string | null;
  turn_id: string | null;
  from: string | null;
  opened: { at: number; down: number };
  /** When its last stage began: each has a deadline of its own. */
  stage: { at: number; down: number };
  step: Transaction['step'];
  ended: boolean;
  /** REQUEST_* by attempt. */
  requests: Map<number, number>;
  /** The last request to the SessionManager. */
  request_id: string | null;
  switches: number;
  prompt: number | null;
  confirm: number | null;
  resolved: number;
  added: number;
  undone: number;
  /** SESSION_OPENED, SESSION_CLOSED or SESSION_FAILED. */
  answers: number;
  failed: boolean;
}

/** Every transaction the session ever began, and what was said in its name. */
export class TransactionBook {
  readonly all = new Map<string, TransactionFacts>();
  readonly pending = new Map<string, TransactionFacts>();

  take(seen: Observation, index: number, down: number): void {
    const { before, after, message, publish } = seen;
    if (before.transactions !== after.transactions) this.#compare(seen, down);
    if (message.event === 'CONTROL' && message.subtype === 'HANDOVER_CONFIRM') {
      const tx = this.all.get(message.tx_id ?? '');
      if (tx !== undefined && tx.confirm === null && publishedNothingWrong(publish)) tx.confirm = index;
    }
    for (const out of publish) if (out.tx_id !== undefined) this.#note(out, index);
  }

  #compare({ before, after, at }: Observation, down: number): void {
    for (const id in after.transactions) {
      const tx = after.transactions[id];
      if (tx === undefined || before.transactions[id] === tx) continue;
      const facts = this.all.get(id);
      if (facts === undefined) this.#open(tx, at, down);
      else if (facts.step !== tx.step) Object.assign(facts, { step: tx.step, stage: { at, down } });
    }
    for (const id of this.pending.keys()) {
      if (after.transactions[id] !== undefined) continue;
      const facts = this.pending.get(id);
      if (facts !== undefined) facts.ended = true;
      this.pending.delete(id);
    }
  }

  #open(tx: Transaction, at: number, down: number): void {
    const facts: TransactionFacts = {
      id: tx.tx_id,
      kind: tx.kind,
      agent: tx.agent_id,
      turn_id: tx.turn_id,
      from: tx.handover?.from_agent_id ?? null,
      opened: { at, down },
      stage: { at, down },
      step: tx.step,
      ended: false,
      requests: new Map(),
      request_id: null,
      switches: 0,
      prompt: null,
      confirm: null,
      resolved: 0,
      added: 0,
      undone: 0,
      answers: 0,
      failed: false,
    };
    this.all.set(tx.tx_id, facts);
    this.pending.set(tx.tx_id, facts);
  }

  #note(out: SessionMessage, index: number): void {
    const undo = /^(.*):undo$/.exec(out.tx_id ?? '')?.[1];
    const tx = this.all.get(undo ?? out.tx_id ?? '');
    if (tx === undefined) return;
    if (out.event === 'CONTROL') this.#noteControl(tx, out, index, undo !== undefined);
    if (out.event === 'EVENT') {
      if (out.subtype === 'AGENT_ADDED') tx.added += 1;
      if (out.subtype === 'SESSION_OPENED' || out.subtype === 'SESSION_CLOSED') tx.answers += 1;
    }
    if (out.event === 'ERROR') {
      tx.failed = true;
      if (out.subtype === 'SESSION_FAILED') tx.answers += 1;
    }
  }

  #noteControl(
    tx: TransactionFacts,
    out: Extract<SessionMessage, { event: 'CONTROL' }>,
    index: number,
    undo: boolean,
  ): void {
    if (undo) {
      tx.undone += 1;
      return;
    }
    if (out.subtype === 'HANDOVER_UI_PROMPT') tx.prompt = index;
    if (out.subtype === 'HANDOVER_RESOLVED') tx.resolved += 1;
    const attempt = out.subtype === 'REQUEST_REMOVE_AGENT' ? out.payload.attempt : 1;
    if (out.target !== 'SYSTEM') return;
    tx.requests.set(attempt, (tx.requests.get(attempt) ?? 0) + 1);
    tx.request_id = out.id;
  }
}

function publishedNothingWrong(publish: readonly SessionMessage[]): boolean {
  return !publish.some((out) => out.event === 'ERROR' && out.subtype === 'REFUSED');
}
