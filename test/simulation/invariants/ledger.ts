import type { SessionMessage } from '@rostra/protocol/session/message';
import type { SessionSettings } from '@rostra/protocol/session/roster';
import { isCancel, isForwarded, isInput, type Observation, piecesOf, terminalOf } from './observation.ts';
import { TransactionBook } from './transaction-book.ts';
import type { TurnFacts } from './turn-facts.ts';

interface Member {
  order: number;
  removing: boolean;
}

/**
 * What can be known about a session from its messages alone: the oracle's own account of turns, members and
 * transactions, kept without asking the kernel what any of it means.
 */
export class Ledger {
  readonly turns = new Map<string, TurnFacts>();
  readonly live = new Map<string, TurnFacts>();
  readonly book = new TransactionBook();
  readonly members = new Map<string, Member>();
  /** Questions that outlived their turns, and who asked. */
  readonly questions = new Map<string, string>();
  /** Ids of messages that had an effect, and of messages that were published. */
  readonly taken = new Set<string>();
  readonly published = new Set<string>();
  settings: SessionSettings | null = null;
  owner: string | null = null;
  epoch = 0;
  active: string | null = null;
  /** Whether a close was accepted and not answered yet. */
  closing = false;
  isOpen = false;
  wasOpen = false;
  /** Position in FE, over all turns. */
  index = 0;
  /** The turn between its first chunk and its end. */
  talker: string | null = null;
  talked = 0;
  lastEnded: TurnFacts | null = null;
  /** Virtual time in which nobody drove the session. */
  down = 0;
  /** When the present driver took the session, in virtual time and in the session's. */
  loaded = { at: 0, ts: 0 };
  last: Observation | null = null;
  #joined = 0;
  #accepted = 0;

  /** The one turn that is with an agent. */
  dispatched(): TurnFacts | null {
    for (const turn of this.live.values()) if (turn.run_id !== null) return turn;
    return null;
  }

  take(seen: Observation): void {
    const { message, publish } = seen;
    this.#recover(seen);
    this.#noteWaits(seen);
    this.taken.add(message.id);
    this.#takeInbound(message, seen);
    for (const out of publish) {
      this.published.add(out.id);
      if (out.target === 'FRONTEND') this.index += 1;
      this.#takeOutbound(out, seen);
    }
    this.book.take(seen, this.index, this.down);
    this.#noteClosing(seen);
    this.last = seen;
  }

  /** The process that drives the session stood still: that time is nobody's. */
  stoodStill(ms: number): void {
    this.down += ms;
    this.loaded = { ...this.loaded, at: this.loaded.at + ms };
  }

