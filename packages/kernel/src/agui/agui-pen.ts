import type { LogRecord } from '@rostra/protocol/record/record';
import type { AguiEvent } from '@rostra/protocol/run-api/agui-event';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import type { AguiView, Channel } from './agui-view.ts';

/** A null in an event kills older clients: what is empty is left out. */
export function present(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  const found: JsonObject = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined && value !== null) found[key] = value;
  return found;
}

/** Writes the events of one record, and keeps them legal whatever order the records come in. */
export class AguiPen {
  view: AguiView;
  readonly events: AguiEvent[] = [];
  readonly #timestamp: number;

  constructor(view: AguiView, record: LogRecord) {
    this.view = view;
    this.#timestamp = Math.trunc(record.ts);
  }

  set(change: Partial<AguiView>): void {
    this.view = { ...this.view, ...change };
  }

  write(event: AguiEvent): void {
    // The event was made for this call: stamping a copy of it would cost more than making it.
    event.timestamp = this.#timestamp;
    if (this.view.phase === 'waiting') this.set({ held: [...this.view.held, event] });
    else this.events.push(event);
  }

  custom(name: string, value: JsonObject): void {
    this.write({ type: 'CUSTOM', name, value });
  }

  start(metadata: JsonObject): void {
    if (this.view.phase !== 'waiting') return;
    const { threadId, runId, held } = this.view;
    this.set({ phase: 'started', held: [] });
    this.write({ type: 'RUN_STARTED', threadId, runId, metadata });
    this.events.push(...held);
  }

  open(id: string, channel: Channel, name: string | null): void {
    const { open } = this.view;
    if (open?.id === id && open.channel === channel) return;
    this.close();
    if (channel === 'text') {
      this.write({
        type: 'TEXT_MESSAGE_START',
        messageId: id,
        role: 'assistant',
        ...(name === null ? {} : { name }),
      });
    } else {
      this.write({ type: 'REASONING_START', messageId: id });
      this.write({ type: 'REASONING_MESSAGE_START', messageId: id, role: 'reasoning' });
    }
    const type: AguiEvent['type'] = channel === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT';
    const head = `{"type":"${type}","messageId":${JSON.stringify(id)},"delta":`;
    this.set({ open: { id, channel, head } });
  }

  /** Nothing for an empty text: older clients refuse an empty delta. */
  content(delta: string): void {
    const { open } = this.view;
    if (open === null || delta === '') return;
    if (open.channel === 'text') this.write({ type: 'TEXT_MESSAGE_CONTENT', messageId: open.id, delta });
    else this.write({ type: 'REASONING_MESSAGE_CONTENT', messageId: open.id, delta });
  }

  close(): void {
    const { open } = this.view;
    if (open === null) return;
    if (open.channel === 'text') {
      this.write({ type: 'TEXT_MESSAGE_END', messageId: open.id });
    } else {
      this.write({ type: 'REASONING_MESSAGE_END', messageId: open.id });
      this.write({ type: 'REASONING_END', messageId: open.id });
    }
    this.set({ open: null });
  }

  /** A whole message at once. */
  message(id: string, channel: Channel, text: string): void {
    if (text === '') return;
    this.open(id, channel, this.view.agentId);
    this.content(text);
    this.close();
  }

  finish(metadata: JsonObject): void {
    this.start({ taskId: this.view.taskId });
    this.close();
    const { threadId, runId } = this.view;
    this.write({ type: 'RUN_FINISHED', threadId, runId, metadata });
    this.set({ phase: 'done' });
  }

  /** Ends the run as failed; alone when the run never started, and then what was held is not told. */
  fail(code: string, message: string, metadata: JsonObject): void {
    if (this.view.phase === 'waiting') this.set({ phase: 'started', held: [], open: null });
    this.close();
    this.write({ type: 'RUN_ERROR', message, code, metadata });
    this.set({ phase: 'done' });
  }
}
