import { closeMessage } from '@rostra/kernel/run/message-cursor';
import type { MessageEnvelope, PayloadOf } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import type { LiveRun } from './live-run.ts';
import type { ActiveRun } from './run-charter.ts';
import type { Failure } from './run-message.ts';
import type { RunSupervisor } from './run-supervisor.ts';
import type { ActedSubtype, RunListener, RunNotice, RunVoice, VoicedSubtype } from './run-voice.ts';

/** The voice of the runs that are live here. */
export class VoiceOfRuns implements RunVoice {
  readonly #runs: RunSupervisor;
  readonly #listeners = new Set<RunListener>();

  constructor(runs: RunSupervisor) {
    this.#runs = runs;
  }

  find(run_id: string): ActiveRun | null {
    const live = this.#runs.find(run_id);
    return live?.isDispatched === true ? live : null;
  }

  tell<S extends VoicedSubtype>(run_id: string, subtype: S, payload: PayloadOf<'CONTROL', S>): boolean {
    return this.#for(run_id, (live) => {
      const told = this.#runs.tell(live, (envelope) => MessageFactory.control(subtype, payload, envelope));
      if (told && 'interaction_id' in payload) {
        this.#runs.pause(live, payload.interaction_id);
        // What the run says after it is a message of its own, as after any call of a tool.
        if (payload.purpose === 'client_tool') live.run = closeMessage(live.run);
      }
      return told;
    });
  }

  act<S extends ActedSubtype>(run_id: string, subtype: S, payload: PayloadOf<'AGENT_OUTPUT', S>): boolean {
    const make = (envelope: MessageEnvelope) => MessageFactory.output(subtype, payload, envelope);
    return this.#for(run_id, (live) => this.#runs.tell(live, make));
  }

  fail(run_id: string, failure: Failure): boolean {
    return this.#for(run_id, (live) => {
      this.#runs.end(live, failure);
      return true;
    });
  }

  pause(run_id: string, interaction_id: string): boolean {
    return this.#for(run_id, (live) => {
      this.#runs.pause(live, interaction_id);
      return true;
    });
  }

  resume(run_id: string, interaction_id: string): boolean {
    return this.#for(run_id, (live) => {
      this.#runs.resume(live, interaction_id);
      return true;
    });
  }

  watch(listener: RunListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A session has told this run something. */
  heard(live: LiveRun, notice: RunNotice): void {
    for (const listener of [...this.#listeners]) listener(live, notice);
  }

  #for(run_id: string, act: (live: LiveRun) => boolean): boolean {
    const live = this.#runs.find(run_id);
    return live === undefined || live.over ? false : act(live);
  }
}
