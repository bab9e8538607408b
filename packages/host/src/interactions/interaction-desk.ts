import { type PlannedQuestion, planQuestion } from '@rostra/kernel/interaction/question';
import type { InteractionRow } from '@rostra/kernel/projection/interaction-rows';
import type { AskedInteraction, InteractionOutcome } from '@rostra/protocol/api/interactions';
import type { InteractionPurpose } from '@rostra/protocol/session/input';
import type { PayloadOf } from '@rostra/protocol/session/message';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { type ActiveRun, noSuchRun } from '../orchestrator/run-charter.ts';
import type { RunNotice, RunVoice } from '../orchestrator/run-voice.ts';
import type { InteractionStore } from '../store/ports/interaction.ts';

/** What the host itself asks in the name of a run. */
export interface HostQuestion {
  readonly purpose: InteractionPurpose;
  readonly request: AskedInteraction;
}

export interface DeskOptions {
  readonly voice: Pick<RunVoice, 'tell' | 'watch' | 'pause' | 'resume'>;
  readonly store: Pick<InteractionStore, 'get'>;
  readonly now: () => number;
  readonly newId: () => string;
}

/** A question that a live run waits for, and whoever wants to know what became of it. */
interface OpenQuestion {
  readonly run: ActiveRun;
  outcome: InteractionOutcome;
  isRefused: boolean;
  readonly waiting: (() => void)[];
}

/**
 * Puts questions to people in the name of live runs.
 *
 * Q1. The session decides: what is told here is what it told the run, or what its inbox holds.
 * Q2. A run sees the questions of its own turn, whichever attempt asked them; any other id is not found.
 * Q3. What a run waits for ends with the run.
 */
export class InteractionDesk {
  readonly #options: DeskOptions;
  readonly #open = new Map<string, OpenQuestion>();

