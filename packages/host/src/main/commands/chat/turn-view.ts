import type { AguiEvent } from '@rostra/protocol/run-api/agui-event';
import { short, shown, shownLines } from '../printing.ts';
import { type CardChoice, cardLines } from './card-lines.ts';
import type { Terminal } from './terminal.ts';

const ARGUMENTS = 80;

/** Shows the events of a run as a talk. */
export class TurnView {
  readonly #terminal: Terminal;
  readonly #toolArguments = new Map<string, { name: string; text: string }>();
  #choices: readonly CardChoice[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** What the last card lets people choose, by its number; whoever says something has passed it by. */
  takeChoice(line: string): CardChoice | null {
    const choices = this.#choices;
    this.#choices = [];
    return /^\d{1,2}$/.test(line) ? (choices[Number(line) - 1] ?? null) : null;
  }

  card(ui: unknown): void {
    const { lines, choices } = cardLines(ui);
    for (const line of lines) this.#terminal.line(`  ${shownLines(line)}`);
    this.#choices = choices;
  }

  show(event: AguiEvent): void {
    switch (event.type) {
      case 'TEXT_MESSAGE_START':
        this.#terminal.speaker(event.name ?? '');
        break;
      case 'TEXT_MESSAGE_CONTENT':
        this.#terminal.write(event.delta);
        break;
      case 'TEXT_MESSAGE_END':
        this.#terminal.endLine();
        break;
      case 'REASONING_MESSAGE_CONTENT':
        if (this.#terminal.isTTY) this.#terminal.write(event.delta, this.#terminal.colors.dim);
        break;
      case 'REASONING_MESSAGE_END':
        this.#terminal.endLine();
        break;
      case 'CUSTOM':
        this.#custom(event.name, event.value);
        break;
      case 'RUN_ERROR':
        this.#terminal.problem(failureWords(event));
        break;
      default:
        this.#tool(event);
    }
  }

  #tool(event: AguiEvent): void {
    if (event.type === 'TOOL_CALL_START') {
      this.#toolArguments.set(event.toolCallId, { name: event.toolCallName, text: '' });
    } else if (event.type === 'TOOL_CALL_ARGS') {
      const call = this.#toolArguments.get(event.toolCallId);
      if (call !== undefined) call.text += event.delta;
    } else if (event.type === 'TOOL_CALL_END') {
      const call = this.#toolArguments.get(event.toolCallId);
      if (call !== undefined) this.#terminal.note(`→ ${shown(call.name)} ${shown(short(call.text, ARGUMENTS))}`);
      this.#toolArguments.delete(event.toolCallId);
    } else if (event.type === 'TOOL_CALL_RESULT') {
      this.#terminal.note(`← ${shown(short(event.content, ARGUMENTS))}`);
    } else if (event.type === 'ACTIVITY_SNAPSHOT' && event.activityType === 'ui-schema') {
      this.card(event.content);
    } else if (event.type === 'ACTIVITY_SNAPSHOT' && event.activityType === 'artifact') {
      this.#terminal.note(`[file ${shown(String(event.content.name ?? event.messageId))}]`);
    }
  }

  #custom(name: string, value: unknown): void {
    if (name !== 'agent.switched' || typeof value !== 'object' || value === null || !('to' in value)) return;
    this.#terminal.note(`${shown(String(value.to))} is the active agent now.`);
  }
}

function failureWords({ code, message }: { code?: string | undefined; message: string }): string {
  if (code === 'cancelled') return 'Stopped.';
  return code === undefined ? shown(message) : `${shown(message)} (${shown(code)})`;
}
