import type { LogRecord } from '@rostra/protocol/record/record';
import type { AguiEvent } from '@rostra/protocol/run-api/agui-event';
import { type AguiView, beginView, isShown } from './agui-view.ts';
import { foldAgui } from './outbound.ts';

/** One task in the reading of its session; `late` is what it could not say while the run of another was told. */
interface ToldTask {
  readonly view: AguiView;
  readonly late: readonly AguiEvent[];
}

/** Where the reading of a whole session stands: its tasks that are not over, in the order in which they were accepted. */
export interface SessionView {
  readonly threadId: string;
  readonly tasks: ReadonlyMap<string, ToldTask>;
  /** The task whose AG-UI run is told now; one at a time. */
  readonly open: string | null;
  /** The run that was told last has ended with something that its client is to answer. */
  readonly asks: boolean;
  /** Only the tasks that it began with are told. */
  readonly isClosed: boolean;
}

const nothing: readonly AguiEvent[] = [];

export function beginSessionView(threadId: string): SessionView {
  return { threadId, tasks: new Map(), open: null, asks: false, isClosed: false };
}

/** The same of some tasks alone, in the order in which they were accepted. */
export function beginTasksView(threadId: string, turn_ids: readonly string[]): SessionView {
  const tasks = turn_ids.map((id) => [id, { view: beginView(threadId, id), late: nothing }] as const);
  return { threadId, tasks: new Map(tasks), open: null, asks: false, isClosed: true };
}

/** The tasks that a record is about. What the session itself does is told in the run that it falls into. */
function concerned({ tasks, open }: SessionView, record: LogRecord): string[] {
  const { turn_id, subtype } = record;
  if (turn_id !== undefined) return tasks.has(turn_id) ? [turn_id] : [];
  if (subtype === 'HANDOVER_RESOLVED') return [...tasks.keys()];
  const next = open ?? tasks.keys().next().value;
  return subtype === 'SWITCH_AGENT' && next !== undefined ? [next] : [];
}

/** A run that ends before it began begins with its end: between the runs of others an error alone is not legal. */
function whole(view: AguiView, wasOpen: boolean, events: readonly AguiEvent[]): readonly AguiEvent[] {
  const [first] = events;
  if (wasOpen || first?.type !== 'RUN_ERROR') return events;
  const { threadId, runId, taskId } = view;
  const start: AguiEvent = { type: 'RUN_STARTED', threadId, runId, metadata: { taskId } };
  if (first.timestamp !== undefined) start.timestamp = first.timestamp;
  return [start, ...events];
}

/** Whether the last of these events leaves something to the client to answer; as it was where no run begins or ends. */
function leavesAsked(events: readonly AguiEvent[], before: boolean): boolean {
  const last = events.findLast(({ type }) => type.startsWith('RUN_'));
  if (last === undefined) return before;
  const { outcome, metadata } = last.type === 'RUN_FINISHED' ? last : {};
  return outcome !== undefined || metadata?.pendingToolCallIds !== undefined;
}

function isOpen({ phase }: AguiView): boolean {
  return phase === 'started';
}

/** One record as all followers of the session's AG-UI events see it: run after run, and nothing outside them. */
export function foldSession(view: SessionView, record: LogRecord): { view: SessionView; events: readonly AguiEvent[] } {
  if (!isShown(record)) return { view, events: nothing };
  const tasks = new Map(view.tasks);
  const { turn_id } = record;
  if (!view.isClosed && record.subtype === 'TURN_ACCEPTED' && turn_id !== undefined && !tasks.has(turn_id)) {
    tasks.set(turn_id, { view: beginView(view.threadId, turn_id), late: nothing });
  }
  for (const id of concerned({ ...view, tasks }, record)) {
    const task = tasks.get(id);
    if (task === undefined) continue;
    const folded = foldAgui(task.view, record);
    const events = whole(folded.view, isOpen(task.view), folded.events);
    tasks.set(id, { view: folded.view, late: events.length === 0 ? task.late : [...task.late, ...events] });
  }
  const events: AguiEvent[] = [];
  const open = tellInTurn(tasks, view.open, events);
  const { threadId, isClosed } = view;
  return { view: { threadId, tasks, open, asks: leavesAsked(events, view.asks), isClosed }, events };
}

/** Lets the open run speak; when it has ended, those that waited for that follow in their order. */
function tellInTurn(tasks: Map<string, ToldTask>, opened: string | null, events: AguiEvent[]): string | null {
  const order = opened === null ? [...tasks.keys()] : [opened, ...[...tasks.keys()].filter((id) => id !== opened)];
  let open = opened;
  for (const id of order) {
    const task = tasks.get(id);
    if (task === undefined || (open !== null && open !== id)) continue;
    events.push(...task.late);
    open = isOpen(task.view) ? id : null;
    if (task.view.phase === 'done') tasks.delete(id);
    else if (task.late.length > 0) tasks.set(id, { view: task.view, late: nothing });
  }
  return open;
}