  constructor(options: DeskOptions) {
    this.#options = options;
    options.voice.watch((run, notice) => this.#heard(run, notice));
  }

  /** Asks, and resolves with what came of it; an expiry is an outcome too. Rejects when it cannot be asked. */
  async ask(run: ActiveRun, { purpose, request }: HostQuestion): Promise<InteractionOutcome> {
    const { interaction_id } = this.put(run, purpose, this.plan(request));
    return this.#settled(run, interaction_id);
  }

  /** The same for what no person is asked: the client of the run is to run its own tools. */
  async callOut(run: ActiveRun, request: JsonObject): Promise<InteractionOutcome> {
    const interaction_id = this.#options.newId();
    this.#keep(run, interaction_id);
    this.#tell(run, { interaction_id, purpose: 'client_tool', kind: 'client_tool', request });
    return this.#settled(run, interaction_id);
  }

  /** What may be asked; throws for what may not. */
  plan(request: unknown): PlannedQuestion {
    const planned = planQuestion(request, this.#options.now());
    if ('code' in planned) throw new ApiError(planned.code, planned.message, planned);
    return planned;
  }

  /** Tells the session of the question; it is open until the session says otherwise. */
  put(run: ActiveRun, purpose: InteractionPurpose, planned: PlannedQuestion): InteractionOutcome {
    const payload = this.expect(run, purpose, planned);
    this.#tell(run, payload);
    return this.#outcome(payload);
  }

  #tell(run: ActiveRun, payload: PayloadOf<'CONTROL', 'INTERACTION_REQUESTED'>): void {
    if (this.#options.voice.tell(run.run_id, 'INTERACTION_REQUESTED', payload)) return;
    this.#open.delete(payload.interaction_id);
    throw noSuchRun();
  }

  /** The question as the session will be told it by somebody else. */
  expect(
    run: ActiveRun,
    purpose: InteractionPurpose,
    { request, expires_in }: PlannedQuestion,
  ): PayloadOf<'CONTROL', 'INTERACTION_REQUESTED'> {
    const interaction_id = this.#options.newId();
    this.#keep(run, interaction_id);
    const expiry = expires_in === null ? {} : { expires_in };
    return { interaction_id, purpose, kind: request.kind, ...expiry, request: JSON.parse(JSON.stringify(request)) };
  }

  /** What became of a question so far. */
  async outcome(run: ActiveRun, interaction_id: string): Promise<InteractionOutcome> {
    const open = this.#open.get(interaction_id);
    if (open !== undefined && open.run.turn_id === run.turn_id) return open.outcome;
    return outcomeOf(await this.#row(run, interaction_id));
  }

  /** The same when it is no longer open. */
  async wait(run: ActiveRun, interaction_id: string): Promise<InteractionOutcome> {
    const open = this.#open.get(interaction_id);
    if (open === undefined || open.run.run_id !== run.run_id) return this.#adopt(run, interaction_id);
    return this.#settled(run, interaction_id);
  }

  /** An earlier attempt asked: the answer comes to this one. */
  async #adopt(run: ActiveRun, interaction_id: string): Promise<InteractionOutcome> {
    const { voice } = this.#options;
    const found = outcomeOf(await this.#row(run, interaction_id));
    if (found.status !== 'open') return found;
    if (run.signal.aborted) return { ...found, status: 'cancelled' };
    if (this.#open.get(interaction_id)?.run.run_id === run.run_id) return this.#settled(run, interaction_id);
    const adopted = this.#keep(run, interaction_id);
    voice.pause(run.run_id, interaction_id);
    // It may have been answered while it was looked up, before anybody here listened.
    const { status, action, values } = outcomeOf(await this.#row(run, interaction_id));
    if (status !== 'open') {
      voice.resume(run.run_id, interaction_id);
      adopted.outcome = { ...adopted.outcome, action, values };
      this.#end(interaction_id, adopted, status);
    }
    return this.#settled(run, interaction_id);
  }

  #keep(run: ActiveRun, interaction_id: string): OpenQuestion {
    const outcome = { interaction_id, status: 'open' as const, action: null, values: {} };
    const open: OpenQuestion = { run, outcome, isRefused: false, waiting: [] };
    this.#open.set(interaction_id, open);
    run.signal.addEventListener('abort', () => this.#end(interaction_id, open, 'cancelled'), { once: true });
    return open;
  }

  #outcome({ interaction_id }: { interaction_id: string }): InteractionOutcome {
    const open = this.#open.get(interaction_id);
    if (open?.isRefused === true) throw tooMany();
    return open?.outcome ?? { interaction_id, status: 'open', action: null, values: {} };
  }

  async #settled(run: ActiveRun, interaction_id: string): Promise<InteractionOutcome> {
    const open = this.#open.get(interaction_id);
    if (open === undefined) return this.outcome(run, interaction_id);
    if (open.outcome.status === 'open') await new Promise<void>((resolve) => open.waiting.push(resolve));
    if (open.isRefused) throw tooMany();
    return open.outcome;
  }

  async #row(run: ActiveRun, interaction_id: string): Promise<InteractionRow> {
    const row = await this.#options.store.get(interaction_id);
    if (row === null || row.session_id !== run.session_id || row.turn_id !== run.turn_id) {
      throw new ApiError('not_found', 'There is no such question of this run.');
    }
    return row;
  }

  #heard(run: ActiveRun, notice: RunNotice): void {
    if (notice.subtype === 'HANDOVER_REJECTED') return;
    const { interaction_id } = notice.payload;
    const open = this.#open.get(interaction_id);
    if (open === undefined || open.run.turn_id !== run.turn_id) return;
    if (notice.subtype === 'INTERACTION_ANSWERED') {
      const { action_id: action, values } = notice.payload;
      open.outcome = { ...open.outcome, action, values };
      this.#end(interaction_id, open, 'submitted');
    } else {
      open.isRefused = notice.payload.refused === true;
      this.#end(interaction_id, open, open.isRefused ? 'delivery_failed' : 'expired');
    }
  }

  /** Kept until the run ends: a run may ask again what became of it. */
  #end(interaction_id: string, open: OpenQuestion, status: InteractionOutcome['status']): void {
    if (open.outcome.status === 'open') open.outcome = { ...open.outcome, status };
    for (const tell of open.waiting.splice(0)) tell();
    if (open.run.signal.aborted && this.#open.get(interaction_id) === open) this.#open.delete(interaction_id);
  }
}

const outcomes = {
  pending: 'open',
  answered: 'submitted',
  expired: 'expired',
  run_lost: 'run_lost',
  run_ended: 'cancelled',
  withdrawn: 'cancelled',
} as const;

function outcomeOf({ interaction_id, status, answer }: InteractionRow): InteractionOutcome {
  return { interaction_id, status: outcomes[status], action: answer?.action_id ?? null, values: answer?.values ?? {} };
}

function tooMany(): ApiError {
  return new ApiError('rate_limited', `${limits.interactions} questions of this session are open already.`, {
    retryable: true,
    details: { hint: 'Wait until some of them are answered.' },
  });
}
