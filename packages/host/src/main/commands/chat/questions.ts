import { type RostraClient, RostraError } from '@rostra/client';
import { CANCEL } from '@rostra/kernel/interaction/question';
import type { InteractionItem } from '@rostra/protocol/run-api/interaction';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { shownLines } from '../printing.ts';
import { actionOf, answeredBy, fieldPrompt, formOf } from './question-form.ts';
import type { Terminal } from './terminal.ts';

type Given = { actionId: string; values: JsonObject };

/** Puts questions of agents to whoever sits here. */
export class Questions {
  readonly #client: RostraClient;
  readonly #terminal: Terminal;

  constructor(client: RostraClient, terminal: Terminal) {
    this.#client = client;
    this.#terminal = terminal;
  }

  /** Whether it was answered: nobody may be there to do so. */
  async put(interactionId: string): Promise<boolean> {
    const item = await this.#client.interactions.get(interactionId);
    if (item.status !== 'pending') return true;
    for (;;) {
      const given = await this.#ask(item);
      if (given === null) return false;
      try {
        await this.#client.interactions.answer(item.id, given.actionId, given.values);
        return true;
      } catch (error) {
        if (!(error instanceof RostraError) || (error.status !== 422 && error.status !== 409)) throw error;
        this.#terminal.problem(error.message);
        // Somebody else was faster, or it came too late.
        if (error.status === 409) return true;
      }
    }
  }

  async #ask(item: InteractionItem): Promise<Given | null> {
    const { colors } = this.#terminal;
    const { words, fields } = formOf(item);
    this.#terminal.line(colors.bold(`? ${shownLines(item.title)}`));
    for (const line of words) this.#terminal.line(`  ${shownLines(line)}`);
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
      this.#terminal.problem(`Answer with a number from 1 to ${item.actions.length}.`);
    }
  }
}
