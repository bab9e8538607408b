import { type RostraClient, RostraError } from '@rostra/client';
import { CANCEL } from '@rostra/kernel/interaction/question';
import type { InteractionItem } from '@rostra/protocol/run-api/interaction';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { explained } from '../host-door.ts';
import { shownLines } from '../printing.ts';
import { actionOf, answeredBy, fieldPrompt, formOf } from './question-form.ts';
import type { Terminal } from './terminal.ts';

type Given = { actionId: string; values: JsonObject };

/** Puts questions of agents to whoever sits here. */
export class Questions {
  readonly #client: RostraClient;
  readonly #terminal: Terminal;
  readonly #url: string;
  #isPut = false;

  constructor(client: RostraClient, terminal: Terminal, url: string) {
    this.#client = client;
    this.#terminal = terminal;
    this.#url = url;
  }

  /** Whether one is before whoever sits here. */
  get isPut(): boolean {
    return this.#isPut;
  }

  /** Whether it is settled, answered or called off: nobody may be there to do either. */
  async put(interactionId: string): Promise<boolean> {
    this.#isPut = true;
    try {
      const item = await this.#client.interactions.get(interactionId);
      return item.status !== 'pending' || (await this.#settle(item));
    } finally {
      this.#isPut = false;
    }
  }

  /** What asks it is stopped: the run, or a handover, behind which none stands, by a plain no. */
  async callOff(interactionId: string): Promise<void> {
    const item = await this.#client.interactions.get(interactionId);
    if (item.status === 'pending') await this.#callOff(item);
  }

  async #settle(item: InteractionItem): Promise<boolean> {
    for (;;) {
      const giveBack = this.#terminal.setAside();
      const given = await this.#ask(item).finally(giveBack);
      if (given !== null && (await this.#answer(item, given))) return true;
      if (given !== null) continue;
      if (this.#terminal.isClosed) return false;
      await this.#callOff(item);
      return true;
    }
  }

  async #callOff(item: InteractionItem): Promise<void> {
    if (item.runId !== null && item.taskId !== null) {
      await this.#client.runs.cancel(item.taskId, { wait: true });
      return;
    }
    const actionId = actionOf(item, 'no');
    if (actionId === null) return;
    const label = item.actions.find(({ id }) => id === actionId)?.label ?? actionId;
    if (await this.#answer(item, { actionId, values: {} })) this.#terminal.note(`Answered: ${shownLines(label)}.`);
  }

  /** Whether it needs no other answer. */
  async #answer({ id }: InteractionItem, { actionId, values }: Given): Promise<boolean> {
    try {
      await this.#client.interactions.answer(id, actionId, values);
      return true;
    } catch (error) {
      if (!(error instanceof RostraError) || (error.status !== 422 && error.status !== 409)) throw error;
      this.#terminal.refusal(explained(error, this.#url));
      // Somebody else was faster, or it came too late.
      return error.status === 409;
    }
  }

  async #ask(item: InteractionItem): Promise<Given | null> {
    const { colors } = this.#terminal;
    const { words, fields } = formOf(item);
    this.#terminal.tell({ question: item }, () => {
      this.#terminal.line(colors.bold(`? ${shownLines(item.title)}`));
      for (const line of words) this.#terminal.line(`  ${shownLines(line)}`);
    });
    const values: JsonObject = {};
    for (const field of fields) {
      const line = await this.#terminal.ask(`  ${fieldPrompt(field)}`);
      if (line === null) return null;
      const value = answeredBy(field, line);
      if (value !== undefined) values[field.id] = value;
    }
    const ways = item.actions.filter(({ id }) => id !== CANCEL);
    const [only] = ways;
    if (fields.length > 0 && ways.length === 1 && only !== undefined) return { actionId: only.id, values };
    const actionId = await this.#askAction(item);
    return actionId === null ? null : { actionId, values: actionId === CANCEL ? {} : values };
  }

  async #askAction(item: InteractionItem): Promise<string | null> {
    const shown = item.actions.map(({ label }, n) => `${n + 1}) ${shownLines(label)}`).join('  ');
    for (;;) {
      const line = await this.#terminal.ask(`  ${shown}: `);
      if (line === null) return null;
      const actionId = actionOf(item, line);
      if (actionId !== null) return actionId;
      const hint = `Answer with a number from 1 to ${item.actions.length}.`;
      this.#terminal.refusal(
        new ApiError('invalid_argument', `${JSON.stringify(line)} is no answer to this.`, { details: { hint } }),
      );
    }
  }
}