  #recover({ message, at, before, after }: Observation): void {
    if (message.event !== 'CONTROL' || message.sender.kind !== 'driver') return;
    if (message.subtype === 'SESSION_CREATED') {
      this.settings = message.payload.settings;
      this.owner = message.payload.owner_id;
      this.epoch = message.epoch;
      this.loaded = { at, ts: message.ts };
    }
    if (message.subtype === 'SESSION_RECOVERED') {
      this.epoch = message.payload.epoch;
      this.down += at - (this.last?.at ?? at);
      this.loaded = { at, ts: message.ts };
      // What a lost run had taken, the next one may take again.
      for (const turn of this.live.values()) {
        const was = before.inflight[turn.parent ?? ''];
        const now = after.inflight[turn.parent ?? ''];
        if (was !== undefined && now !== undefined && was.run_id !== now.run_id) turn.pulled = false;
      }
    }
  }

  #takeInbound(message: SessionMessage, { before }: Observation): void {
    const turn = this.live.get(message.turn_id ?? '');
    if (message.sender.kind !== 'agent' || turn === undefined || turn.run_id !== message.run_id) return;
    if (message.sender.id !== turn.agent) return;
    const isAck = message.subtype === 'INPUT_ACK' || message.subtype === 'HANDOVER_ACCEPTED';
    if (isAck || message.sequence !== undefined) turn.acked = true;
    if (message.sequence !== undefined) turn.next_sequence = message.sequence + piecesOf(message).length;
    if (message.event === 'AGENT_OUTPUT' && message.subtype === 'chunk')
      turn.received += message.payload.text === undefined ? '' : piecesOf(message).join('');
    if (message.event === 'CONTROL' && message.subtype === 'STEERING_PULLED' && !turn.cancel) {
      for (const id of message.payload.turn_ids) {
        const pulled = this.live.get(id);
        if (pulled?.parent === turn.id && pulled.state === 'steering' && before.inflight[id]?.run_id === null) {
          pulled.pulled = true;
        }
      }
    }
  }

  #takeOutbound(out: SessionMessage, seen: Observation): void {
    if (out.event === 'EVENT') this.#takeEvent(out, seen);
    if (out.event === 'CONTROL' && out.subtype === 'SWITCH_AGENT' && out.target === 'BROADCAST') {
      this.active = out.payload.to ?? null;
    }
    const turn = this.turns.get(out.turn_id ?? '');
    if (turn === undefined) return;
    if (isInput(out)) turn.inputs += 1;
    if (isCancel(out)) {
      turn.cancels += 1;
      if (out.tx_id !== undefined) turn.cancel ??= { index: this.index, at: seen.at };
    }
    if (isForwarded(out)) this.#takeOutput(turn, out);
    if (out.event === 'AGENT_OUTPUT' && out.subtype === 'message.started') turn.open_message = out.payload.message_id;
    if (out.event === 'AGENT_OUTPUT' && out.subtype === 'message.ended') turn.open_message = null;
  }

  #takeOutput(turn: TurnFacts, out: SessionMessage): void {
    if (out.event !== 'AGENT_OUTPUT') return;
    if (out.subtype !== 'final') turn.spoke = true;
    if (out.subtype === 'tool.call.started') turn.calls += 1;
    if (out.subtype === 'tool.call.completed') {
      turn.calls = Math.max(0, turn.calls - 1);
      const { tool_call_id, result = null, error } = out.payload;
      const id = `${turn.id}.${tool_call_id}`;
      const text = error ?? (typeof result === 'string' ? result : JSON.stringify(result));
      turn.given.set(id, (turn.given.get(id) ?? '') + text);
    }
    if (out.subtype === 'message' && typeof out.payload.content === 'string') {
      const { message_id, content } = out.payload;
      if (!turn.said.has(message_id)) turn.shown += content;
      turn.said.set(message_id, content);
    }
    if (out.subtype !== 'chunk') return;
    if (this.talker === null) this.talked += 1;
    this.talker = turn.id;
    const pieces = piecesOf(out);
    turn.chunks += pieces.length;
    turn.text += out.payload.text === undefined ? '' : pieces.join('');
    turn.bytes += pieces.join('').length;
    if (out.payload.text === undefined) return;
    const { message_id } = out.payload;
    turn.shown += pieces.join('');
    turn.said.set(message_id, (turn.said.get(message_id) ?? '') + pieces.join(''));
  }

  #takeEvent(out: Extract<SessionMessage, { event: 'EVENT' }>, seen: Observation): void {
    const { at, message } = seen;
    const turn = this.turns.get(out.turn_id ?? '');
    if (out.subtype === 'TURN_ACCEPTED') this.#accept(out, seen);
    if (turn !== undefined && out.subtype === 'TURN_DISPATCHED') {
      turn.run_id = out.payload.run_id;
      turn.dispatched = { at, ts: message.ts, down: this.down };
      turn.dispatches += 1;
    }
    if (turn !== undefined && out.subtype === 'TURN_RESUMED') {
      Object.assign(turn, { run_id: out.payload.run_id, acked: false, next_sequence: 0, inputs: 0 });
      turn.dispatched = { at, ts: message.ts, down: this.down };
      turn.attempts += 1;
    }
    if (turn !== undefined && out.subtype === 'AGENT_STARTED') turn.started += 1;
    this.#takeQuestion(out, turn);
    const status = terminalOf(out);
    if (turn !== undefined && status !== null) {
      turn.ends += 1;
      turn.end ??= { status, at, down: this.down, index: this.index, epoch: this.epoch };
      this.live.delete(turn.id);
      this.lastEnded = turn;
      if (this.talker === turn.id) this.talker = null;
      if (status === 'COMPLETED') this.#leaveQuestions(turn);
    }
    this.#takeMembership(out);
  }

  #takeQuestion(out: Extract<SessionMessage, { event: 'EVENT' }>, turn: TurnFacts | undefined): void {
    if (out.subtype === 'INTERACTION_OPENED') turn?.asking.set(out.payload.interaction_id, out.payload.purpose);
    if (out.subtype !== 'INTERACTION_RESOLVED') return;
    turn?.asking.delete(out.payload.interaction_id);
    this.questions.delete(out.payload.interaction_id);
  }

  #leaveQuestions({ asking, agent }: TurnFacts): void {
    for (const [id, purpose] of asking) {
      if (purpose !== 'question') continue;
      asking.delete(id);
      this.questions.set(id, agent);
    }
  }

  #accept(out: Extract<SessionMessage, { subtype: 'TURN_ACCEPTED' }>, { at, message }: Observation): void {
    const id = out.turn_id ?? '';
    const known = this.turns.get(id);
    if (known !== undefined) {
      known.accepts += 1;
      return;
    }
    const parent = out.payload.parent_turn_id;
    this.#accepted += 1;
    const isPersons = message.event === 'USER_INPUT' || message.subtype === 'INTERACTION_ANSWERED';
    const facts: TurnFacts = {
      id,
      agent: out.payload.agent_id,
      trace: out.trace_id ?? '',
      requested_by: isPersons ? message.sender.id : null,
      input_id: isPersons ? message.id : null,
      state: out.payload.state,
      parent,
      depth: isPersons ? 0 : (this.turns.get(parent ?? '')?.depth ?? 0) + 1,
      order: this.#accepted,
      accepted: { at, down: this.down },
      accepts: 1,
      run_id: null,
      dispatched: null,
      dispatches: 0,
      inputs: 0,
      started: 0,
      acked: false,
      spoke: false,
      chunks: 0,
      bytes: 0,
      text: '',
      shown: '',
      said: new Map(),
      given: new Map(),
      attempts: 1,
      calls: 0,
      received: '',
      next_sequence: 0,
      open_message: null,
      cancels: 0,
      cancel: null,
      pulled: false,
      asking: new Map(),
      person: 0,
      ends: 0,
      end: null,
    };
    this.turns.set(id, facts);
    this.live.set(id, facts);
  }

  #takeMembership(out: Extract<SessionMessage, { event: 'EVENT' }>): void {
    if (out.subtype === 'SESSION_OPENED' && !out.payload.existing) {
      this.members.clear();
      for (const { agent_id } of out.payload.agents) this.#join(agent_id);
      this.isOpen = true;
      this.wasOpen = true;
    }
    if (out.subtype === 'SESSION_CLOSED' && !out.payload.existing) {
      this.members.clear();
      this.isOpen = false;
    }
    if (out.subtype === 'AGENT_ADDED' && !out.payload.existing) this.#join(out.payload.agent.agent_id);
    if (out.subtype === 'AGENT_REMOVING') {
      const member = this.members.get(out.payload.agent_id);
      if (member !== undefined) member.removing = true;
    }
    if (out.subtype === 'AGENT_REMOVED_LOCAL') this.members.delete(out.payload.agent_id);
  }

  #join(agent_id: string): void {
    this.#joined += 1;
    this.members.set(agent_id, { order: this.#joined, removing: false });
  }

  /** Time waited for a person belongs to nobody's deadline; what the step itself resolves was still awaited until now. */
  #noteWaits({ at }: Observation): void {
    const since = this.last?.at ?? at;
    for (const turn of this.live.values()) if (turn.asking.size > 0) turn.person += at - since;
  }

  #noteClosing({ before, after }: Observation): void {
    if (before.state !== 'CLOSING' && after.state === 'CLOSING') this.closing = true;
    if (before.state === 'CLOSING' && after.state !== 'CLOSING') this.closing = false;
  }
}
