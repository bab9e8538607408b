import type { AguiEvent } from '@rostra/protocol/run-api/agui-event';

/** What AG-UI clients check of a stream; throws at the first event that they would die of. */
export class AguiStream {
  ended = false;
  #started = false;
  readonly #open = new Set<string>();

  take(event: AguiEvent): void {
    if (this.ended) throw new Error(`${event.type} after the end`);
    if (event.type === 'RUN_ERROR') {
      this.ended = true;
      return;
    }
    if (event.type === 'RUN_STARTED' ? this.#started : !this.#started)
      throw new Error(`${event.type} at the wrong end`);
    this.#started = true;
    this.#bracket(event);
    if (event.type !== 'RUN_FINISHED') return;
    if (this.#open.size > 0) throw new Error(`finished while open: ${[...this.#open]}`);
    this.ended = true;
  }

  #bracket(event: AguiEvent): void {
    let id = '';
    if ('toolCallId' in event) id = event.toolCallId;
    else if ('messageId' in event) id = event.messageId;
    const [, kind, edge] = /^(.*)_(START|CONTENT|ARGS|END)$/.exec(event.type) ?? [];
    if (kind === undefined) return;
    const name = `${kind} ${id}`;
    if (edge === 'START') {
      if (this.#open.has(name)) throw new Error(`${name} opened twice`);
      this.#open.add(name);
    } else if (!this.#open.has(name)) {
      throw new Error(`${event.type} of ${id}, which is not open`);
    }
    if (edge === 'END') this.#open.delete(name);
  }
}
