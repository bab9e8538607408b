import type { LogRecord } from '@rostra/protocol/record/record';
import type { AguiEvent, AguiInterrupt } from '@rostra/protocol/run-api/agui-event';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import { type AguiView, type Asked, type Channel, changedView } from './agui-view.ts';
import { isAscii } from './ascii.ts';

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
    this.view = changedView(this.view, change);
  }

  /** Tells an event; where the AG-UI run has ended and the task goes on, another run begins for it. */
  write(event: AguiEvent): void {
    if (this.view.phase === 'paused') this.reopen(null);
    this.note(event);
  }

  /** The same for what is worth no run of its own: it waits for the next one. */
  note(event: AguiEvent): void {
    // The event was made for this call: stamping a copy of it would cost more than making it.
    event.timestamp = this.#timestamp;
    if (this.view.phase === 'started') this.events.push(event);
    else if (this.view.phase !== 'done') this.set({ held: [...this.view.held, event] });
  }

  custom(name: string, value: JsonObject): void {
    this.write({ type: 'CUSTOM', name, value });
  }

  start(metadata: JsonObject): void {
    if (this.view.phase !== 'waiting') return;
    const { threadId, runId } = this.view;
    this.#begin({ type: 'RUN_STARTED', threadId, runId, metadata });
  }

  /** The task goes on after its AG-UI run has ended: under the name that its client gave, or one of ours. */
  reopen(client_run_id: string | null): void {
    const { threadId, taskId, agentId, runs, runId: parentRunId, phase } = this.view;
    if (phase !== 'paused') return;
    const runId = client_run_id ?? `${taskId}+${runs}`;
    const metadata = present({ taskId, agentId });
    // A run is not its own parent, whatever its client calls it.
    const parent = runId === parentRunId ? {} : { parentRunId };
    this.#begin({ type: 'RUN_STARTED', threadId, runId, ...parent, metadata });
  }

  #begin(event: Extract<AguiEvent, { type: 'RUN_STARTED' }>): void {
    const { held, runs } = this.view;
    this.set({ phase: 'started', runId: event.runId, runs: runs + 1, held: [] });
    this.note(event);
    this.events.push(...held);
  }

  open(id: string, channel: Channel, name: string | null): void {
    const { open } = this.view;
    if (open?.id === id && open.channel === channel) return;
    this.close();
    if (channel === 'text') {
      if (name === null) this.write({ type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant' });
      else this.write({ type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant', name });
    } else {
      this.write({ type: 'REASONING_START', messageId: id });
      this.write({ type: 'REASONING_MESSAGE_START', messageId: id, role: 'reasoning' });
    }
    const type: AguiEvent['type'] = channel === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT';
    const head = `{"type":"${type}","messageId":${JSON.stringify(id)},"delta":`;
    this.set({ open: { id, channel, head, ascii: isAscii(head) } });
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

  /** Something is asked of the client: the AG-UI run ends with it, the task waits. */
  ask(asked: Asked): void {
    this.set({ asked: [...this.view.asked, asked] });
    this.pause();
  }

  pause(): void {
    if (this.view.phase === 'paused') this.reopen(null);
    this.start({ taskId: this.view.taskId });
    this.#finish({ taskId: this.view.taskId }, this.view.asked);
    this.set({ phase: 'paused' });
  }

  /** Ends the run. What is still asked, the client can answer: it stands in the end. */
  finish(metadata: JsonObject): void {
    const { asked, handover, phase, taskId, held } = this.view;
    const left = asked.filter(({ interrupt }) => interrupt !== null);
    const open = handover === null ? left : [...left, { id: handover.id, interrupt: handover, calls: [] }];
    // Its last AG-UI run has ended with the very same.
    if (phase === 'paused' && open.length > 0 && handover === null && held.length === 0) {
      this.set({ phase: 'done' });
      return;
    }
    if (phase === 'paused') this.reopen(null);
    this.start({ taskId });
    this.#finish(metadata, open);
    this.set({ phase: 'done' });
  }

  #finish(metadata: JsonObject, asked: readonly Asked[]): void {
    this.close();
    const { threadId, runId } = this.view;
    const interrupts = asked.flatMap(({ interrupt }): AguiInterrupt[] => (interrupt === null ? [] : [interrupt]));
    const pendingToolCallIds = asked.flatMap(({ calls }) => calls);
    // In the outcome, where 1.0 has them, they would be the end of older clients.
    const told = pendingToolCallIds.length === 0 ? metadata : { ...metadata, pendingToolCallIds };
    const outcome = { type: 'interrupt' as const, interrupts };
    if (interrupts.length === 0) this.write({ type: 'RUN_FINISHED', threadId, runId, metadata: told });
    else this.write({ type: 'RUN_FINISHED', threadId, runId, outcome, metadata: told });
  }

  /** Ends the run as failed; alone when no run is open, and then what was held is not told. */
  fail(code: string, message: string, metadata: JsonObject): void {
    if (this.view.phase !== 'started') this.set({ phase: 'started', held: [], open: null });
    this.close();
    this.write({ type: 'RUN_ERROR', message, code, metadata });
    this.set({ phase: 'done' });
  }
}
