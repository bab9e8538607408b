import type { Resume } from '@rostra/protocol/session/input';
import type { PayloadOf, SessionMessage, SubtypeOf } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { type AgentScript, type Deed, drawScript } from './agent-script.ts';
import type { Decisions } from './decisions.ts';
import type { FaultCount } from './fault-count.ts';
import type { Prng } from './prng.ts';
import type { Profile } from './profile.ts';
import type { SimBus } from './sim-bus.ts';
import type { Timeline } from './timeline.ts';

export interface AgentSurroundings {
  timeline: Timeline;
  decisions: Decisions;
  faults: FaultCount;
  profile: Profile;
  /** When the session published this message, in virtual time. */
  publishedAt(id: string): number;
  /** Turns that steer this one, as frontends see it. */
  steering(session_id: string, turn_id: string): string[];
  /** The user stops the turn in this very millisecond. */
  raceCancel(session_id: string, turn_id: string, name: string): void;
}

type Envelope = Parameters<typeof MessageFactory.control>[2];

interface Run {
  input: SessionMessage;
  name: string;
  agent: string;
  script: AgentScript;
  prng: Prng;
  next: number;
  sequence: number;
  chunks: number;
  messages: number;
  calls: number;
  open: { channel: 'text' | 'reasoning'; message_id: string } | null;
  /** Questions without an answer: the script waits. */
  asking: Set<string>;
  isOver: boolean;
}

/** All agents behind one process: they answer what they are sent as their scripts have it, and die with it. */
export class SimAgents {
  readonly #bus: SimBus;
  readonly #around: AgentSurroundings;
  readonly #seen = new Set<string>();
  readonly #runs = new Map<string, Run>();
  isAlive = true;

  constructor(bus: SimBus, around: AgentSurroundings) {
    this.#bus = bus;
    this.#around = around;
    bus.subscribe('orchestrator', (message) => this.#receive(message));
  }

  /** Runs of a session that are under way, as its owner of this epoch began them. */
  running(session_id: string, epoch: number): string[] {
    const ofOwner = [...this.#runs.values()].filter(({ input }) => input.session_id === session_id);
    return ofOwner.filter(({ input, isOver }) => input.epoch === epoch && !isOver).map(({ name }) => name);
  }

  #receive(message: SessionMessage): void {
    if (this.#seen.has(message.id)) return;
    this.#seen.add(message.id);
    const isInput = message.event === 'USER_INPUT' || message.subtype === 'HANDOVER_CONTEXT';
    const run = this.#runs.get(message.run_id ?? '');
    if (isInput && run === undefined) this.#begin(message);
    if (run === undefined || message.event !== 'CONTROL') return;
    if (message.subtype === 'CANCEL') this.#cancel(run);
    if (message.subtype === 'INTERACTION_ANSWERED' || message.subtype === 'INTERACTION_EXPIRED') {
      run.asking.delete(message.payload.interaction_id);
      if (run.asking.size === 0) this.#continue(run);
    }
  }

  #begin(input: SessionMessage): void {
    const { decisions, profile, faults, timeline } = this.#around;
    const name = input.run_id ?? input.id;
    const { rates, settings } = profile;
    const handed = input.event === 'CONTROL';
    const resume = resumeOf(input);
    const script = drawScript(name, decisions, rates, settings.timeouts, handed);
    for (const kind of script.faults) if (kind !== 'cancel.ignored') faults.add(kind);
    const run: Run = {
      input,
      name,
      agent: input.target_id ?? '',
      script,
      prng: decisions.prng(`run:${name}`),
      next: 0,
      sequence: 0,
      chunks: resume?.next_chunk ?? 0,
      messages: 0,
      calls: 0,
      open: openOf(resume),
      asking: new Set(),
      isOver: false,
    };
    this.#runs.set(name, run);
    if (script.ackAtTimeout === null) {
      this.#continue(run);
      return;
    }
    const at = this.#around.publishedAt(input.id) + settings.timeouts.ack + script.ackAtTimeout;
    const ack = MessageFactory.control('INPUT_ACK', {}, this.#envelope(run, `${name}:ack`));
    this.#bus.deliverExactly(at, ack);
    timeline.at(at + 1, `agent:${run.agent}`, () => this.#continue(run));
  }

  #continue(run: Run): void {
    const line = run.script.lines[run.next];
    if (line === undefined || run.isOver || run.asking.size > 0) return;
    run.next += 1;
    const { timeline } = this.#around;
    timeline.at(timeline.now + line.after, `agent:${run.agent}`, () => {
      if (!this.isAlive || run.isOver) return;
      this.#do(run, line.deed);
      this.#continue(run);
    });
  }

  #cancel(run: Run): void {
    const { timeline, faults } = this.#around;
    this.#report(run);
    if (run.script.onCancel === 'ignore') {
      faults.add('cancel.ignored');
      return;
    }
    const talksOn = run.script.goesOn;
    if (!talksOn) run.isOver = true;
    timeline.at(timeline.now + run.script.cancelDelay, `agent:${run.agent}`, () => {
      if (!this.isAlive) return;
      run.isOver = true;
      this.#stopped(run);
    });
  }

  /** The orchestrator's word on what the cancel came to, sooner or later. */
  #report(run: Run): void {
    const { timeline, decisions } = this.#around;
    const delay = decisions.prng(`report:${run.name}`).pick([1, 40, 300]);
    timeline.at(timeline.now + delay, `agent:${run.agent}`, () => {
      if (!this.isAlive) return;
      const fate = { outcome: 'forced' as const, process: 'drained' as const, children_killed: 0 };
      this.#control(run, 'CANCEL_REPORT', { run_id: run.name, requested_at: 0, ...fate }, 'report');
    });
  }

  #stopped(run: Run): void {
    const { onCancel } = run.script;
    if (onCancel === 'final') this.#end(run, 'final');
    else if (onCancel === 'failed') this.#end(run, 'failed');
    else if (onCancel === 'stopped') {
      this.#publish(run, MessageFactory.event('STREAM_STOPPED', {}, this.#envelope(run, `${run.name}:stopped`)));
    } else {
      this.#publish(run, MessageFactory.control('CANCEL_ACK', {}, this.#envelope(run, `${run.name}:cancel-ack`)));
    }
  }

  /** All fields that a message of an agent may have, in the order in which the session writes them. */
  #envelope(run: Run, id: string, sequence?: number, metadata?: JsonObject): Envelope {
    const { session_id, turn_id, trace_id, epoch } = run.input;
    return {
      id,
      session_id,
      sender: { kind: 'agent', id: run.agent },
      target: 'SYSTEM',
      target_id: undefined,
      turn_id,
      requested_by: undefined,
      trace_id,
      tx_id: undefined,
      run_id: run.name,
      sequence,
      metadata,
      ts: 0,
      epoch,
    };
  }

  #numbered(run: Run): Envelope {
    const sequence = run.sequence;
    run.sequence += 1;
    const metadata = run.prng.chance(0.1) ? { sender: 'forged', n: sequence } : undefined;
    return this.#envelope(run, `${run.name}:${sequence}`, sequence, metadata);
  }

  #do(run: Run, deed: Deed): void {
    switch (deed) {
      case 'ack':
        this.#control(run, 'INPUT_ACK', {}, 'ack');
        break;
      case 'accepted':
        this.#control(run, 'HANDOVER_ACCEPTED', {}, 'ack');
        break;
      case 'alive':
        this.#control(run, 'RUN_ALIVE', {}, `alive:${run.next}`);
        break;
      case 'chunk':
      case 'reasoning':
        this.#chunk(run, deed === 'chunk' ? 'text' : 'reasoning', run.prng.pick(['x', 'yo ', 'zap ']));
        break;
      case 'huge':
        this.#chunk(run, 'text', 'h'.repeat(limits.turn_bytes / run.prng.pick([1, 1, 2])));
        break;
      case 'message':
        this.#message(run);
        break;
      case 'tool.start':
      case 'tool.end':
      case 'state':
        this.#observable(run, deed);
        break;
      case 'handover':
        this.#handover(run);
        break;
      case 'ask':
      case 'leave':
        this.#ask(run, deed === 'ask');
        break;
      case 'pull': {
        const turn_ids = this.#around.steering(run.input.session_id, run.input.turn_id ?? '');
        if (turn_ids.length > 0) this.#control(run, 'STEERING_PULLED', { turn_ids }, `pull:${run.next}`);
        break;
      }
      case 'final':
      case 'failed':
      case 'exit':
        this.#finish(run, deed);
    }
  }

  #control<S extends SubtypeOf<'CONTROL'>>(run: Run, subtype: S, payload: PayloadOf<'CONTROL', S>, what: string): void {
    this.#publish(run, MessageFactory.control(subtype, payload, this.#envelope(run, `${run.name}:${what}`)));
  }

  /** The message that this channel goes on in, or a new one. */
  #messageOf(run: Run, channel: 'text' | 'reasoning'): { message_id: string } {
    if (run.open === null || run.open.channel !== channel) {
      run.messages += 1;
      run.open = { channel, message_id: `${run.name}.m${run.messages}` };
    }
    return run.open;
  }

  #chunk(run: Run, channel: 'text' | 'reasoning', text: string): void {
    const { message_id } = this.#messageOf(run, channel);
    // At rest nobody says more than a turn may hold.
    const { enabled } = this.#around.decisions;
    const more = enabled && run.prng.chance(0.2) ? Array.from({ length: run.prng.between(1, 3) }, () => text) : [];
    const payload = { message_id, n: run.chunks, [channel]: text };
    run.chunks += 1 + more.length;
    const envelope = this.#numbered(run);
    run.sequence += more.length;
    this.#publish(run, MessageFactory.output('chunk', more.length > 0 ? { ...payload, more } : payload, envelope));
  }

  #message(run: Run): void {
    if (run.prng.chance(0.5)) run.open = null;
    const { message_id } = run.open ?? this.#messageOf(run, 'text');
    run.open = null;
    const payload = { message_id, role: 'assistant', content: 'whole' };
    this.#publish(run, MessageFactory.output('message', payload, this.#numbered(run)));
  }

  #observable(run: Run, deed: 'tool.start' | 'tool.end' | 'state'): void {
    if (deed === 'tool.start') run.calls += 1;
    const call = { tool_call_id: `${run.name}.c${run.calls}`, tool_name: 'tool' };
    const envelope = this.#numbered(run);
    if (deed === 'tool.start') this.#publish(run, MessageFactory.output('tool.call.started', call, envelope));
    if (deed === 'tool.end') this.#publish(run, MessageFactory.output('tool.call.completed', call, envelope));
    if (deed !== 'state') return;
    const payload = { scope: 'session', key: 'k', value: run.sequence };
    this.#publish(run, MessageFactory.output('state.updated', payload, envelope));
  }

  #handover(run: Run): void {
    const { members, defaults } = this.#around.profile;
    const others = [...defaults, 'a', 'b'].filter((id) => id !== run.agent);
    const anybody = [...members.map(({ agent_id }) => agent_id), 'nobody'];
    const target_agent_id = run.prng.pick(run.prng.chance(0.8) ? others : anybody);
    const payload = { target_agent_id, reason: 'knows better', summary: 's' };
    this.#publish(run, MessageFactory.control('HANDOVER_REQUEST', payload, this.#numbered(run)));
  }

  /** Asks a person, and waits for the answer or goes on without it. */
  #ask(run: Run, waits: boolean): void {
    const interaction_id = `${run.name}.q${run.sequence}`;
    if (waits) run.asking.add(interaction_id);
    const expires = run.prng.chance(0.5) ? { expires_in: run.prng.pick([20, 300, 5000]) } : {};
    const others = run.sequence % 2 === 0 ? ('approval' as const) : ('client_tool' as const);
    const purpose = run.prng.chance(0.8) ? ('question' as const) : others;
    const calls = [{ tool_call_id: `${interaction_id}.call`, name: 'client.maps', parameters: {} }];
    const request = purpose === 'client_tool' ? { calls } : { question: 'ok?' };
    // What follows the call of a tool is a message of its own.
    if (purpose === 'client_tool') run.open = null;
    const payload = { interaction_id, purpose, kind: 'confirmation', request, ...expires };
    this.#publish(run, MessageFactory.control('INTERACTION_REQUESTED', payload, this.#numbered(run)));
  }

  /** The run is over, one way or another; a rude agent does not stop there. */
  #finish(run: Run, deed: 'final' | 'failed' | 'exit'): void {
    const { decisions, profile } = this.#around;
    if (decisions.decide(`race@${run.name}`, profile.rates.raceFinal)) {
      this.#around.raceCancel(run.input.session_id, run.input.turn_id ?? '', run.name);
    }
    this.#end(run, deed);
    if (decisions.decide(`late.handover@${run.name}`, profile.rates.lateHandover)) this.#handover(run);
    if (!run.script.goesOn) {
      run.isOver = true;
      return;
    }
    run.script.lines = [
      { after: 1, deed: 'chunk' },
      { after: 5, deed: 'alive' },
    ];
    run.next = 0;
    run.script.goesOn = false;
    if (run.prng.chance(0.5)) this.#end(run, 'final');
  }

  #end(run: Run, deed: 'final' | 'failed' | 'exit'): void {
    if (deed === 'final') {
      this.#publish(run, MessageFactory.output('final', { finish_reason: 'stop' }, this.#numbered(run)));
      return;
    }
    const payload = { code: deed === 'exit' ? 'runner.exited' : 'demo.failed', message: 'it failed', retryable: false };
    const envelope = deed === 'exit' ? this.#envelope(run, `${run.name}:failed`) : this.#numbered(run);
    this.#publish(run, MessageFactory.error('RUN_FAILED', payload, envelope));
  }

  #publish(run: Run, message: SessionMessage): void {
    const { decisions, profile, faults, timeline } = this.#around;
    const { rates } = profile;
    if (decisions.decide(`impostor@${message.id}`, rates.impostor)) {
      const others = profile.members.filter(({ agent_id }) => agent_id !== run.agent);
      const id = decisions.prng(`impostor:${message.id}`).pick(others).agent_id;
      this.#bus.publish('session', { ...message, id: `${message.id}:forged`, sender: { kind: 'agent', id } });
    }
    if (decisions.decide(`stale@${message.id}`, rates.stale)) {
      faults.add('message.stale');
      const old = decisions.prng(`stale:${message.id}`).chance(0.5)
        ? { ...message, run_id: `${run.input.turn_id}.0` }
        : { ...message, epoch: message.epoch - 1 };
      this.#bus.deliverExactly(timeline.now, { ...old, id: `${message.id}:stale` });
    }
    this.#bus.publish('session', message);
  }
}

function resumeOf(input: SessionMessage): Resume | undefined {
  if (input.event === 'USER_INPUT') return input.payload.resume;
  return input.event === 'CONTROL' && input.subtype === 'HANDOVER_CONTEXT' ? input.payload.resume : undefined;
}

/** A further attempt goes on in the message that the one before had open. */
function openOf(resume: Resume | undefined): Run['open'] {
  if (resume === undefined || resume.message_id === null || resume.channel === null) return null;
  return { channel: resume.channel, message_id: resume.message_id };
}
